/** Temporary files beside their targets. Only the holder of the project's lock makes them, so any found is stale. */

import { ensureFolder } from "./control.ts";
import { closeQuietly, type Disk, errnoOf, isAbsence, writeAll } from "./disk.ts";
import { hashOf } from "./hash.ts";
import { checkFolders, folderOf, foldersOf, nameOf, statFile, statFolder } from "./look.ts";
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
): void {
  ensureFolders(disk, path);
  const there = statFile(disk, path)?.mode;
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
    if (checkFolders(disk, path)) disk.unlink(temporaryOf(path));
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

export function ensureFolders(disk: Disk, path: string): void {
  if (checkFolders(disk, path)) return;
  for (const folder of foldersOf(path)) if (statFolder(disk, folder) === null) ensureFolder(disk, folder);
}

/**
 * Opens a file to be written. The folders on its way are looked at before, and once more when it is open: one that has
 * become a link meanwhile has led to another file, into which nothing is written then.
 */
export function openInside(
  disk: Disk,
  path: string,
  how: "append" | "new" | "update",
  mode?: number,
): number {
  const isThere = statFile(disk, path) !== null;
  const fd = disk.open(path, how, mode);
  try {
    checkFolders(disk, path);
  } catch (error) {
    closeQuietly(disk, fd);
    if (!isThere) tryUnlink(disk, path);
    throw error;
  }
  return fd;
}

function openNew(disk: Disk, path: string, mode: number): number {
  try {
    return openInside(disk, path, "new", mode);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    disk.unlink(path);
    return openInside(disk, path, "new", mode);
  }
}

function tryUnlink(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch {}
}
