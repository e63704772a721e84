/**
 * The screen of `pawl watch`, drawn by Ink: the list, the details of the row under the cursor, and the keys.
 */
import { Box, type RenderOptions, render, Text, useInput, useWindowSize } from "ink";
import { createElement as h, type ReactElement, useEffect, useReducer, useState } from "react";
import { cut } from "../terminal/text-width.ts";
import { type Act, actsOf, ageOf, type Row, windowOf } from "./rows.ts";

export interface Source {
  rows(): readonly Row[];
  /** The latest event lines about it; may be empty. */
  lines(row: Row): readonly string[];
  /** Why the shown state may be outdated; null: it is current. */
  fault(): string | null;
  /** Calls `changed` after each change; returns a function that unsubscribes. */
  subscribe(changed: () => void): () => void;
  now(): number;
}

export interface Wanted {
  /** Null: the person quits. */
  readonly act: Act | null;
  readonly row: Row | null;
  /** They quit with Ctrl-C. */
  readonly isInterrupted?: true;
}

const KEYS: Readonly<Record<string, Act>> = {
  a: "approve",
  r: "reject",
  w: "answer",
  i: "interject",
  l: "log",
};
const WORDS: Readonly<Record<Act, string>> = {
  review: "Enter look",
  approve: "a approve",
  reject: "r reject",
  answer: "w answer",
  interject: "i interject",
  log: "l log",
};
const SECTIONS: Readonly<Record<Row["section"], string>> = {
  waits: "Waits for you",
  works: "At work",
  rests: "Rests",
};
const COLOURS = { waits: "yellow", works: "cyan", rests: "gray" } as const;
/** Lines besides the list: the heading, the detail below it, the keys, and the blank lines between. */
const OTHER_LINES = 16;
const MOST_LINES = 8;

export type Streams = Pick<RenderOptions, "stdin" | "stdout">;

/**
 * Shows the screen until a key triggers an action. `from`: the row at which the cursor starts. `streams`:
 * instead of the process's own.
 */
export async function showScreen(
  source: Source,
  title: string,
  from: string | null,
  streams: Streams = {},
): Promise<Wanted> {
  let wanted: Wanted = { act: null, row: null };
  const done = (asked: Wanted) => {
    wanted = asked;
    app.unmount();
  };
  const screen = h(Screen, { source, title, from, done });
  const app = render(screen, {
    ...streams,
    alternateScreen: true,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  await app.waitUntilExit();
  return wanted;
}

interface ScreenProps {
  readonly source: Source;
  readonly title: string;
  readonly from: string | null;
  done(wanted: Wanted): void;
}

function Screen({ done, from, source, title }: ScreenProps): ReactElement {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [key, setKey] = useState(from);
  const { columns, rows: height } = useWindowSize();
  useEffect(() => source.subscribe(redraw), [source]);
  const rows = source.rows();
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === key),
  );
  const row = rows[at] ?? null;
  const move = (to: number) => setKey(rows[Math.min(Math.max(0, to), rows.length - 1)]?.key ?? null);
  /** Handles a key; returns whether it triggers an action on this row. */
  const press = (letter: string, now: Row | null): boolean => {
    const act = letter === "\r" ? "review" : (KEYS[letter] ?? null);
    const asks = letter === "q" || (now !== null && act !== null && actsOf(now).includes(act));
    if (asks) done({ act, row: now });
    return asks;
  };
  useInput((input, pressed) => {
    if (pressed.ctrl && input === "c") done({ act: null, row, isInterrupted: true });
    else if (pressed.escape) done({ act: null, row });
    else if (pressed.downArrow) move(at + 1);
    else if (pressed.upArrow) move(at - 1);
    else if (pressed.pageDown) move(at + 10);
    else if (pressed.pageUp) move(at - 10);
    else if (pressed.return) press("\r", row);
    else {
      // Keys that are typed fast arrive together.
      let to = at;
      for (const letter of input)
        if (letter === "j") to = Math.min(to + 1, rows.length - 1);
        else if (letter === "k") to = Math.max(to - 1, 0);
        else if (press(letter, rows[to] ?? null)) return;
      move(to);
    }
  });
  const width = Math.max(20, columns - 2);
  const room = Math.max(1, height - OTHER_LINES);
  const fault = source.fault();
  return h(
    Box,
    { flexDirection: "column", paddingX: 1 },
    h(Text, { bold: true }, cut(`${title}: ${summaryOf(rows)}`, width)),
    fault === null ? null : h(Text, { color: "red" }, cut(fault, width)),
    h(List, { rows, at, room, width, now: source.now() }),
    h(Detail, { row, lines: row === null ? [] : source.lines(row), width }),
    h(Text, { dimColor: true }, cut(keysOf(row), width)),
  );
}

function summaryOf(rows: readonly Row[]): string {
  const count = (section: Row["section"]) => rows.filter((row) => row.section === section).length;
  return `${count("waits")} waiting for you, ${count("works")} at work`;
}

interface ListProps {
  readonly rows: readonly Row[];
  readonly at: number;
  readonly room: number;
  readonly width: number;
  readonly now: number;
}

function List({ at, now, room, rows, width }: ListProps): ReactElement {
  if (rows.length === 0)
    return h(Text, { dimColor: true }, "\nNo run has begun. `pawl status` shows how one begins.\n");
  const { from, to } = windowOf(rows.length, at, room);
  const shown = rows.slice(from, to).flatMap((row, index) => {
    const isFirst = index === 0 || rows[from + index - 1]?.section !== row.section;
    const heading = h(
      Text,
      { key: `# ${row.section}`, bold: true, color: COLOURS[row.section] },
      `\n${SECTIONS[row.section]}`,
    );
    const line = h(
      Text,
      { key: row.key, inverse: from + index === at, color: COLOURS[row.section] },
      lineOf(row, from + index === at, width, now),
    );
    return isFirst ? [heading, line] : [line];
  });
  const hidden = rows.length - (to - from);
  const more = hidden > 0 ? [h(Text, { key: "more", dimColor: true }, `  and ${hidden} more`)] : [];
  return h(Box, { flexDirection: "column" }, ...shown, ...more);
}

/** The cursor's row is marked without colour, too. */
function lineOf(
  { kind, minutes, next, run, since, state, title }: Row,
  isAt: boolean,
  width: number,
  now: number,
): string {
  const age = ageOf(since, now);
  const time = minutes === null ? "" : `, ${minutes} min to read`;
  const name = run.endsWith(title) ? run : `${run} ${title}`;
  const what = kind === null ? `${state}: ${next}` : next;
  const end = age === "" && time === "" ? "" : ` (${age}${time})`;
  return `${isAt ? ">" : " "} ${cut(`${name}: ${what}${end}`, width - 2)}`;
}

interface DetailProps {
  readonly row: Row | null;
  readonly lines: readonly string[];
  readonly width: number;
}

function Detail({ lines, row, width }: DetailProps): ReactElement | null {
  if (row === null) return null;
  const shown = lines.slice(-MOST_LINES);
  return h(
    Box,
    { flexDirection: "column", marginTop: 1, marginBottom: 1 },
    h(Text, { bold: true }, cut(`${row.run}: ${row.title}`, width)),
    h(Text, null, cut(`${row.state}: ${row.next}`, width)),
    row.cost === "" ? null : h(Text, null, cut(`cost so far: ${row.cost}`, width)),
    ...shown.map((line, at) => h(Text, { key: `${at} ${line}`, dimColor: true }, cut(line, width))),
  );
}

function keysOf(row: Row | null): string {
  const acts = row === null ? [] : actsOf(row).map((act) => WORDS[act]);
  return ["j k move", ...acts, "q quit"].join(" · ");
}
