/** Pawl's own small files, for code that writes them without the store. It follows no link in their place. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { REPLACING } from "./own-folder.ts";

export function writeAll(file: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
  return bytes.byteLength;
}

/** Writes a small file atomically: a reader sees the old one or the new one, and of two writers the last one stays. */
export function writeWhole(path: string, text: string): void {
  // Another process may write the same file at this moment: two loops keep one note.
  const draft = `${path}.${process.pid}.new`;
  const file = openSync(draft, REPLACING, 0o600);
  try {
    try {
      writeAll(file, Buffer.from(text));
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
