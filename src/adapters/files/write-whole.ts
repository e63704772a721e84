/** Pawl's own small files, for code that writes them without the store. It follows no link in their place. */
import { closeSync, openSync, renameSync, writeSync } from "node:fs";
import { REPLACING } from "./own-folder.ts";

export function writeAll(file: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
  return bytes.byteLength;
}

/** Writes a small file atomically: a reader sees the old one or the new one. */
export function writeWhole(path: string, text: string): void {
  const file = openSync(`${path}.new`, REPLACING, 0o600);
  try {
    writeAll(file, Buffer.from(text));
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
