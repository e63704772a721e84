/** Pawl's own files in a project, all in one folder that git ignores. */
import { foldedName } from "../../core/path.ts";
import { type Disk, errnoOf, withFile, writeAll } from "./disk.ts";
import { statFolder } from "./read-at.ts";

export const CONTROL = ".pawl";
export const JOURNAL = ".pawl/journal";
export const LOCKS = ".pawl/locks";
export const KEPT = ".pawl/kept";
const IGNORE = ".pawl/.gitignore";

/**
 * Makes the folder with its .gitignore. The folder of locks comes last: if it exists, everything is there.
 */
export function ensureControl(disk: Disk): void {
  if (statFolder(disk, LOCKS) !== null) return;
  ensureFolder(disk, CONTROL);
  if (disk.lstat(IGNORE) === null) {
    try {
      withFile(disk, IGNORE, "new", (fd) => writeAll(disk, fd, Buffer.from("*\n"), 0));
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
  ensureFolder(disk, LOCKS);
}

export function ensureFolder(disk: Disk, path: string): void {
  try {
    disk.mkdir(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Pawl's temporary files beside their targets. Listings hide them, and the holder of the lock may replace
 * them.
 */
export const TEMPORARY = /^\..*\.pawl-tmp$/;

/** Whether the path is such a file, in any folder. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path.slice(path.lastIndexOf("/") + 1));
}

/**
 * Whether the path belongs to the store, in any spelling that a file system accepts. No change set may touch
 * it.
 */
export function isReserved(path: string): boolean {
  const name = path.split("/").map(foldedName).join("/");
  return (
    [JOURNAL, IGNORE, LOCKS, KEPT, CONTROL].includes(name) ||
    name.startsWith(`${LOCKS}/`) ||
    name.startsWith(`${KEPT}/`) ||
    name.split("/").some((segment) => TEMPORARY.test(segment))
  );
}
