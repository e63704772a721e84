/**
 * Pawl's own small files, for code that writes them without the store. It replaces a link instead of
 * following it.
 */
import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

export function writeAll(file: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
  return bytes.byteLength;
}

/**
 * Writes a small file atomically: a reader gets the old one or the new one, and the last of two writers wins.
 */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): void {
  // Named by process, since another one may write the same file at this moment.
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", mode);
  try {
    try {
      writeAll(file, Buffer.from(content));
      fchmodSync(file, mode);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
