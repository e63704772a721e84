/**
 * The text of tasks.yaml cut, without parsing it, into the tasks of its list and what stands around them. The cuts are
 * guesses by the look of the lines: `read.ts` uses them only where each piece means by itself what it means in the whole.
 */

import { piecesOf, type Text, wholeOf } from "../core/long-text.ts";

export interface Pieces {
  /** Up to the first task, `tasks:` included. */
  readonly head: string;
  /** Each begins with its dash's line and has at least one line break, but for none at the end of the text. */
  readonly entries: readonly string[];
  /** What follows the list; empty, where nothing does. */
  readonly tail: string;
}

const TASKS = /^\uFEFF?tasks[ \t]*:[ \t]*(?:#.*)?\r?$/m;

/** Null: `tasks` is no list of lines of its own. The pieces in order are the text. */
export function split(given: Text): Pieces | null {
  const text = wholeOf(given);
  const key = TASKS.exec(text);
  if (key === null) return null;
  const starts: number[] = [];
  let column = -1;
  let at = nextLine(text, key.index + key[0].length);
  for (; at < text.length; at = nextLine(text, at)) {
    const first = indented(text, at);
    const indent = first - at;
    if (isBlank(text, first) || (column >= 0 && indent > column)) continue;
    const isEntry = isDash(text, first) && (column < 0 || indent === column);
    if (!isEntry) break;
    column = indent;
    starts.push(at);
  }
  const [first] = starts;
  if (first === undefined) return null;
  const entries = starts.map((start, index) => text.slice(start, starts[index + 1] ?? at));
  // How the file ends its lines must show in every entry.
  if (!entries.every((entry) => entry.includes("\n"))) return null;
  return { head: text.slice(0, first), entries: asGiven(entries, given), tail: text.slice(at) };
}

/** The very strings of which the text was made, wherever they are the same: comparing these costs nothing. */
function asGiven(entries: readonly string[], given: Text): readonly string[] {
  const [, ...pieces] = piecesOf(given);
  return entries.map((entry, at) => (pieces[at] === entry ? (pieces[at] as string) : entry));
}

/** The same, found by the pieces of a text like this one; null: it is not that much like it. */
export function splitLike(text: Text, known: Pieces): Pieces | null {
  return splitAsLaid(text, known) ?? cutLike(wholeOf(text), known);
}

/** By the pieces of which the text itself is made. */
function splitAsLaid(text: Text, { head, entries: before, tail }: Pieces): Pieces | null {
  const [first, ...pieces] = piecesOf(text);
  const last = pieces.at(-1) ?? "";
  if (first !== head || !last.endsWith(tail)) return null;
  if (tail !== "") pieces[pieces.length - 1] = last.slice(0, last.length - tail.length);
  const column = indented(before[0] ?? "", 0);
  const isEntry = (piece: string, at: number) => {
    // What another entry followed has the end of its last line.
    if (piece === before[at] && at < before.length - 1) return true;
    const mayBeOpen = at === pieces.length - 1 && tail === "";
    return isOneEntry(piece, column) && (mayBeOpen || piece.endsWith("\n"));
  };
  return pieces.length > 0 && pieces.every(isEntry) ? { head, entries: pieces, tail } : null;
}

function isOneEntry(piece: string, column: number): boolean {
  const begins = (at: number) => indented(piece, at) === at + column && isDash(piece, at + column);
  return entryAt(piece, { at: 0, end: piece.length, begins, column }) === piece;
}

function cutLike(text: string, { head, entries: before, tail }: Pieces): Pieces | null {
  const end = text.length - tail.length;
  const first = before[0] ?? "";
  if (head === "" || end <= head.length || !text.startsWith(head) || !text.endsWith(tail)) return null;
  const column = indented(first, 0);
  const begins = (at: number) => indented(text, at) === at + column && isDash(text, at + column);
  const entries: string[] = [];
  for (let at = head.length; at < end; ) {
    const known = before[entries.length] ?? "";
    const next = at + known.length;
    // What has no end of its last line stays only where nothing follows it.
    const mayStay = known !== "" && next <= end && (known.endsWith("\n") || next === text.length);
    // A slice is compared as bytes, which `startsWith` is not.
    const stays = mayStay && text.slice(at, next) === known;
    const entry = stays ? known : entryAt(text, { at, end, begins, column });
    if (entry === null) return null;
    entries.push(entry);
    at += entry.length;
  }
  return { head, entries, tail };
}

interface Place {
  readonly at: number;
  readonly end: number;
  readonly column: number;
  readonly begins: (at: number) => boolean;
}

function entryAt(text: string, { at, begins, column, end }: Place): string | null {
  if (!begins(at)) return null;
  let next = nextLine(text, at);
  for (; next < end && !begins(next); next = nextLine(text, next)) {
    const sign = indented(text, next);
    if (sign - next <= column && !isBlank(text, sign)) return null;
  }
  const entry = text.slice(at, next);
  return next <= end && entry.includes("\n") ? entry : null;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function indented(text: string, start: number): number {
  let at = start;
  while (text[at] === " ") at++;
  return at;
}

/** Whether nothing but a comment stands on the rest of the line. */
function isBlank(text: string, at: number): boolean {
  const next = text[at];
  return next === "#" || isEnd(text, at);
}

function isDash(text: string, at: number): boolean {
  return text[at] === "-" && (text[at + 1] === " " || isEnd(text, at + 1));
}

function isEnd(text: string, at: number): boolean {
  const next = text[at];
  return next === undefined || next === "\n" || (next === "\r" && text[at + 1] === "\n");
}
