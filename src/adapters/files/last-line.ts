/** The last line of a growing file, read from its end, however long the file is. */
import { type Disk, withOpen } from "./disk.ts";
import { type KnownFolders, openPlain } from "./read-at.ts";

export interface LastLine {
  /** Without the line break. */
  readonly bytes: Uint8Array;
  /** The size of the file. */
  readonly end: number;
}

const LINE_BREAK = 0x0a;
/** Most lines are shorter. */
const FIRST_BYTES = 16 * 1024;

/** Null: there is no file, or it is empty. */
export function lastLineAt(disk: Disk, path: string, checkedFolders?: KnownFolders): LastLine | null {
  const opened = openPlain(disk, path, checkedFolders);
  if (opened === null) return null;
  const { fd, stat } = opened;
  return withOpen(disk, fd, () => {
    for (let length = FIRST_BYTES; ; length *= 4) {
      const from = Math.max(0, stat.size - length);
      const found = endOf(disk.read(fd, from, stat.size - from), from === 0);
      if (found !== "longer") return found && { ...found, end: stat.size };
    }
  });
}

export function lastLineIn(bytes: Uint8Array): LastLine | null {
  const found = endOf(bytes, true);
  return found === "longer" ? null : found;
}

/** `isWhole`: the bytes begin where the file does. `longer`: the line begins before them. */
function endOf(bytes: Uint8Array, isWhole: boolean): LastLine | null | "longer" {
  if (bytes.length === 0) return isWhole ? null : "longer";
  const end = bytes.at(-1) === LINE_BREAK ? bytes.length - 1 : bytes.length;
  const before = end === 0 ? -1 : bytes.lastIndexOf(LINE_BREAK, end - 1);
  if (before === -1 && !isWhole) return "longer";
  return { bytes: bytes.subarray(before + 1, end), end: bytes.length };
}
