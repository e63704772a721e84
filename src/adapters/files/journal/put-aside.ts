/**
 * Renames a long event log. Needs the project's lock, and a journal that was just settled: then no record has
 * anything left to append to the file, and all of it is synced.
 *
 * A1  The new name is synced before the old one goes, so at each moment at least one of them is on the disk.
 * A2  If both names are there, as after a crash, the part is a copy and is removed first.
 */
import { EVENTS } from "../../../core/event.ts";
import { asideName, asideNames, asideNumber } from "../../../core/log-parts.ts";
import { CONTROL } from "../control.ts";
import { type Disk, withFile } from "../disk.ts";
import { statFile } from "../read-at.ts";

const NEWLINE = 0x0a;
/** Bytes that surely include the first event's id. */
const START = 64 * 1024;

export function putAsideIfLong(disk: Disk, limit: number): void {
  const size = statFile(disk, EVENTS)?.size ?? 0;
  // A program is still writing the last line: its two parts must stay in one file.
  if (size <= limit || bytesOf(disk, EVENTS, size - 1, 1)[0] !== NEWLINE) return;
  const names = asideNames(disk.list(CONTROL).flatMap(({ kind, name }) => (kind === "file" ? [name] : [])));
  const last = names.at(-1);
  const isCopy = last !== undefined && isSameLog(disk, `${CONTROL}/${last}`);
  if (isCopy) {
    disk.unlink(`${CONTROL}/${last}`);
    disk.fsyncFolder(CONTROL);
  }
  const number = asideNumber(last ?? "") ?? 0;
  disk.link(EVENTS, `${CONTROL}/${asideName(isCopy ? number : number + 1)}`);
  disk.fsyncFolder(CONTROL);
  disk.unlink(EVENTS);
}

/** Whether the part begins with the log's first event. */
function isSameLog(disk: Disk, part: string): boolean {
  const first = firstLine(disk, EVENTS);
  return first.length > 0 && Buffer.from(first).equals(firstLine(disk, part));
}

function firstLine(disk: Disk, path: string): Uint8Array {
  const bytes = bytesOf(disk, path, 0, START);
  return bytes.subarray(0, bytes.indexOf(NEWLINE) + 1);
}

function bytesOf(disk: Disk, path: string, from: number, length: number): Uint8Array {
  return withFile(disk, path, "read", (fd) => disk.read(fd, from, length));
}
