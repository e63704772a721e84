/**
 * The screen of `pawl watch`, drawn by Ink: a list, and the detail of the row under the cursor, beside it or
 * in its place. The order of the waiting rows stays until the person asks for the new ones.
 */
import { type RenderOptions, render, Text, useInput, useWindowSize } from "ink";
import { createElement as h, type ReactElement, useEffect, useReducer, useRef, useState } from "react";
import { cleanLine } from "../../../core/text/clean.ts";
import { PHASES } from "../../../runtime/reports/state-words.ts";
import type { Paint } from "../terminal/terminal.ts";
import { cut, pad, widthOf, wrap } from "../terminal/text-width.ts";
import { detailOf, type Findings } from "./detail.ts";
import { ageOf, type Deed, deedsOf, matchesSearch, type Row, settled, windowOf } from "./rows.ts";

export interface Source {
  rows(): readonly Row[];
  /** What is known about the row; asks for the rest of it. */
  findings(row: Row): Findings;
  /** The accounts of agents, in a line; null: none is known. */
  accounts(): string | null;
  /** Why the shown state may be outdated; null: it is current. */
  fault(): string | null;
  /** Calls `changed` after each change; returns a function that unsubscribes. */
  subscribe(changed: () => void): () => void;
  now(): number;
}

/** What stays while the screen is away for a command. */
export interface Kept {
  readonly key: string | null;
  readonly sought: string;
  readonly isOpen: boolean | null;
  /** What the last command said; empty: nothing. */
  readonly said: string;
}

export interface Wanted {
  /** Null: the person quits. */
  readonly act: Deed["act"] | null;
  readonly row: Row | null;
  /** What they typed for it. */
  readonly words: string;
  readonly kept: Kept;
  /** They quit with Ctrl-C. */
  readonly isInterrupted?: true;
}

export const AT_FIRST: Kept = { key: null, sought: "", isOpen: null, said: "" };

/** From this width on, list and detail are side by side. */
const WIDE = 100;
/** From this height on, the accounts have a line. */
const HIGH = 16;
const MAX_SAID = 4;

export type Streams = Pick<RenderOptions, "stdin" | "stdout">;

/** Shows the screen until a key asks for something outside of it. `streams`: instead of the process's own. */
export async function showScreen(
  source: Source,
  { kept, paint, title }: { readonly title: string; readonly kept: Kept; readonly paint: Paint },
  streams: Streams = {},
): Promise<Wanted> {
  let wanted: Wanted = { act: null, row: null, words: "", kept };
  const done = (request: Wanted) => {
    wanted = request;
    app.unmount();
  };
  const app = render(h(Screen, { source, title, kept, paint, done }), {
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
  readonly kept: Kept;
  readonly paint: Paint;
  done(wanted: Wanted): void;
}

/** What is typed in the last line: a filter, or the words for a deed. */
interface Typing {
  readonly deed: Deed | null;
  readonly text: string;
}

/** All that keys change. Keys that are typed fast arrive together, so each sees what the one before did. */
interface State extends Kept {
  readonly at: number;
  readonly order: readonly string[] | null;
  readonly scroll: number;
  readonly typing: Typing | null;
}

function Screen({ done, kept, paint, source, title }: ScreenProps): ReactElement {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { columns, rows: height } = useWindowSize();
  const [first] = useState<State>(() => ({ ...kept, at: 0, order: null, scroll: 0, typing: null }));
  const state = useRef<State>(first);
  useEffect(() => source.subscribe(redraw), [source]);
  const isWide = columns >= WIDE;
  const press = (key: string) => {
    const view = viewOf(source, state.current, isWide);
    state.current = { ...state.current, ...placed(view), order: view.order, said: "" };
    const next = pressed(key, state.current, view, height);
    if ("act" in next) return done(next);
    state.current = next;
    redraw();
  };
  useInput((input, key) => {
    for (const each of keysIn(input, key)) press(each);
  });
  const now = state.current;
  const view = viewOf(source, now, isWide);
  useEffect(() => {
    // A key may have come since.
    if (state.current === now) state.current = { ...now, ...placed(view), order: view.order };
  });
  const lines = drawn(source, now, view, { columns, height, paint, title });
  return h(Text, { wrap: "truncate" }, lines.join("\n"));
}

// ── Keys ───────────────────────────────────────────────────────────────────────────────────────────────────

type Pressed = Parameters<Parameters<typeof useInput>[0]>[1];

const NAMED = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
] as const;

function keysIn(input: string, key: Pressed): readonly string[] {
  if (key.ctrl) return [`ctrl-${input}`];
  const name = NAMED.find(([flag]) => key[flag])?.[1];
  if (name !== undefined) return [name];
  return [...input].map((letter) => (letter === "\r" || letter === "\n" ? "enter" : letter));
}

interface View {
  readonly rows: readonly Row[];
  readonly order: readonly string[];
  readonly fresh: number;
  readonly at: number;
  readonly row: Row | null;
  readonly isWide: boolean;
  readonly hasDetail: boolean;
}

function viewOf(source: Source, { at, isOpen, key, order, sought }: State, isWide: boolean): View {
  const all = settled(source.rows(), order);
  const rows = all.rows.filter((row) => matchesSearch(row, sought));
  const same = rows.findIndex((row) => row.key === key);
  // A row that was acted on has another key now.
  const run = key === null ? -1 : rows.findIndex((row) => isOfRun(row, key));
  const place = same >= 0 ? same : run >= 0 ? run : Math.min(at, rows.length - 1);
  const row = rows[place] ?? null;
  return {
    ...{ rows, fresh: all.fresh, at: Math.max(0, place), row, isWide },
    order: all.rows.map((each) => each.key),
    hasDetail: row !== null && (isOpen ?? isWide),
  };
}

function isOfRun(row: Row, key: string): boolean {
  return key.startsWith(`waits ${row.run} `) || row.key.startsWith(`waits ${key} `);
}

function placed({ at, row }: View): Pick<State, "at" | "key"> {
  return { at, key: row?.key ?? null };
}

function pressed(key: string, state: State, view: View, height: number): State | Wanted {
  const { row } = view;
  const kept: Kept = { key: state.key, sought: state.sought, isOpen: state.isOpen, said: "" };
  const quit: Wanted = { act: null, row, words: "", kept };
  if (key === "ctrl-c") return { ...quit, isInterrupted: true };
  if (state.typing) return typed(key, state, state.typing, { ...quit });
  const to = (at: number): State => {
    const place = Math.min(Math.max(0, at), view.rows.length - 1);
    return { ...state, at: place, key: view.rows[place]?.key ?? null, scroll: 0 };
  };
  const page = Math.max(1, height - 5);
  const scrolled = (by: number) => ({ ...state, scroll: Math.max(0, state.scroll + by) });
  switch (key) {
    case "q":
      return quit;
    case "escape":
      if (view.hasDetail && !view.isWide) return { ...state, isOpen: false, scroll: 0 };
      return state.sought === "" ? quit : { ...state, sought: "" };
    case "j":
    case "down":
      return to(view.at + 1);
    case "k":
    case "up":
      return to(view.at - 1);
    case "home":
      return to(0);
    case "end":
      return to(view.rows.length - 1);
    case "pagedown":
    case " ":
      return view.hasDetail ? scrolled(page) : to(view.at + page);
    case "pageup":
    case "b":
      return view.hasDetail ? scrolled(-page) : to(view.at - page);
    case "enter":
      return row === null ? state : { ...state, isOpen: !view.hasDetail, scroll: 0 };
    case "n":
      return { ...state, order: null };
    case "/":
      return { ...state, sought: "", typing: { deed: null, text: "" } };
    default: {
      const deed = row && deedsOf(row).find((each) => each.key === key);
      if (!deed) return state;
      if (deed.asks !== undefined || deed.isSure) return { ...state, typing: { deed, text: "" } };
      return { ...quit, act: deed.act };
    }
  }
}

/** A key while something is typed. */
function typed(key: string, state: State, { deed, text }: Typing, base: Wanted): State | Wanted {
  const change = (to: string): State => ({
    ...state,
    typing: { deed, text: to },
    // The list follows the filter as it is typed.
    ...(deed === null && { sought: to, scroll: 0 }),
  });
  switch (key) {
    case "escape":
      return { ...change(""), typing: null };
    case "backspace":
      return text === "" ? { ...state, typing: null } : change([...text].slice(0, -1).join(""));
    case "ctrl-u":
      return change("");
    case "enter":
      if (deed === null) return { ...state, typing: null };
      if (deed.isSure)
        return /^y(es)?$/i.test(text.trim()) ? { ...base, act: deed.act } : { ...state, typing: null };
      // An empty line is no answer, and cancels.
      if (text.trim() === "" && !deed.isOptional) return { ...state, typing: null };
      return { ...base, act: deed.act, words: text.trim() };
    default:
      return [...key].length === 1 ? change(text + key) : state;
  }
}

// ── Lines ──────────────────────────────────────────────────────────────────────────────────────────────────

interface Page {
  readonly columns: number;
  readonly height: number;
  readonly paint: Paint;
  readonly title: string;
}

/** Fewer lines than the terminal has, so nothing scrolls. */
function drawn(source: Source, state: State, view: View, page: Page): readonly string[] {
  const { columns, height, paint, title } = page;
  const fault = source.fault();
  const accounts = height < HIGH ? null : source.accounts();
  const head = [
    paint.bold(cut(headOf(title, source.rows(), state, view), columns)),
    ...(accounts === null ? [] : [paint.dim(cut(accounts, columns))]),
    ...(fault === null ? [] : [paint.red(cut(fault, columns))]),
  ];
  const foot = footOf(state, view, page);
  const room = Math.max(1, height - 1 - head.length - foot.length);
  const body = bodyOf(source, state, view, { ...page, room });
  return [...head, ...body, ...Array.from({ length: room - body.length }, () => ""), ...foot];
}

function headOf(title: string, all: readonly Row[], { sought }: State, { at, fresh, rows }: View): string {
  const count = (section: Row["section"]) => all.filter((row) => row.section === section).length;
  const yours = count("yours");
  return [
    `${title}: ${yours} ${yours === 1 ? "waits" : "wait"} for you, ${count("working")} ${PHASES.working}`,
    ...(fresh > 0 ? [`${fresh} new: n`] : []),
    ...(sought === "" ? [] : [`/${sought}`]),
    ...(rows.length > 0 ? [`${at + 1} of ${rows.length}`] : []),
  ].join(" · ");
}

function bodyOf(
  source: Source,
  state: State,
  view: View,
  { columns, paint, room }: Page & { readonly room: number },
): readonly string[] {
  const { hasDetail, isWide, row } = view;
  const left = hasDetail && isWide ? Math.floor(columns * 0.45) : columns;
  const detail = (width: number) =>
    row === null
      ? []
      : scrolledTo(
          detailOf(row, source.findings(row), { width, paint, now: source.now() }),
          state.scroll,
          room,
          paint,
        );
  if (hasDetail && !isWide) return detail(columns);
  const list = listOf(view, state, { width: left, room, paint, now: source.now() });
  if (!hasDetail) return list;
  const beside = detail(columns - left - 3);
  return Array.from({ length: Math.max(list.length, beside.length) }, (_, at) =>
    `${pad(list[at] ?? "", left)} ${paint.dim("│")} ${beside[at] ?? ""}`.trimEnd(),
  );
}

/** Scrolls no further than to the end; the last line says how many lines follow. */
function scrolledTo(lines: readonly string[], scroll: number, room: number, paint: Paint): readonly string[] {
  if (lines.length <= room) return lines;
  const from = Math.min(scroll, lines.length - room + 1);
  const rest = lines.length - from - room + 1;
  const shown = lines.slice(from, from + room - 1);
  return [...shown, paint.dim(rest > 0 ? `(${rest} more lines: Space)` : "(the end; b: back)")];
}

interface ListSize {
  readonly width: number;
  readonly room: number;
  readonly paint: Paint;
  readonly now: number;
}

const TITLES: Readonly<Record<Row["section"], string>> = PHASES;
const COLOURS = { yours: "yellow", working: "cyan", waiting: "dim", done: "dim" } as const;

function listOf({ at, rows }: View, { sought }: State, { now, paint, room, width }: ListSize): string[] {
  if (rows.length === 0)
    return wrap(
      sought === ""
        ? "No run has begun. `pawl status` shows how one begins."
        : `Nothing has ${JSON.stringify(cleanLine(sought))} in it. Escape: show all.`,
      width,
    );
  const lines: string[] = [];
  let cursor = 0;
  for (const [index, row] of rows.entries()) {
    if (rows[index - 1]?.section !== row.section) {
      const name = TITLES[row.section];
      lines.push(
        paint[COLOURS[row.section]](paint.bold(cut(name.charAt(0).toUpperCase() + name.slice(1), width))),
      );
    }
    if (index === at) cursor = lines.length;
    lines.push(lineOf(row, index === at, width, now, paint));
  }
  const { from, to } = windowOf(lines.length, cursor, room);
  return lines.slice(from, to);
}

/** The cursor's row is marked without colour, too. */
function lineOf(row: Row, isAt: boolean, width: number, now: number, paint: Paint): string {
  const { kind, run, section, since, state, title } = row;
  const age = ageOf(since, now).padStart(6);
  const isBad = kind === "blocked" || kind === "failed" || kind === "held";
  const word = pad(cut(state, Math.max(9, Math.floor(width / 4))), 9);
  const name = title.includes(run) ? title : `${title} · ${run}`;
  const rest = cut(name, Math.max(1, width - widthOf(word) - 12));
  const colour = isBad ? paint.red : paint[COLOURS[section]];
  return isAt
    ? paint.bold(`> ${age}  ${colour(word)}  ${rest}`)
    : `  ${paint.dim(age)}  ${colour(word)}  ${rest}`;
}

function footOf(state: State, { hasDetail, isWide, row }: View, { columns, paint }: Page): readonly string[] {
  const { said, typing } = state;
  if (typing) {
    const { deed, text } = typing;
    const asks = deed === null ? "/" : deed.isSure ? `${deed.label}: really? [y/N] ` : `${deed.asks}: `;
    return [`${paint.bold(asks)}${endOf(`${text}_`, Math.max(8, columns - widthOf(asks) - 1))}`];
  }
  const notes = said === "" ? [] : wrap(said, columns).slice(0, MAX_SAID).map(paint.yellow);
  const open = hasDetail ? (isWide ? "Enter close" : "Enter list") : "Enter detail";
  const deeds = row === null ? [] : deedsOf(row).map(({ key, label }) => `${key} ${label}`);
  const keys = [open, ...deeds, "j k move", "/ filter", "q quit"];
  return [...notes, paint.dim(keysLine(keys, columns))];
}

/** Leaves out keys from the end that do not fit; to quit is always there. */
function keysLine(keys: readonly string[], width: number): string {
  const last = keys.at(-1) ?? "";
  let shown = keys.slice(0, -1);
  while (shown.length > 0 && widthOf([...shown, last].join(" · ")) > width) shown = shown.slice(0, -1);
  return cut([...shown, last].join(" · "), width);
}

/** The end of a text that is being typed. */
function endOf(text: string, width: number): string {
  const letters = [...cleanLine(text)];
  let from = 0;
  while (widthOf(letters.slice(from).join("")) > width) from++;
  return letters.slice(from).join("");
}
