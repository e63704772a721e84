/** Text measured in screen columns: East Asian letters and most emoji take two, combining marks none. */
import { cleanLine } from "../../../core/text/clean.ts";
import type { Terminal } from "./terminal.ts";
import { sliceAnsi, stringWidth, wrapAnsi } from "./wide-text.ts";

/** Characters of one column each, without escape sequences. */
const PLAIN = /^[ -~]*$/;

export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** No letter takes more characters than this per column, so the rest of a long text need not be measured. */
const MAX_PER_COLUMN = 20;

/** One line of at most `width` columns; an ellipsis replaces what is cut off. */
export function cut(text: string, width: number): string {
  const line = cleanLine(text);
  const room = Math.max(1, width);
  const start = line.slice(0, MAX_PER_COLUMN * room);
  if (start === line && widthOf(line) <= room) return line;
  return `${PLAIN.test(start) ? start.slice(0, room - 1) : sliceAnsi(start, 0, room - 1)}…`;
}

/**
 * Wraps the words into lines of at most `width` columns; a wider word gets a line of its own, or with `hard` is
 * broken.
 */
export function wrap(text: string, width: number, { hard = false } = {}): string[] {
  const line = cleanLine(text);
  if (line === "") return [];
  return PLAIN.test(line) && !hard ? wrapPlain(line, width) : wrapPainted(line, width, { hard });
}

/** Wraps the text beside a mark, within `columns`: lines after the first begin with blanks in the mark's place. */
export function hung(
  mark: string,
  text: string,
  columns: number,
  how: { readonly hard?: boolean } = {},
): string[] {
  const width = widthOf(mark);
  return wrap(text, columns - width, how).map((line, at) => (at === 0 ? mark : " ".repeat(width)) + line);
}

function wrapPlain(line: string, width: number): string[] {
  const [first = "", ...words] = line.split(" ");
  const rows = [first];
  for (const word of words) {
    const row = `${rows.at(-1)} ${word}`;
    if (row.length <= width) rows[rows.length - 1] = row;
    else rows.push(word);
  }
  return rows;
}

/** Padded with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/**
 * Wraps a text that only Pawl has coloured into lines of at most `width` columns; `hard` breaks wider words.
 */
export function wrapPainted(text: string, width: number, { hard = false } = {}): string[] {
  return wrapAnsi(text, Math.max(1, width), { hard }).split("\n");
}

/**
 * Like `wrapPainted`, for a line whose columns are separated by two or more blanks: the rest is indented to
 * one of them.
 */
export function wrapHanging(line: string, width: number): string[] {
  const start = line.slice(0, MAX_PER_COLUMN * width);
  if (start === line && widthOf(line) <= width) return [line];
  const gaps = [...start.matchAll(/\S {2,}(?=\S)/g)].map(({ 0: gap, index }) => index + gap.length);
  const at = gaps.findLast((end) => widthOf(line.slice(0, end)) <= width / 2) ?? 0;
  const indent = widthOf(line.slice(0, at));
  return wrapPainted(line.slice(at), width - indent).map(
    (each, row) => (row === 0 ? line.slice(0, at) : " ".repeat(indent)) + each,
  );
}

/** Wraps each line with `wrapHanging` on a screen; a pipe gets the text unchanged. */
export function hangOnScreen(
  text: string,
  { columns, isScreen }: Pick<Terminal, "columns" | "isScreen">,
): string {
  if (!isScreen) return text;
  return text
    .split("\n")
    .flatMap((line) => wrapHanging(line, columns))
    .join("\n");
}
