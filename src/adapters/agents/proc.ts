/** Reads Linux's /proc. */
import { closeSync, openSync, readSync } from "node:fs";

const BUFFER = Buffer.alloc(256 * 1024);

/**
 * Reads a file of /proc; empty if the process is gone or not ours. Uses one shared buffer, since it runs for
 * every process.
 */
export function readProc(path: string): string {
  let file = -1;
  try {
    file = openSync(path, "r");
    let size = 0;
    for (let got = -1; got !== 0 && size < BUFFER.length; size += got)
      got = readSync(file, BUFFER, size, BUFFER.length - size, null);
    return BUFFER.toString("latin1", 0, size);
  } catch {
    return "";
  } finally {
    if (file >= 0) closeSync(file);
  }
}

/**
 * The fields of a process's stat from the third (its state) on. The program's name before them is in
 * parentheses and may hold any character. Empty if the process is gone.
 */
export function statOf(pid: number | string): readonly string[] {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** When a process began, in the kernel's own count; undefined if unknown. */
export function startOf(pid: number | undefined): number | undefined {
  const start = pid === undefined ? undefined : statOf(pid)[19];
  return start === undefined ? undefined : Number(start);
}
