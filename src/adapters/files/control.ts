/** Pawl's own files in a project, all in one folder that git ignores. */
import { foldedName } from "../../core/path.ts";
import { type Disk, errnoOf, type FileStat, withFile, writeAll } from "./disk.ts";
import { statFolder } from "./read-at.ts";

export const CONTROL = ".pawl";
export const JOURNAL = ".pawl/journal";
export const LOCKS = ".pawl/locks";
export const KEPT = ".pawl/kept";
const IGNORE = ".pawl/.gitignore";
const IGNORED = Buffer.from("*\n");

/**
 * Makes the folder with its .gitignore. The folder of locks comes last: if it exists, everything is there.
 */
export function ensureControl(disk: Disk): void {
  if (statFolder(disk, LOCKS) !== null) return;
  ensureFolder(disk, CONTROL);
  // A shorter one is half written: the disk was full, or another process writes the same.
  const isHalf = ({ kind, size }: FileStat) => kind === "file" && size < IGNORED.length;
  const ignore = disk.lstat(IGNORE);
  if (ignore === null || isHalf(ignore))
    withFile(disk, IGNORE, "update", (fd) => {
      if (isHalf(disk.stat(fd))) writeAll(disk, fd, IGNORED, 0);
    });
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
