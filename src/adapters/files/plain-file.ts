/**
 * Reads files and folders in places that an agent may write: its worktree, and Pawl's own folder if there is no wall. The
 * caller checks the parent folders (`own-folder.ts`, `read-at.ts`).
 *
 * D1  Only a regular file is opened. A FIFO or a device would block this process's only thread for ever.
 * D2  No link is followed, even if it takes the file's place between check and opening.
 * D3  Reads have a size limit: a sparse file of gigabytes costs its author nothing. So have listings: a million
 *     names take a second to make, and hundreds of megabytes to read at once.
 *
 * Other programs, such as git, do wait for a FIFO: `findPipe` says for which one.
 */
import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  existsSync,
  fstatSync,
  opendirSync,
  openSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";

/** Absent on Windows. */
export const HARMLESS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Bytes. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Throws as `openSync` does, and if the path is no regular file. */
export function openPlain(path: string, flags = HARMLESS): { readonly file: number; readonly size: number } {
  const file = openSync(path, constants.O_RDONLY | flags);
  try {
    const stats = fstatSync(file);
    const code = stats.isDirectory() ? "EISDIR" : "EINVAL";
    if (!stats.isFile()) throw Object.assign(new Error(`${code}: ${path} is no regular file`), { code });
    return { file, size: stats.size };
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

const OPEN_FILES = "/proc/self/fd";

/**
 * Opens the regular file at the path below a folder without links, one component after the other: a link in the place of a
 * folder is not followed, even if it comes between two of them. `copyFrom`: a name of the open file itself. Where the
 * system has no such names (macOS, where there is no wall either), a moment remains.
 */
export function openBelow(root: string, path: string): { readonly file: number; readonly copyFrom: string } {
  const hasNames = existsSync(OPEN_FILES);
  const names = path.split("/");
  const last = names.pop() ?? "";
  let at = root;
  let folder: number | null = null;
  try {
    for (const name of names) {
      const next = openSync(join(at, name), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | HARMLESS);
      if (folder !== null) closeSync(folder);
      folder = next;
      at = hasNames ? `${OPEN_FILES}/${folder}` : join(at, name);
    }
    const { file } = openPlain(join(at, last));
    return { file, copyFrom: hasNames ? `${OPEN_FILES}/${file}` : join(root, path) };
  } finally {
    if (folder !== null) closeSync(folder);
  }
}

/** The whole file. Throws as well if it has more than `most` bytes. */
export function readPlain(path: string, most = MAX_FILE_BYTES, flags = HARMLESS): Buffer {
  const { file, size } = openPlain(path, flags);
  try {
    if (size > most)
      throw Object.assign(new Error(`EFBIG: ${path} has more than ${most} bytes`), { code: "EFBIG" });
    const bytes = Buffer.alloc(size);
    let read = 0;
    for (let more = 1; more > 0 && read < size; read += more)
      more = readSync(file, bytes, read, size - read, read);
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

/** The last bytes of the file, `most` of them. `isCut`: there are more before them. Throws as `openPlain` does. */
export function readPlainEnd(
  path: string,
  most: number,
): { readonly bytes: Buffer; readonly isCut: boolean } {
  const { file, size } = openPlain(path);
  try {
    const bytes = Buffer.alloc(Math.min(size, most));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { bytes: bytes.subarray(0, read), isCut: size > most };
  } finally {
    closeSync(file);
  }
}

export function readPlainText(path: string, most = MAX_FILE_BYTES): string {
  return readPlain(path, most).toString("utf8");
}

/** The same where a person may have put a link, such as settings that they share between projects. */
export function readLinkedText(path: string, most = MAX_FILE_BYTES): string {
  return readPlain(path, most, HARMLESS & ~(constants.O_NOFOLLOW ?? 0)).toString("utf8");
}

/** The first entries of a folder, in no order. Throws as `opendirSync` does. */
export function firstEntries(folder: string, most: number): readonly Dirent[] {
  const open = openFolder(folder, Math.min(most + 1, 1024));
  try {
    const entries: Dirent[] = [];
    for (let entry = open.readSync(); entry !== null && entries.length < most; entry = open.readSync())
      entries.push(entry);
    return entries;
  } finally {
    open.closeSync();
  }
}

/** Node's error names no path. */
function openFolder(folder: string, bufferSize: number): Dir {
  try {
    return opendirSync(folder, { bufferSize });
  } catch (thrown) {
    throw Object.assign(thrown as NodeJS.ErrnoException, { path: folder });
  }
}

export function firstNames(folder: string, most: number): readonly string[] {
  return firstEntries(folder, most).map(({ name }) => name);
}

const MAX_FOLDERS = 20_000;
const MAX_NAMES = 10_000;

/**
 * The path of a FIFO or device in the folder or below that `isRead` names, by its folder and its name; null: there is
 * none. Follows no link.
 */
export async function findPipe(
  folder: string,
  isRead: (at: string, name: string) => boolean,
): Promise<string | null> {
  const open = [folder];
  for (let count = 0; open.length > 0 && count < MAX_FOLDERS; count++) {
    const at = open.shift() ?? "";
    for (const entry of attempt(() => firstEntries(at, MAX_NAMES), [])) {
      if (entry.isDirectory()) open.push(join(at, entry.name));
      else if ((entry.isFIFO() || entry.isCharacterDevice()) && isRead(at, entry.name))
        return join(at, entry.name);
    }
    // This process has other work.
    if (count % 50 === 49) await setImmediate();
  }
  return null;
}
