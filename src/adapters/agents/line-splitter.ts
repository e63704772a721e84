/**
 * Turns bytes into lines. A character split over two chunks stays whole. A line longer than the bound is
 * dropped whole and its size reported, so that output without line breaks cannot fill the memory.
 */
import { StringDecoder } from "node:string_decoder";

/** Characters. */
const MAX_LINE = 64 * 1024 * 1024;

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The end. A last line without a line break is a line too. */
  end(): void;
}

export function splitLines(
  onLine: (line: string) => void,
  onTooLong: (characters: number) => void = () => {},
  maxLine: number = MAX_LINE,
): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  let skipped = 0;
  const add = (text: string) => {
    length += text.length;
    if (length > maxLine) {
      skipped = length;
      parts = [];
    } else parts.push(text);
  };
  const close = () => {
    if (skipped > 0) onTooLong(skipped);
    else onLine(parts.join("").replace(/\r$/, ""));
    parts = [];
    length = 0;
    skipped = 0;
  };
  const read = (text: string) => {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      add(text.slice(from, at));
      close();
      from = at + 1;
    }
    if (from < text.length) add(text.slice(from));
  };
  return {
    push: (chunk) => read(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end: () => {
      read(decoder.end());
      if (length > 0) close();
    },
  };
}
