import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAX_BYTES = 4_000;
const MAX_LINES = 40;

/** The last lines of a file, without control sequences; empty where there is none. */
export function tailOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const length = Math.min(size, MAX_BYTES);
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, size - length);
      const text = plain(bytes.toString("utf8"));
      const lines = text.trimEnd().split("\n").slice(-MAX_LINES);
      // A cut may fall within a character or a line.
      if (length < size && lines.length > 1) lines.shift();
      return lines.join("\n");
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/** Without colours, cursor movements and other control characters but the line break and the tab. */
function plain(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is taken out
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g, "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
  );
}
