/**
 * Temporary files beside their targets. Only the holder of the project's lock makes them, so an existing one
 * is stale.
 */

import { hashOf } from "../../../core/hash.ts";
import { fileName } from "../../../core/path.ts";
import { ensureFolder } from "../control.ts";
import { closeQuietly, type Disk, errnoOf, isAbsence, writeAll } from "../disk.ts";
import { checkFolders, folderOf, foldersOf, type KnownFolders, statFile, statFolder } from "../read-at.ts";
import { PERMISSIONS } from "./steps.ts";

const LONGEST_NAME = 200;

export function temporaryOf(path: string): string {
  const name = fileName(path);
  const short = Buffer.byteLength(name) <= LONGEST_NAME ? name : hashOf(name);
  const folder = folderOf(path);
  return `${folder === "" ? "" : `${folder}/`}.${short}.pawl-tmp`;
}

/** Writes the bytes beside the path, with the mode of the existing file. Makes folders if needed. */
export function writeTemporary(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  newMode: number | undefined,
): void {
  const checkedFolders: KnownFolders = new Set();
  ensureFolders(disk, path, checkedFolders);
  const there = statFile(disk, path, checkedFolders)?.mode;
  // New content never inherits setuid or setgid, which lend the owner's rights to every user.
  const wanted = there === undefined ? newMode : there & PERMISSIONS;
  const temporary = temporaryOf(path);
  const fd = openNew(disk, temporary, wanted ?? 0o644);
  try {
    writeAll(disk, fd, bytes, 0);
    // The umask may have removed bits that the file had.
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
    if (checkFolders(disk, path)) clear(disk, temporaryOf(path));
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

export function ensureFolders(disk: Disk, path: string, checkedFolders?: KnownFolders): void {
  if (checkFolders(disk, path, checkedFolders)) return;
  for (const folder of foldersOf(path)) if (statFolder(disk, folder) === null) ensureFolder(disk, folder);
}

/**
 * Opens a file for writing. Checks its folders before, and again once it is open: if one has become a link
 * meanwhile, another file is open, and nothing is written to it.
 */
export function openInside(
  disk: Disk,
  path: string,
  how: "append" | "new" | "update",
  mode?: number,
): number {
  // Opening a new file fails if there is one.
  if (how === "new") checkFolders(disk, path);
  const isThere = how !== "new" && statFile(disk, path) !== null;
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
    clear(disk, path);
    return openInside(disk, path, "new", mode);
  }
}

/** Removes the temporary file. A folder in its place is an agent's: it is moved aside, as it is. */
function clear(disk: Disk, temporary: string): void {
  if (disk.lstat(temporary)?.kind !== "folder") {
    disk.unlink(temporary);
    return;
  }
  let aside = 1;
  while (disk.lstat(`${temporary}-${aside}`) !== null) aside++;
  disk.rename(temporary, `${temporary}-${aside}`);
}

/** Ignores failures. */
export function tryUnlink(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch {}
}
