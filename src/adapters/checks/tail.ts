import { closeSync, openSync, readSync, renameSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { watchTests } from "../../core/tests-ran.ts";
import { withoutControls } from "../../core/text/clean.ts";
import { REPLACING } from "../files/own-folder.ts";
import { openPlain, readPlainEnd } from "../files/plain-file.ts";
import { writeAll } from "../files/write-whole.ts";
import type { Redactor } from "../process/redact.ts";

const MAX_BYTES = 4_000;
const MAX_LINES = 40;

/** The last lines of a file, without control sequences and known secrets; empty if there is no file. */
export function tailOf(path: string, redactor: Redactor): string {
  try {
    // The window may begin inside a secret, so read that much more, and cut it off after masking.
    const { bytes, isCut } = readPlainEnd(path, MAX_BYTES + redactor.longest);
    const text = withoutControls(
      lastBytes(redactor.text(bytes.toString("utf8")), MAX_BYTES).replace(/\r\n?/g, "\n"),
    );
    const lines = text.trimEnd().split("\n").slice(-MAX_LINES);
    // A cut may fall inside a character or a line.
    if (isCut && lines.length > 1) lines.shift();
    return lines.join("\n");
  } catch {
    return "";
  }
}

/** More output is no run of nothing. */
const MAX_OF_NOTHING = 1024 * 1024;

/** Whether the output is a test runner's that ran no test. */
export function ranNoTest(path: string): boolean {
  return attempt(() => {
    const { bytes, isCut } = readPlainEnd(path, MAX_OF_NOTHING);
    const tests = watchTests();
    for (const line of isCut ? [] : bytes.toString("utf8").split("\n")) tests.read(line);
    return tests.ranNone();
  }, false);
}

function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length <= most ? text : bytes.subarray(bytes.length - most).toString("utf8");
}

/** Replaces the file with its text without known secrets, atomically. */
export function maskFile(path: string, redactor: Redactor): void {
  const { file: from } = openPlain(path);
  try {
    const to = openSync(`${path}.masked`, REPLACING, 0o600);
    try {
      const stream = redactor.stream();
      const chunk = Buffer.alloc(64 * 1024);
      for (let read = readSync(from, chunk); read > 0; read = readSync(from, chunk))
        writeAll(to, stream.push(chunk.subarray(0, read)));
      writeAll(to, stream.end());
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
  renameSync(`${path}.masked`, path);
}
