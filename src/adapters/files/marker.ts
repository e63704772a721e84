/**
 * The applied marker: how much of the journal is applied, so that a person's later edit of an applied file is not
 * mistaken for something in the way. It is never synced, so it is trusted only within the same start of the machine:
 * after a power cut it may be ahead of the files.
 */

import { MARKER } from "./control.ts";
import { type Disk, withFile, writeAll } from "./disk.ts";
import { hashOf } from "./hash.ts";

export interface Applied {
  /** Bytes of the journal whose records are applied. */
  readonly length: number;
  /** The sequence of the last record ever applied; sequences never start again within one start of the machine. */
  readonly sequence: number;
}

/** One short write of fixed width: nobody sees half of it, and it needs no truncation. */
const WIDTH = 160;

/** Null where there is none that can be trusted. */
export function readMarker(disk: Disk): Applied | null {
  const boot = disk.bootId();
  if (boot === null || disk.lstat(MARKER) === null) return null;
  const text = withFile(disk, MARKER, "read", (fd) =>
    Buffer.from(disk.read(fd, 0, WIDTH)).toString("latin1"),
  );
  const match = /^(pawl-applied 1 (\S+) (\d+) (\d+)) ([0-9a-f]{16})\s*$/.exec(text);
  if (match === null || match[2] !== boot || seal(match[1] ?? "") !== match[5]) return null;
  return { length: Number(match[3]), sequence: Number(match[4]) };
}

export function writeMarker(disk: Disk, applied: Applied): void {
  const text = `pawl-applied 1 ${disk.bootId()} ${applied.length} ${applied.sequence}`;
  const line = `${`${text} ${seal(text)}`.padEnd(WIDTH - 1)}\n`;
  withFile(disk, MARKER, "update", (fd) => writeAll(disk, fd, Buffer.from(line), 0));
}

function seal(text: string): string {
  return hashOf(text).slice(0, 16);
}
