/**
 * A run's output on disk, of bounded size. A full file becomes `NAME.old`, replacing the previous one, and a
 * new one begins, so the last part is always there. A failed write (full disk) never ends a run; it is
 * reported.
 */
import { closeSync, openSync, renameSync } from "node:fs";
import { REPLACING } from "../files/own-folder.ts";
import { writeAll } from "../files/write-whole.ts";

const MAX_BYTES = 8 * 1024 * 1024;

export interface OutputFile {
  write(chunk: Uint8Array): void;
  close(): void;
  /** Why the file is incomplete, or null. */
  readonly fault: () => string | null;
}

export function openOutput(path: string, maxBytes: number = MAX_BYTES): OutputFile {
  let file = -1;
  let size = 0;
  let fault: string | null = null;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      fault ??= thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  const begin = () => {
    file = openSync(path, REPLACING, 0o600);
    size = 0;
  };
  attempt(begin);
  return {
    write: (chunk) =>
      attempt(() => {
        if (size > 0 && size + chunk.byteLength > maxBytes) {
          closeSync(file);
          renameSync(path, `${path}.old`);
          begin();
        }
        const kept = chunk.byteLength > maxBytes ? chunk.subarray(chunk.byteLength - maxBytes) : chunk;
        if (file >= 0) size += writeAll(file, kept);
      }),
    close: () => {
      if (file >= 0)
        attempt(() => {
          closeSync(file);
        });
      file = -1;
    },
    fault: () => fault,
  };
}
