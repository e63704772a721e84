/**
 * The files of one event log: the earlier parts, renamed because they were long, in order, and the log
 * itself.
 */

import { closeSync, constants, readdirSync, readSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { asideNames } from "../../core/log-parts.ts";
import { HARMLESS, openPlain } from "../files/plain-file.ts";

/** Bytes; of a longer first line only the beginning counts. */
const LONGEST_FIRST = 64 * 1024;
export const LINE_END = 10;

interface Aside {
  readonly path: string;
  readonly size: number;
}

interface LogParts {
  readonly aside: readonly Aside[];
  /** Open; null: there is no log after the renamed parts. */
  readonly log: FileHandle | null;
}

/** The parts of one moment. The caller closes the log. */
export async function openLogParts(path: string): Promise<LogParts> {
  for (;;) {
    const aside = asideOf(path);
    const log = await openIfThere(path);
    try {
      // A rename between the two checks would hide a part from one of them.
      if (asideOf(path).length === aside.length) return { aside: await withoutCopy(aside, log), log };
    } catch (thrown) {
      await log?.close();
      throw thrown;
    }
    await log?.close();
  }
}

/** The renamed parts beside the log. A link is no part. */
function asideOf(path: string): readonly Aside[] {
  const folder = dirname(path);
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  const names = asideNames(entries.flatMap((each) => (each.isFile() ? [each.name] : [])));
  return names.flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats ? [{ path: join(folder, name), size: stats.size }] : [];
  });
}

/** The last part is a copy if its renaming was interrupted. */
async function withoutCopy(aside: readonly Aside[], log: FileHandle | null): Promise<readonly Aside[]> {
  const last = aside.at(-1);
  if (last === undefined || log === null) return aside;
  const generation = await generationOf(log);
  const isCopy = generation !== null && generation === (await withFile(last.path, generationOf));
  return isCopy ? aside.slice(0, -1) : aside;
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | HARMLESS).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw cause.code === "ELOOP" ? notPlainFileError(path, cause) : cause;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  throw notPlainFileError(path);
}

function notPlainFileError(path: string, cause?: Error): PawlError {
  return new PawlError(
    "state-unreadable",
    `${path} cannot be used: expected a file, found a link, a folder, a pipe or a device.`,
    `Move ${path} away, then run the command again.`,
    cause,
  );
}

/** Null: there is no such file. */
export async function withFile<T>(
  path: string,
  use: (file: FileHandle) => Promise<T | null>,
): Promise<T | null> {
  const file = await openIfThere(path);
  try {
    return file && (await use(file));
  } finally {
    await file?.close();
  }
}

/** The hash of the first line; null: it has no whole line. */
export async function generationOf(file: FileHandle): Promise<string | null> {
  return generationIn(await bytesAt(file, 0, LONGEST_FIRST));
}

/** The generation of the whole log, for callers that cannot wait; null as well if there is no log. */
export function generationNow(path: string): string | null {
  const bytes = Buffer.alloc(LONGEST_FIRST);
  const file = attempt(() => openPlain(asideOf(path)[0]?.path ?? path).file, null);
  if (file === null) return null;
  try {
    return generationIn(bytes.subarray(0, readSync(file, bytes, 0, LONGEST_FIRST, 0)));
  } finally {
    closeSync(file);
  }
}

/** From the log's first bytes: its first line, or as much of it as counts. */
function generationIn(bytes: Buffer): string | null {
  const end = bytes.indexOf(LINE_END);
  if (end < 0 && bytes.length < LONGEST_FIRST) return null;
  const first = end < 0 ? bytes : bytes.subarray(0, end);
  return hashOf(first).slice(0, 16);
}

export async function bytesAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, to - from));
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
