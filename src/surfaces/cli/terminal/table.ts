/** A table that fits the screen: its widest columns shrink first, and their cells are wrapped. */
import type { Paint } from "./terminal.ts";
import { pad, widthOf, wrapPainted } from "./text-width.ts";

/** Rows of cells; the first is the heading. */
export type Cells = readonly (readonly string[])[];

const DELIMITER = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/;

/** More columns fit no screen. */
const MAX_COLUMNS = 100;

/** The cells if the text is a Markdown table that can be shown as one, else null. */
export function parseTable(text: string): Cells | null {
  const [first = "", second = "", ...rest] = text.split("\n");
  if (!first.includes("|") || second.length > 1000 || !DELIMITER.test(second)) return null;
  const cells = [first, ...rest].map(cellsOf);
  return cells.every((row) => row.length <= MAX_COLUMNS) ? cells : null;
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

const GAP = "  ";
const NARROWEST = 4;

export function renderTable(
  cells: Cells,
  columns: number,
  paintCell: (text: string) => string,
  paint: Paint,
): string[] {
  const shown = cells.map((row) => row.map(paintCell));
  const widths = widthsOf(shown, columns);
  const [heading = [], ...rows] = shown;
  return [
    ...renderRow(heading, widths).map(paint.bold),
    paint.dim(widths.map((width) => "─".repeat(width)).join(GAP)),
    ...rows.flatMap((row) => renderRow(row, widths)),
  ];
}

/** Aligned rows without a heading. */
export function alignRows(rows: Cells, columns: number): string[] {
  const widths = widthsOf(rows, columns);
  return rows.flatMap((row) => renderRow(row, widths));
}

function widthsOf(rows: Cells, columns: number): readonly number[] {
  const count = longest(rows, (row) => row.length);
  const natural = Array.from({ length: count }, (_, at) =>
    Math.min(
      columns,
      longest(rows, (row) => widthOf(row[at] ?? ""), 1),
    ),
  );
  const longestWord = (text: string) => longest(text.split(" "), widthOf);
  const words = natural.map((width, at) =>
    Math.min(
      width,
      longest(rows, (row) => longestWord(row[at] ?? ""), NARROWEST),
    ),
  );
  const room = columns - GAP.length * (count - 1);
  const whole = widthsWithin(natural, words, room);
  // If no width keeps every word whole, the longest are broken.
  return sum(whole) <= room
    ? whole
    : widthsWithin(
        whole,
        natural.map(() => NARROWEST),
        room,
      );
}

/** Shrinks the widest column step by step until all fit, or each is at its narrowest. */
function widthsWithin(
  natural: readonly number[],
  narrowest: readonly number[],
  room: number,
): readonly number[] {
  const widths = [...natural];
  for (let over = sum(widths) - room; over > 0; over--) {
    const spare = widths.map((width, at) => (width > (narrowest[at] ?? 0) ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    widths[spare.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** `least` if none is longer. No `Math.max(...all)`: a call takes no more arguments than fit on the stack. */
function longest<Each>(all: readonly Each[], lengthOf: (each: Each) => number, least = 0): number {
  return all.reduce((most, each) => Math.max(most, lengthOf(each)), least);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function renderRow(row: readonly string[], widths: readonly number[]): string[] {
  const parts = widths.map((width, at) => wrapPainted(row[at] ?? "", width, { hard: true }));
  const height = longest(parts, (lines) => lines.length, 1);
  return Array.from({ length: height }, (_, line) =>
    parts
      .map((lines, at) => pad(lines[line] ?? "", widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}
