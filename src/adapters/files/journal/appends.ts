/** Appends so that a repeat is harmless. */

import { type Disk, withOpen, writeAll } from "../disk.ts";
import { readAt, statFile } from "../read-at.ts";
import { isPieceOf } from "./chain.ts";
import type { Append } from "./steps.ts";
import { ensureFolders, openInside } from "./temporary.ts";

export interface Appending {
  readonly disk: Disk;
  readonly fresh: boolean;
  readonly torn: boolean;
}

/** Appends without gaps between them. */
interface Run {
  readonly offset: number;
  readonly appends: readonly Append[];
  readonly bytes: Buffer;
}

export function applyAppends(
  { disk, fresh, torn }: Appending,
  path: string,
  appends: readonly Append[],
): void {
  for (const run of runsOf(appends)) {
    if (fresh && (statFile(disk, path)?.size ?? 0) === run.offset && appendAtEnd(disk, path, run.bytes))
      continue;
    settleRun(disk, path, run, torn);
  }
}

/** The file's content once the appends are applied to these bytes. */
export function withAppends(before: Uint8Array, appends: readonly Append[], torn: boolean): Uint8Array {
  let bytes = Buffer.from(before);
  for (const run of runsOf(appends)) {
    const lack = lackOf(bytes, run, torn);
    if (lack === "torn") {
      const end = run.offset + run.bytes.length;
      bytes = Buffer.concat([bytes.subarray(0, run.offset), run.bytes, bytes.subarray(end)]);
    } else for (const { text } of lack) bytes = Buffer.concat([bytes, Buffer.from(onItsLine(text, bytes))]);
  }
  return bytes;
}

function settleRun(disk: Disk, path: string, run: Run, torn: boolean): void {
  const bytes = Buffer.from(readAt(disk, path)?.bytes ?? new Uint8Array());
  const lack = lackOf(bytes, run, torn);
  if (lack === "torn") {
    ensureFolders(disk, path);
    withOpen(disk, openInside(disk, path, "update"), (fd) => writeAll(disk, fd, run.bytes, run.offset));
    return;
  }
  for (const { text } of lack)
    appendAtEnd(disk, path, Buffer.from(onItsLine(text, readAt(disk, path)?.bytes ?? new Uint8Array())));
}

/**
 * Compares the file with the appends. The same bytes: returns nothing to append. Torn bytes: `torn`, to be
 * overwritten in place. Other bytes or a shorter file (edited or rotated): returns the appends whose ids are
 * not in the file, for its end.
 */
function lackOf(bytes: Buffer, run: Run, torn: boolean): "torn" | readonly Append[] {
  const { offset } = run;
  const there = bytes.subarray(offset, offset + run.bytes.length);
  if (bytes.length >= offset + run.bytes.length && there.equals(run.bytes)) return [];
  if (bytes.length >= offset && isTorn(bytes.subarray(offset), run.bytes, torn)) return "torn";
  return run.appends.filter(({ id }) => !bytes.includes(id));
}

/** Starts on a new line, never in the middle of one. */
function onItsLine(text: string, before: Uint8Array): string {
  const glued = before.length > 0 && before.at(-1) !== 0x0a && text.endsWith("\n");
  return glued ? `\n${text}` : text;
}

/** Whether only a beginning of these bytes is there; after a power cut also zeros in their place. */
function isTorn(tail: Uint8Array, expected: Buffer, torn: boolean): boolean {
  if (torn) return isPieceOf(tail.subarray(0, expected.length), expected);
  return tail.length <= expected.length && expected.subarray(0, tail.length).equals(tail);
}

/** Appends, and returns whether the file has the bytes: a person may have replaced it during the write. */
function appendAtEnd(disk: Disk, path: string, bytes: Uint8Array): boolean {
  ensureFolders(disk, path);
  return withOpen(disk, openInside(disk, path, "append"), (fd) => {
    writeAll(disk, fd, bytes, 0);
    return disk.stat(fd).inode === disk.lstat(path)?.inode;
  });
}

function runsOf(appends: readonly Append[]): readonly Run[] {
  const runs: Run[] = [];
  for (const append of appends) {
    const bytes = Buffer.from(append.text);
    const last = runs.at(-1);
    if (last !== undefined && last.offset + last.bytes.length === append.offset) {
      runs[runs.length - 1] = {
        offset: last.offset,
        appends: [...last.appends, append],
        bytes: Buffer.concat([last.bytes, bytes]),
      };
    } else {
      runs.push({ offset: append.offset, appends: [append], bytes });
    }
  }
  return runs;
}
