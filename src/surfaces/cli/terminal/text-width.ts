/** Text measured in screen columns: East Asian letters and most emoji take two, combining marks none. */
import { cleanLine } from "../../../core/text/clean.ts";
import { hangAt, holdCommands, isPlain, released, wrapPlain } from "./plain-text.ts";
import { sliceAnsi, stringWidth, wrapAnsi } from "./wide-text.ts";

export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** No letter takes more characters than this per column, so the rest of a long text need not be measured. */
const MAX_PER_COLUMN = 20;

/** One line of at most `width` columns; an ellipsis replaces what is cut off. */
export function cut(text: string, width: number): string {
  const line = cleanLine(text);
  const room = Math.max(1, width);
  const start = line.slice(0, MAX_PER_COLUMN * room);
  if (start === line && widthOf(line) <= room) return line;
  return `${isPlain(start) ? start.slice(0, room - 1) : sliceAnsi(start, 0, room - 1)}…`;
}

/**
 * Wraps the words into lines of at most `width` columns; a wider word gets a line of its own, or with `hard` is
 * broken.
 */
export function wrap(text: string, width: number, { hard = false } = {}): string[] {
  const line = cleanLine(text);
  if (line === "") return [];
  const held = holdCommands(line, width);
  return (isPlain(line) && !hard ? wrapPlain(held, width) : wrapPainted(held, width, { hard })).map(released);
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
 * Like `wrapPainted`, for a line that is indented, begins with the mark of a list, or has columns that are separated by two
 * or more blanks: the rest is indented to one of them.
 */
export function wrapHanging(line: string, width: number): string[] {
  const start = line.slice(0, MAX_PER_COLUMN * width);
  if (start === line && widthOf(line) <= width) return [line];
  const at = hangAt(start, (before) => widthOf(before) <= width / 2);
  const indent = widthOf(line.slice(0, at));
  return wrapPainted(holdCommands(line.slice(at), width - indent), width - indent).map(
    (each, row) => (row === 0 ? line.slice(0, at) : " ".repeat(indent)) + released(each),
  );
}

/** Each line of the text, wrapped with `wrapHanging`. */
export function wrapLines(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => wrapHanging(line, width))
    .join("\n");
}
