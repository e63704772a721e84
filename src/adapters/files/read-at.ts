/**
 * Reads the project's files, never through a symbolic link.
 *
 * L1  Each component below the root is checked. A link is an error that names it, whatever it points to.
 * L2  Only regular files are read, up to a size limit.
 */
import { NotText, PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { closeQuietly, type Disk, errnoOf, type FileStat } from "./disk.ts";
import { MAX_FILE_BYTES } from "./plain-file.ts";

export interface FileOnDisk {
  readonly bytes: Uint8Array;
  /** Lazy: plain reads do not pay for it. */
  readonly hash: string;
  readonly mode: number;
}

/** The folder that holds the path; "" for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

/** The folders from the top one below the root down to the path's own. */
export function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Folders already checked within one short piece of work, so that each is checked once. */
export type KnownFolders = Set<string>;

/** Whether the folder of the path exists. Throws if a component is a link or not a folder. */
export function checkFolders(disk: Disk, path: string, checkedFolders?: KnownFolders): boolean {
  const parent = folderOf(path);
  if (parent === "" || checkedFolders?.has(parent)) return true;
  for (const folder of foldersOf(path)) {
    if (checkedFolders?.has(folder)) continue;
    const stat = disk.lstat(folder);
    if (stat === null) return false;
    checkKind(stat, folder, "folder");
    checkedFolders?.add(folder);
  }
  return true;
}

/** The regular file at the path, or null. */
export function statFile(disk: Disk, path: string, checkedFolders?: KnownFolders): FileStat | null {
  if (!checkFolders(disk, path, checkedFolders)) return null;
  const stat = disk.lstat(path);
  if (stat !== null) checkKind(stat, path, "file");
  return stat;
}

/** The folder at the path, or null. */
export function statFolder(disk: Disk, path: string, checkedFolders?: KnownFolders): FileStat | null {
  if (!checkFolders(disk, path, checkedFolders)) return null;
  const stat = disk.lstat(path);
  if (stat !== null) checkKind(stat, path, "folder");
  return stat;
}

/** The file's present bytes, or null if there is no file. */
export function readAt(disk: Disk, path: string, checkedFolders?: KnownFolders): FileOnDisk | null {
  const { file, fd } = readAndHold(disk, path, checkedFolders);
  if (fd !== null) closeQuietly(disk, fd);
  return file;
}

/** Like `readAt`, but leaves the file open. */
export function readAndHold(
  disk: Disk,
  path: string,
  checkedFolders?: KnownFolders,
): { readonly file: FileOnDisk | null; readonly fd: number | null } {
  const opened = openPlain(disk, path, checkedFolders);
  if (opened === null) return { file: null, fd: null };
  const { fd, stat } = opened;
  try {
    return { file: fileOnDisk(readToEnd(disk, fd, stat.size), stat.mode), fd };
  } catch (error) {
    closeQuietly(disk, fd);
    throw error;
  }
}

/** Opens the regular file at the path; null if there is none. */
export function openPlain(
  disk: Disk,
  path: string,
  checkedFolders?: KnownFolders,
): { readonly fd: number; readonly stat: FileStat } | null {
  const fd = statFile(disk, path, checkedFolders) === null ? null : openIfThere(disk, path);
  if (fd === null) return null;
  try {
    const stat = disk.stat(fd);
    checkPlain(stat, path);
    return { fd, stat };
  } catch (error) {
    closeQuietly(disk, fd);
    throw error;
  }
}

export function fileOnDisk(bytes: Uint8Array, mode: number): FileOnDisk {
  let hash: string | undefined;
  return {
    bytes,
    mode,
    get hash() {
      hash ??= hashOf(bytes);
      return hash;
    },
  };
}

/** Null if it was removed since the last check. */
function openIfThere(disk: Disk, path: string): number | null {
  try {
    return disk.open(path, "read");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Reads to the end. `expected` is only a first guess of the size: the file may have grown. */
export function readToEnd(disk: Disk, fd: number, expected: number): Uint8Array {
  const first = disk.read(fd, 0, expected + 1);
  if (first.length <= expected) return first;
  const parts = [first];
  for (let offset = first.length; ; ) {
    const part = disk.read(fd, offset, 64 * 1024);
    if (part.length === 0) return Buffer.concat(parts);
    parts.push(part);
    offset += part.length;
  }
}

/**
 * Decodes the text. Throws `state-unreadable` if the bytes are not UTF-8, instead of replacing them silently.
 */
export function textOf(bytes: Uint8Array, path: string): string {
  const text = tryTextOf(bytes);
  if (text !== null) return text;
  const offset = firstBadByte(bytes);
  const line = bytes.subarray(0, offset).reduce((lines, byte) => (byte === 10 ? lines + 1 : lines), 1);
  throw new NotText(
    "state-unreadable",
    `The file ${path} is not valid UTF-8: expected text, found invalid bytes in line ${line} (at byte ${offset}).`,
    `Save ${path} as UTF-8 in your editor, or restore an earlier version.`,
  );
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text, including a BOM, or null if the bytes are not UTF-8. */
export function tryTextOf(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** Bisects: any beginning of a valid text decodes as the start of a stream. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isStartOfText(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isStartOfText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The open file may be another one than the checked one. */
function checkPlain(stat: FileStat, path: string): void {
  checkKind(stat, path, "file");
  if (stat.size <= MAX_FILE_BYTES) return;
  throw new PawlError(
    "state-unreadable",
    `${path} is too large: expected at most ${MAX_FILE_BYTES / 1024 / 1024} MB, found ${Math.round(stat.size / 1024 / 1024)} MB.`,
    `Move ${path} away, then run the command again.`,
  );
}

function checkKind(stat: FileStat, path: string, expected: "file" | "folder"): void {
  if (stat.kind === expected) return;
  if (stat.kind === "link")
    throw new PawlError(
      "path-outside-project",
      `${path} is a symbolic link: expected a ${expected}. Pawl follows no links inside a project, because they can lead out of it.`,
      `Replace the link ${path} with a real ${expected}.`,
    );
  const found = stat.kind === "other" ? "something that is neither a file nor a folder" : `a ${stat.kind}`;
  throw new PawlError(
    "state-unreadable",
    `${path} cannot be used: expected a ${expected}, found ${found}.`,
    `Move ${path} away, then run the command again.`,
  );
}
