/** The text of tasks.yaml → slots. Tasks that nobody looks into are cut out, and not parsed. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { lookOnce } from "../../core/once.ts";
import { readYaml } from "../../core/yaml.ts";
import { split } from "../split.ts";
import { EMPTY, type Inner, NONE, type Slot, textIn } from "./slot.ts";

/** What is mergeable by its parts, besides the tasks. Everything else is one value. */
const LISTS: ReadonlySet<string> = new Set(["steps", "subtasks"]);
/** Agents and people add to them at the same time. */
const NOTES = "ai_notes";
const MAPS: ReadonlySet<string> = new Set(["git"]);

/** `ids`: of the tasks, in order. Ends its lines with LF, the last one too. Null: its layout cannot be told apart. */
export function treeOf(text: string, ids: readonly string[]): Inner | null {
  const pieces = split(text) ?? { head: text, entries: [], tail: "" };
  if (pieces.entries.length !== ids.length) return null;
  const whole = lookOnce(() => readYaml(text, { merge: true }).data as Data);
  const head = topLevel(pieces.head, whole);
  const tail = pieces.tail === "" ? EMPTY : topLevel(pieces.tail, whole);
  if (head === null || tail === null) return null;
  const slots = ids.length === 0 ? head.slots.map(emptyList) : withTasks(head, pieces.entries, ids, whole);
  if (slots === null) return null;
  const all = [...slots, ...tail.slots];
  // What the first part ends with stands before the second one.
  const [first] = tail.slots;
  const between = ids.length === 0 ? head.close : "";
  if (first !== undefined && between !== "") all[slots.length] = { ...first, lead: between + first.lead };
  const close = first === undefined ? between + tail.close : tail.close;
  return { layout: "lines", kind: "map", open: "", slots: all, close, inline: false };
}

type Data = Readonly<Record<string, unknown>> | null;

/** The keys of a stretch of the file. Without any, its comments. */
function topLevel(text: string, whole: () => Data): Inner | null {
  const { document } = readYaml(text, { merge: true });
  const { contents } = document;
  if (document.errors.length > 0) return null;
  if (contents === null || (isScalar(contents) && contents.range?.[0] === contents.range?.[1]))
    return { ...EMPTY, close: text };
  if (!isMap(contents) || contents.flow) return null;
  const source = { text, document };
  const children = contents.items.map((pair) => pairIn(source, pair, () => whole()?.[nameOf(pair)]));
  return linesOf(source, "map", { from: 0, to: text.length, isFile: true }, children);
}

/** A text whose blank lines at the end count. */
const KEEPS_BLANKS = /[|>][1-9]?\+/;

// ── The tasks ────────────────────────────────────────────────────────────────────────────────────────────────────

function withTasks(
  head: Inner,
  entries: readonly string[],
  ids: readonly string[],
  whole: () => Data,
): readonly Slot[] | null {
  const key = head.slots.at(-1);
  if (key?.name !== "tasks" || key.pieces !== undefined) return null;
  const open = key.text.slice(0, key.text.indexOf("\n") + 1);
  const slots: Slot[] = [];
  // Comments between two tasks belong to the one below.
  let lead = key.text.slice(open.length) + head.close;
  for (const [at, entry] of entries.entries()) {
    const column = entry.length - entry.trimStart().length;
    const end = endOfTask(entry, column);
    const text = entry.slice(column, end);
    const expand = lookOnce(() =>
      taskIn(text, column, () => (whole()?.tasks as readonly unknown[] | undefined)?.[at]),
    );
    slots.push({
      name: ids[at] as string,
      lead,
      text,
      column,
      value: () => expand().value(),
      inner: () => expand().inner(),
    });
    lead = entry.slice(end);
  }
  const inner: Inner = { layout: "lines", kind: "list", open, slots, close: lead, inline: false };
  const tasks: Slot = {
    ...key,
    text: textIn(inner),
    value: () => slots.map(({ value }) => value()),
    inner: () => inner,
  };
  return [...head.slots.slice(0, -1), tasks];
}

/** Where its own lines end: blank lines belong to a text that keeps them, comments below never do. */
function endOfTask(entry: string, column: number): number {
  const end = trailing(entry, 0, column);
  const blanks = KEEPS_BLANKS.test(entry) ? /^(?:[ \t]*\n)*/.exec(entry.slice(end)) : null;
  return end + (blanks?.[0].length ?? 0);
}

/** The list that has no tasks yet: `tasks: []`. */
function emptyList(slot: Slot): Slot {
  if (slot.name !== "tasks") return slot;
  return { ...slot, inner: () => ({ ...EMPTY, kind: "list", open: slot.text }) };
}

/** A task by itself. Where it has an alias, what it means is known from the whole file only. */
function taskIn(text: string, column: number, inWhole: () => unknown): Pick<Slot, "value" | "inner"> {
  const padded = " ".repeat(column) + text;
  const { data, document, faults } = readYaml(padded, { merge: true });
  const value = () => (faults.length === 0 ? (data as unknown[])[0] : inWhole());
  const { contents } = document;
  const node = isSeq(contents) && contents.items.length === 1 ? contents.items[0] : null;
  const region = { from: column, to: padded.length };
  if (document.errors.length > 0 || !isMap(node)) return { value, inner: NONE };
  return { value, inner: () => mapIn({ text: padded, document }, node, region, value) };
}

// ── What YAML says of it ─────────────────────────────────────────────────────────────────────────────────────────

interface Source {
  readonly text: string;
  readonly document: Document;
}

interface Region {
  readonly from: number;
  readonly to: number;
  /** Not a part of something around it. */
  readonly isFile?: boolean;
}

interface Child {
  readonly name: string;
  readonly start: number;
  /** Where its value ends. */
  readonly end: number;
  readonly isEmpty: boolean;
  /** Where its value begins; of a key without one, its end. */
  readonly valueStart: number;
  readonly value: () => unknown;
  readonly innerAt: (region: Region) => Inner | null;
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "?";
}

function mapIn(source: Source, map: YAMLMap, region: Region, value: () => unknown): Inner | null {
  const children = map.items.map((pair) => pairIn(source, pair, () => (value() as Data)?.[nameOf(pair)]));
  const names = new Set(children.map(({ name }) => name));
  // A merged mapping means more than its own keys.
  if (names.size < children.length || names.has("<<") || names.has("?")) return null;
  return (map.flow ? bracketsOf : linesOf)(source, "map", region, children);
}

function pairIn(source: Source, pair: Pair, value: () => unknown): Child {
  const name = nameOf(pair);
  const [start, keyEnd] = (pair.key as Node | null)?.range ?? [0, 0];
  const node = pair.value as Node | null;
  const range = node?.range;
  const isEmpty = !range || range[0] === range[1];
  const end = isEmpty ? keyEnd + colonLength(source.text.slice(keyEnd)) : range[1];
  const innerAt = (region: Region): Inner | null => {
    if (isSeq(node) && LISTS.has(name)) return listIn(source, node, region, value);
    if (isSeq(node) && name === NOTES) return notesIn(source, node, region, value);
    return isMap(node) && MAPS.has(name) ? mapIn(source, node, region, value) : null;
  };
  return { name, start, end, isEmpty, valueStart: isEmpty ? end : range[0], value, innerAt };
}

/** In brackets, a key may lack its colon. */
function colonLength(rest: string): number {
  return /^[ \t]*:/.exec(rest)?.[0].length ?? 0;
}

function listIn(source: Source, list: YAMLSeq, region: Region, value: () => unknown): Inner | null {
  const values = value() as readonly Data[];
  const children: Child[] = [];
  for (const [at, item] of list.items.entries()) {
    if (!isMap(item) || !item.range) return null;
    const own = () => values[at];
    const id = values[at]?.id;
    if (typeof id !== "string") return null;
    const innerAt = (inside: Region) => mapIn(source, item, inside, own);
    children.push(itemOf(source, list, item.range, id, own, innerAt));
  }
  return (list.flow ? bracketsOf : linesOf)(source, "list", region, children);
}

function notesIn(source: Source, list: YAMLSeq, region: Region, value: () => unknown): Inner | null {
  const values = value() as readonly unknown[];
  const counts = new Map<unknown, number>();
  const children: Child[] = [];
  for (const [at, item] of list.items.entries()) {
    if (!isScalar(item) || !item.range) return null;
    const count = (counts.get(values[at]) ?? 0) + 1;
    counts.set(values[at], count);
    children.push(itemOf(source, list, item.range, `${count} ${String(values[at])}`, () => values[at], NONE));
  }
  return (list.flow ? bracketsOf : linesOf)(source, "list", region, children);
}

function itemOf(
  { text }: Source,
  list: YAMLSeq,
  [from, end]: readonly number[],
  name: string,
  value: () => unknown,
  innerAt: Child["innerAt"],
): Child {
  const [first = 0, last = 0] = [from, end];
  const start = list.flow ? first : Math.max(0, text.lastIndexOf("-", first - 1));
  return { name, start, end: last, isEmpty: true, valueStart: last, value, innerAt };
}

// ── Where the slots begin and end ────────────────────────────────────────────────────────────────────────────────

function linesOf(
  { text }: Source,
  kind: Inner["kind"],
  { from, isFile = false, to }: Region,
  children: readonly Child[],
): Inner | null {
  const [first] = children;
  if (first === undefined) return null;
  const column = first.start - lineStart(text, first.start);
  const inline = lineStart(text, first.start) <= from && from < first.start;
  const begin = inline ? first.start : lineStart(text, first.start);
  const opened = isFile ? 0 : inline ? begin : trailing(text.slice(0, begin), from, column);
  const open = text.slice(from, opened);
  if (inline && !/^- +$/.test(open)) return null;
  const slots: Slot[] = [];
  let lead = text.slice(opened, begin);
  for (const [at, child] of children.entries()) {
    const next = children[at + 1];
    const limit = next === undefined ? to : lineStart(text, next.start);
    const indent = inline && at === 0 ? "" : text.slice(lineStart(text, child.start), child.start);
    const isPlaced = child.start - lineStart(text, child.start) === column && indent.trim() === "";
    if (!isPlaced || indent.includes("\t") || child.end > limit || child.start >= limit) return null;
    const end = trailing(text.slice(0, limit), child.end, column);
    slots.push(slotOf(text, child, { from: child.start, to: end }, { lead, column }));
    lead = text.slice(end, limit);
  }
  return { layout: "lines", kind, open, slots, close: lead, inline };
}

function bracketsOf(
  { text }: Source,
  kind: Inner["kind"],
  { from, to }: Region,
  children: readonly Child[],
): Inner | null {
  const [first] = children;
  if (first === undefined) return null;
  const bracket = text.slice(from, first.start).search(/[[{][^[{]*$/);
  if (bracket < 0) return null;
  const opened = from + bracket + 1;
  const slots: Slot[] = [];
  let begin = opened;
  for (const [at, child] of children.entries()) {
    const lead = text.slice(begin, child.start);
    const next = children[at + 1];
    const comma = next === undefined ? child.end : commaIn(text, child.end, next.start);
    if (comma === null || !/^\s*$/.test(lead)) return null;
    slots.push(slotOf(text, child, { from: child.start, to: comma }, { lead, column: 0 }));
    begin = comma + 1;
  }
  const last = children.at(-1) as Child;
  return {
    layout: "brackets",
    kind,
    open: text.slice(from, opened),
    slots,
    close: text.slice(last.end, to),
    inline: false,
  };
}

function commaIn(text: string, from: number, to: number): number | null {
  const found = /^\s*,\s*$/.exec(text.slice(from, to));
  return found === null ? null : text.indexOf(",", from);
}

function slotOf(text: string, child: Child, region: Region, at: Pick<Slot, "lead" | "column">): Slot {
  const { innerAt, isEmpty, name, value, valueStart } = child;
  const { from, to } = region;
  return {
    ...at,
    name,
    text: text.slice(from, to),
    value,
    inner: () => innerAt(region),
    ...(isEmpty
      ? {}
      : {
          pieces: [
            text.slice(from, valueStart),
            text.slice(valueStart, child.end),
            text.slice(child.end, to),
          ],
        }),
  };
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the blank lines and comments begin that end the text: those that are not indented deeper than the column. */
function trailing(text: string, floor: number, column: number): number {
  let end = text.length;
  while (end > 0) {
    const start = lineStart(text, end - 1);
    const line = text.slice(start, end).trimEnd();
    const indent = line.length - line.trimStart().length;
    const isRemark = line === "" || (indent <= column && line.trimStart().startsWith("#"));
    if (start === 0 || start < floor || !isRemark) return end;
    end = start;
  }
  return end;
}
