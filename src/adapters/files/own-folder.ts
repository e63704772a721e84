/**
 * Pawl's own files in a project, for code that writes them without the store. It follows no link, neither in
 * their place nor in the folders above: a clone, an archive or an agent may have put one there.
 */
import { constants, lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PawlError } from "../../core/error.ts";
import { HARMLESS } from "./plain-file.ts";
import { writeWhole } from "./write-whole.ts";

/** Used instead of `w`: empties the file. A link is an error, and so is a FIFO without a reader. */
export const REPLACING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | HARMLESS;

/**
 * The absolute path of a path below the root. Throws `path-outside-project` if a parent is a link or no
 * folder, or if the path itself is a link.
 */
export function ownPath(root: string, path: string): string {
  let folder = root;
  const names = path.split("/");
  for (const [index, name] of names.entries()) {
    folder = join(folder, name);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return join(root, path);
    const isOnTheWay = index < names.length - 1;
    if (stats.isSymbolicLink() || (isOnTheWay && !stats.isDirectory()))
      throw obstructedPathError(names.slice(0, index + 1).join("/"), stats.isSymbolicLink());
  }
  return folder;
}

/** The same for a folder. Makes it if it is missing. */
export function openOwnFolder(root: string, path: string, mode?: number): string {
  const folder = ownPath(root, path);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) throw obstructedPathError(path, false);
  if (stats === undefined) mkdirSync(folder, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  return folder;
}

/** Puts a whole file in place. It replaces what was there instead of writing into it. */
export function writeOwnFile(root: string, path: string, text: string, mode: number): void {
  openOwnFolder(root, dirname(path));
  writeWhole(join(root, path), text, mode);
}

function obstructedPathError(path: string, isLink: boolean): PawlError {
  return new PawlError(
    "path-outside-project",
    `${path} is ${isLink ? "a symbolic link" : "not a folder"}: expected the file or folder that Pawl makes there. Pawl follows no links to its own files, because they can lead out of the project.`,
    `Remove ${path}; Pawl creates it again.`,
  );
}
