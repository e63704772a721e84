import { writeSync } from "node:fs";

/** Writes the whole text, waiting while a pipe is full; returns false if the reader is gone. */
export function writeWhole(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return true;
}
