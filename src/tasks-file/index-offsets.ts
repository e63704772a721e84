import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from "yaml";
import { type ItemOffsets, type KeyOffsets, type Offsets, WRITTEN_KEYS, type WrittenKey } from "./offsets.ts";

/**
 * The offsets of every task, subtask and step of the list that has an id. Needs no valid tasks, only a
 * document.
 */
export function indexOffsets(document: Document, tasks: unknown, text: string): Offsets {
  const shared = sharedAnchors(document, text);
  const offsets = new Map<string, ItemOffsets>();
  const items = (seq: unknown, kind: ItemOffsets["kind"], parentId: string | null) => {
    const fixed = parentId ?? (isAlias(seq) ? "it is in a list written as an alias" : sharedBy(seq, shared));
    const list = isAlias(seq) ? seq.resolve(document) : seq;
    if (!isSeq(list)) return;
    for (const node of list.items) item(node, kind, fixed);
  };
  const item = (node: unknown, kind: ItemOffsets["kind"], parentId: string | null) => {
    const fixed = parentId ?? (isAlias(node) ? "it is written as an alias" : sharedBy(node, shared));
    const map = isAlias(node) ? node.resolve(document) : node;
    if (!isMap(map)) return;
    const id = map.get("id");
    const isFirst = (typeof id === "string" || typeof id === "number") && !offsets.has(String(id));
    if (isFirst) offsets.set(String(id), { id: String(id), ...itemOffsets(map, kind, fixed, text) });
    items(map.get("steps", true), "step", fixed);
    items(map.get("subtasks", true), "task", fixed);
  };
  items(tasks, "task", sharedBy(document.contents, shared));
  return [...offsets.values()];
}

function itemOffsets(
  map: YAMLMap,
  kind: ItemOffsets["kind"],
  fixed: string | null,
  text: string,
): Omit<ItemOffsets, "id"> {
  const keys: ItemOffsets["keys"] = {};
  let explicit = false;
  for (const pair of map.items) {
    if (!isPair(pair) || !isScalar(pair.key) || !pair.key.range) continue;
    const name = String(pair.key.value);
    const place = WRITTEN_KEYS.includes(name as WrittenKey) ? keyOffsets(pair, text) : null;
    if (place) keys[name as WrittenKey] = place;
    explicit ||= map.flow !== true && /\?[ \t]+$/.test(lineBefore(text, pair.key.range[0]));
  }
  const first = map.range?.[0] ?? 0;
  const lead = map.flow === true ? "" : lineBefore(text, first);
  const odd = explicit
    ? "it has a key written with `?`"
    : map.flow !== true && lead.includes("\t")
      ? "a tab stands before its first key"
      : null;
  const why = fixed ?? odd;
  return {
    kind,
    indent: map.flow === true ? -1 : lead.replace(/^\uFEFF/, "").length,
    ...(why === null ? {} : { fixed: why }),
    keys,
  };
}

function keyOffsets(pair: Pair, text: string): KeyOffsets | null {
  const key = pair.key as Node;
  const value = pair.value as Node | null;
  if (!key.range) return null;
  const [keyStart, keyEnd] = key.range;
  const at = { keyStart, keyEnd };
  if (!value?.range) return { ...at, start: keyEnd, end: keyEnd, style: "empty" };
  const [start, end] = value.range;
  if (isAlias(value)) return { ...at, start, end, style: "alias" };
  if (value.tag !== undefined || ("anchor" in value && value.anchor !== undefined))
    return { ...at, start, end, style: "fixed" };
  if (isSeq(value)) return { ...at, ...sequenceOffsets(value.items, start, value.flow === true, text) };
  if (!isScalar(value)) return { ...at, start, end, style: "fixed" };
  if (start === end) return { ...at, start: keyEnd, end: keyEnd, style: "empty" };
  if (text.slice(start, end).includes("\n")) return { ...at, start, end, style: "lines" };
  const style = value.type === "QUOTE_DOUBLE" ? "double" : value.type === "QUOTE_SINGLE" ? "single" : "plain";
  return { ...at, start, end, style };
}

function sequenceOffsets(
  items: readonly unknown[],
  start: number,
  flow: boolean,
  text: string,
): Pick<KeyOffsets, "start" | "end" | "style" | "extra"> {
  const last = items.at(-1) as Node | undefined;
  if (flow) {
    const at = last?.range ? last.range[1] : start + 1;
    return { start: at, end: at, style: "flow", extra: last ? 1 : 0 };
  }
  const lead = lineBefore(text, start);
  if (!last?.range || !/^ *$/.test(lead)) return { start, end: start, style: "fixed" };
  const at = lineEnd(text, last.range[1]);
  return { start: at, end: at, style: "block", extra: lead.length };
}

/** The end of the line in which the text before the offset ends, without its line break. */
function lineEnd(text: string, offset: number): number {
  if (text[offset - 1] === "\n") return text[offset - 2] === "\r" ? offset - 2 : offset - 1;
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

/** The names of the anchors that some alias uses. */
function sharedAnchors(document: Document, text: string): ReadonlySet<string> {
  const shared = new Set<string>();
  if (!text.includes("*")) return shared;
  visit(document, {
    Alias: (_, alias) => {
      shared.add(alias.source);
    },
  });
  return shared;
}

function sharedBy(node: unknown, shared: ReadonlySet<string>): string | null {
  const anchor = (node as { anchor?: string } | null | undefined)?.anchor;
  return anchor !== undefined && shared.has(anchor)
    ? `it is shared with other places by the anchor &${anchor}`
    : null;
}
