/**
 * Adds tasks and steps to tasks.yaml, and sets values in existing ones: many at once, by splices, with one
 * parse of the file and one of the result. Every other byte stays, comments too. The result's data is
 * compared with the expected data before it is used.
 */

import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { canonical, type Fields, objectsIn } from "../core/json.ts";
import { readYaml } from "../core/yaml/yaml.ts";
import { readText } from "./parse.ts";

/** A part of the file's layout that cannot be read, or added to. */
export class Layout extends Error {}
/** The file would have more characters than Pawl reads. */
export class TooLong extends Layout {}

export type Put =
  /**
   * At the end of a list: the file's tasks (`into`: null), or a task's. Skips items whose id is in the file
   * already.
   */
  | {
      readonly type: "add-items";
      readonly into: string | null;
      readonly list: "tasks" | "subtasks" | "steps";
      readonly items: readonly Fields[];
    }
  /** A value of the task or step of that id, or of the file itself (`id`: null). */
  | { readonly type: "put"; readonly id: string | null; readonly key: string; readonly value: unknown }
  /** Takes the key and its value away. */
  | { readonly type: "drop"; readonly id: string; readonly key: string };

/** How to write new values, and whether to add directly after the last item of a list. */
interface Way {
  readonly pretty: boolean;
  readonly close: boolean;
}
const WAYS: readonly Way[] = [
  { pretty: true, close: true },
  { pretty: true, close: false },
  { pretty: false, close: true },
  { pretty: false, close: false },
];

/** Characters: about the reader's limit. */
const MAX_CHARACTERS = 3_900_000;

/** Throws `Layout`. */
export function putAll(before: string, given: readonly Put[]): string {
  const text = before.trim() === "" ? `${before}tasks:\n` : before;
  const { data, document } = sound(text);
  if (document.contents !== null && !isMap(document.contents))
    throw new Layout(`expected a mapping with tasks, found ${text.trim().slice(0, 60)}`);
  const root = document.contents as YAMLMap | null;
  if (root === null) return putAll(`${text.replace(/\n?$/, "\n")}tasks:\n`, given);
  const present = new Set(indexData(data).keys());
  const puts = given.flatMap((put): readonly Put[] => {
    if (put.type !== "add-items") return [put];
    const items = put.items.filter(({ id }) => !present.has(String(id)));
    return items.length === 0 ? [] : [{ ...put, items }];
  });
  if (puts.length === 0) return before;
  if (text.length + JSON.stringify(puts).length > MAX_CHARACTERS) throw new TooLong();
  const wanted = canonical(applied(data, puts));
  const maps = indexNodes(root);
  for (const way of WAYS) {
    const splices = puts.map((put) => spliceOf(text, put, targetOf(put, root, maps), way));
    const result = spliced(text, splices);
    if (meaningOf(result) === wanted) return result;
  }
  throw new Layout(
    "it cannot be changed without changing what else is there; its layout is not one that can be added to",
  );
}

const idOf = (put: Put) => (put.type === "add-items" ? put.into : put.id);

function targetOf<T>(put: Put, root: T, items: ReadonlyMap<string, T>): T | undefined {
  const id = idOf(put);
  return id === null ? root : items.get(id);
}

// ── By id ────────────────────────────────────────────────────────────────────────────────────────────────────────

const LISTS = ["tasks", "subtasks", "steps"] as const;

function byId<T>(
  root: T,
  itemsOf: (at: T, list: string) => readonly T[],
  idOf: (item: T) => unknown,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  const walk = (at: T) => {
    for (const list of LISTS)
      for (const item of itemsOf(at, list)) {
        found.set(String(idOf(item)), item);
        walk(item);
      }
  };
  walk(root);
  return found;
}

function indexNodes(root: YAMLMap): ReadonlyMap<string, YAMLMap> {
  const itemsOf = (map: YAMLMap, list: string) => {
    const items = map.get(list, true);
    return isSeq(items) ? items.items.filter((item) => isMap(item)) : [];
  };
  return byId(root, itemsOf, (map) => map.get("id"));
}

const indexData = (root: Fields) =>
  byId(
    root,
    (map, list) => objectsIn(map[list]),
    (map) => map.id,
  );

/** The tasks and steps of a file by their ids, as they are written there. */
export function itemsIn(text: string): ReadonlyMap<string, Fields> {
  return text.trim() === "" ? new Map() : indexData(sound(text).data);
}

function applied(data: Fields, puts: readonly Put[]): Fields {
  const copy = structuredClone(data) as Record<string, unknown>;
  const items = indexData(copy) as ReadonlyMap<string, Record<string, unknown>>;
  for (const put of puts) {
    const map = targetOf(put, copy, items);
    if (!map) throw missing(put);
    if (put.type === "put") map[put.key] = put.value;
    else if (put.type === "drop") delete map[put.key];
    else map[put.list] = [...listIn(map, put.list), ...put.items];
  }
  return copy;
}

function listIn(map: Fields, key: string): readonly unknown[] {
  const list = map[key] ?? [];
  if (!Array.isArray(list)) throw new Layout(`${key}: expected a list`);
  return list;
}

function missing(put: Put): Layout {
  return new Layout(`${idOf(put)} is not written out in the list \`tasks\``);
}

// ── Splices ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function spliced(text: string, splices: readonly Splice[]): string {
  const ending = /\r\n/.test(text) ? "\r\n" : "\n";
  let at = 0;
  let result = "";
  for (const { from, to, text: piece } of splices.toSorted((one, other) => one.from - other.from)) {
    if (from < at) throw new Layout("two changes meet in one value");
    result += text.slice(at, from);
    // A piece that begins a line, after a text that does not end with a line break.
    if (/^ *\S.*\n/.test(piece) && from === text.length && !/(^|\n)$/.test(result)) result += ending;
    result += piece.replaceAll("\n", ending);
    at = to;
  }
  return result + text.slice(at);
}

function spliceOf(text: string, put: Put, map: YAMLMap | undefined, way: Way): Splice {
  if (!map) throw missing(put);
  if (put.type === "put") return valueSplice(text, map, put.key, put.value, way);
  if (put.type === "drop") return dropSplice(text, map, put.key);
  const list = map.get(put.list, true) as Node | undefined;
  if (isSeq(list) && list.items.length > 0) return itemsSplice(text, list, put.items, way);
  return valueSplice(text, map, put.list, put.items, way);
}

function itemsSplice(text: string, list: YAMLSeq, items: readonly Fields[], { pretty, close }: Way): Splice {
  const last = list.items.at(-1) as Node;
  if (list.flow) {
    const [, end] = rangeOf(last);
    return { from: end, to: end, text: items.map((item) => `, ${JSON.stringify(item)}`).join("") };
  }
  const column = columnAt(text, rangeOf(list)[0]);
  const at = close ? afterRemarks(text, endOf(text, lastIn(list)), column) : rangeOf(list)[1];
  const piece = pretty
    ? indented(stringify(items, { lineWidth: 0 }), column)
    : items.map((item) => `${" ".repeat(column)}- ${JSON.stringify(item)}\n`).join("");
  return { from: at, to: at, text: piece };
}

/** Behind the comments that stand deeper than the list's dashes, because they are about its last item. */
function afterRemarks(text: string, at: number, column: number): number {
  const remarks = new RegExp(`(?:[ ]{${column + 1},}#[^\n]*(?:\n|$))*`, "y");
  remarks.lastIndex = at;
  return at + (remarks.exec(text)?.[0].length ?? 0);
}

/**
 * On lines of its own: with the lines below it. In brackets: with the comma before it, or after it if it is the
 * first.
 */
function dropSplice(text: string, map: YAMLMap, key: string): Splice {
  const at = map.items.findIndex((item) => isScalar(item.key) && item.key.value === key);
  const pair = map.items[at] as Pair<Node, Node | null> | undefined;
  if (!pair) throw new Layout(`the key ${key} is not there`);
  const [start] = rangeOf(pair.key);
  const end = endOfPair(text, pair);
  if (map.flow) {
    const before = map.items[at - 1] as Pair<Node, Node | null> | undefined;
    const next = map.items[at + 1] as Pair<Node, Node | null> | undefined;
    if (before) return { from: endOfPair(text, before), to: end, text: "" };
    return { from: start, to: next ? rangeOf(next.key)[0] : end, text: "" };
  }
  const last = pair.value ? lastIn(pair.value) : pair.key;
  const to = Math.max(endOf(text, last), lineEnd(text, end - 1));
  const line = text.lastIndexOf("\n", start - 1) + 1;
  // The first key follows its item's dash: the next key takes its place.
  const isAlone = /^\s*$/.test(text.slice(line, start));
  return isAlone
    ? { from: line, to, text: "" }
    : { from: start, to: to + (/^ */.exec(text.slice(to))?.[0].length ?? 0), text: "" };
}

function valueSplice(text: string, map: YAMLMap, key: string, value: unknown, way: Way): Splice {
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key) as
    | Pair<Node, Node | null>
    | undefined;
  if (pair) return replacePair(text, map, pair, key, value, way);
  const last = map.items.at(-1) as Pair<Node, Node | null> | undefined;
  if (map.flow) {
    const at = last ? endOfPair(text, last) : rangeOf(map)[0] + 1;
    return { from: at, to: at, text: `${last ? ", " : ""}${key}: ${JSON.stringify(value)}` };
  }
  const column = last ? columnAt(text, rangeOf(map.items[0]?.key as Node)[0]) : 0;
  const at = way.close ? endOf(text, lastIn(map)) : rangeOf(map)[1];
  return { from: at, to: at, text: pairText(key, value, column, way) };
}

function replacePair(
  text: string,
  map: YAMLMap,
  { key: keyNode, value: old }: Pair<Node, Node | null>,
  key: string,
  value: unknown,
  way: Way,
): Splice {
  const [keyStart, keyEnd] = rangeOf(keyNode);
  const isEmpty = !old?.range || old.range[0] === old.range[1];
  const [from, to] = isEmpty
    ? [text.indexOf(":", keyEnd) + 1, text.indexOf(":", keyEnd) + 1]
    : [rangeOf(old)[0], rangeOf(old)[1]];
  const lead = isEmpty ? " " : "";
  if (map.flow) return { from, to, text: lead + JSON.stringify(value) };
  const isOneLine = !text.slice(from, to).includes("\n");
  if (isOneLine && !isItemList(value)) {
    const inline = way.pretty
      ? stringify(value, { lineWidth: 0, collectionStyle: "flow" }).trimEnd()
      : JSON.stringify(value);
    if (!inline.includes("\n")) return { from, to, text: lead + inline };
  }
  const end = isEmpty ? lineEnd(text, from) : endOf(text, old as Node);
  const column = columnAt(text, keyStart);
  const kept = old ? remarksIn(old).map((remark) => `${" ".repeat(column)}#${remark}\n`) : [];
  const tail = isEmpty || isOneLine ? text.slice(to, end).trim() : "";
  const remarks = tail.startsWith("#") ? [...kept, `${" ".repeat(column)}${tail}\n`] : kept;
  return { from: keyStart, to: end, text: pairText(key, value, column, way).trimStart() + remarks.join("") };
}

/** Tasks or steps: always on separate lines. */
function isItemList(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === "object");
}

function pairText(key: string, value: unknown, column: number, { pretty }: Way): string {
  if (!pretty) return `${" ".repeat(column)}${key}: ${JSON.stringify(value)}\n`;
  return indented(stringify({ [key]: value }, { lineWidth: 0 }), column);
}

/** A person's comments inside a value of several lines: kept after its replacement. */
function remarksIn(node: Node): readonly string[] {
  const found: string[] = [];
  if (!isSeq(node) && !isMap(node)) return [];
  visit(node, {
    Node: (_, each) => {
      for (const remark of [each.commentBefore, each.comment])
        for (const line of remark ? remark.split("\n") : []) found.push(line);
    },
  });
  return found;
}

function endOfPair(text: string, { key, value }: Pair<Node, Node | null>): number {
  if (value?.range && value.range[1] > value.range[0]) return value.range[1];
  const colon = text.indexOf(":", rangeOf(key)[1]);
  return colon < 0 ? rangeOf(key)[1] : colon + 1;
}

function columnAt(text: string, offset: number): number {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return line.replace(/^\uFEFF/, "").length;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

// ── The file ─────────────────────────────────────────────────────────────────────────────────────────────────────

function sound(text: string): { readonly document: Document; readonly data: Fields } {
  const { data, document, faults } = readYaml(text, { merge: true });
  const [fault] = faults;
  if (fault) throw new Layout(`line ${fault.line}, column ${fault.column}: ${fault.message}`);
  return { document, data: (data ?? {}) as Fields };
}

/** The text's data in a form that can be compared; null: it is invalid. */
function meaningOf(text: string): string | null {
  const { data, faults } = readText(text);
  return faults.length > 0 ? null : canonical(data);
}

/** The end of the node's last line; comments and blank lines after it are not part of it. */
function endOf(text: string, node: Node): number {
  const [, valueEnd] = rangeOf(node);
  const end = text.slice(0, valueEnd).trimEnd().length;
  const newline = text.indexOf("\n", end);
  return newline < 0 ? text.length : newline + 1;
}

function rangeOf(node: Node): readonly [number, number, number] {
  if (!node.range) throw new Layout("a value has no place");
  return node.range;
}

/** The innermost value at its end: a collection's own range ends after its comments. */
function lastIn(node: Node): Node {
  if (!isCollection(node) || node.flow) return node;
  const last: unknown = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  return isNode(inner) && inner.range && inner.range[1] > inner.range[0] ? lastIn(inner) : node;
}

function indented(text: string, indent: number): string {
  const blank = " ".repeat(indent);
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${blank}`);
}
