/** Whether something large fits on the disk and leaves room for the small files that Pawl writes meanwhile. */
import { statfsSync } from "node:fs";

const MEGABYTE = 2 ** 20;
/** Bytes that stay free. */
const RESERVE = 64 * MEGABYTE;
/** The disk is looked at after so many bytes; less is written without a look. */
const STEP = 16 * MEGABYTE;

/** Why so many bytes more do not fit on the folder's disk; null: they fit, or the disk does not say. */
export function lackOfSpace(folder: string, bytes: number): string | null {
  if (bytes < STEP) return null;
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (blocks === 0 || free - bytes >= RESERVE) return null;
  return `the disk has ${Math.floor(free / MEGABYTE)} MB left; free some space`;
}

/** The same before each chunk of something large, of which so many bytes are written already. */
export function lackForChunk(folder: string, written: number, chunk: Uint8Array): string | null {
  const isStep = Math.floor(written / STEP) < Math.floor((written + chunk.length) / STEP);
  return isStep ? lackOfSpace(folder, STEP) : null;
}
