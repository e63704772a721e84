/**
 * Cuts the text of tasks.yaml, without parsing it, into the tasks of its list and the text around them. The
 * cuts are guesses by the form of the lines: `read.ts` uses them only if each piece alone means the same as
 * in the whole.
 */

export interface Pieces {
  /** Up to the first task, `tasks:` included. */
  readonly head: string;
  /**
   * Each begins with its dash's line and has at least one line break, but for none at the end of the text.
   */
  readonly entries: readonly string[];
  /** The text after the list; empty: there is none. */
  readonly tail: string;
}

const TASKS = /^\uFEFF?tasks[ \t]*:[ \t]*(?:#.*)?\r?$/m;

/** Null: `tasks` is no list on lines of its own. The pieces in order are the text. */
export function split(text: string): Pieces | null {
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
  // Every entry must show the file's kind of line break.
  if (!entries.every((entry) => entry.includes("\n"))) return null;
  return { head: text.slice(0, first), entries, tail: text.slice(at) };
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

/** Whether the rest of the line is blank or a comment. */
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
