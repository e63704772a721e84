/** Temporary files beside their targets. Only the holder of the project's lock makes them, so any found is stale. */

import { ensureFolder } from "./control.ts";
import { closeQuietly, type Disk, errnoOf, writeAll } from "./disk.ts";
import { hashOf } from "./hash.ts";
import { checkFolders, folderOf, foldersOf, type KnownFolders, nameOf, statFile } from "./look.ts";
import { PERMISSIONS } from "./steps.ts";

const LONGEST_NAME = 200;

export function temporaryOf(path: string): string {
  const name = nameOf(path);
  const short = Buffer.byteLength(name) <= LONGEST_NAME ? name : hashOf(name);
  const folder = folderOf(path);
  return `${folder === "" ? "" : `${folder}/`}.${short}.pawl-tmp`;
}

/** Writes the bytes beside the path, with the mode of the file that stands there; makes folders where needed. */
export function writeTemporary(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  newMode: number | undefined,
  known?: KnownFolders,
): void {
  ensureFolders(disk, path, known);
  const there = statFile(disk, path, known)?.mode;
  // A new text never inherits the rights that a file lends whoever runs it.
  const wanted = there === undefined ? newMode : there & PERMISSIONS;
  const temporary = temporaryOf(path);
  const fd = openNew(disk, temporary, wanted ?? 0o644);
  try {
    writeAll(disk, fd, bytes, 0);
    // The umask may have taken bits away that the file had.
    if (wanted !== undefined && disk.stat(fd).mode !== wanted) disk.chmod(fd, wanted);
  } catch (error) {
    closeQuietly(disk, fd);
    tryUnlink(disk, temporary);
    throw error;
  }
  disk.close(fd);
}

export function removeTemporary(disk: Disk, path: string): void {
  try {
    disk.unlink(temporaryOf(path));
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENOTDIR") throw error;
  }
}

export function ensureFolders(disk: Disk, path: string, known?: KnownFolders): void {
  if (checkFolders(disk, path, known)) return;
  for (const folder of foldersOf(path)) if (disk.lstat(folder) === null) ensureFolder(disk, folder);
}

function openNew(disk: Disk, path: string, mode: number): number {
  try {
    return disk.open(path, "new", mode);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    disk.unlink(path);
    return disk.open(path, "new", mode);
  }
}

function tryUnlink(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch {}
}
