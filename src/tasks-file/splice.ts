/**
 * Changes tasks.yaml by splicing text at known offsets: one changed value is one changed line, and every
 * other byte stays. Pure, and without the YAML library, so that the hot path need not load it.
 */
import { PawlError } from "../core/error.ts";
import type { ItemOffsets, KeyOffsets, Offsets, Style, WrittenKey } from "./offsets.ts";

/** The name of the store's editor that redoes edits of tasks.yaml. */
export const TASKS_EDITOR = "tasks";

/**
 * A change that names its task or step by id, so that it can be redone on a text that a person changed
 * meanwhile.
 */
export type TaskEdit =
  | { readonly type: "set"; readonly id: string; readonly key: WrittenKey; readonly value: string }
  /** Removes the line; if it holds more than the key, the value becomes null. */
  | { readonly type: "clear"; readonly id: string; readonly key: WrittenKey }
  | { readonly type: "append"; readonly id: string; readonly key: WrittenKey; readonly value: string };

export interface Spliced {
  readonly text: string;
  readonly offsets: Offsets;
}

/** Applies the edits in order, on the text and on its offsets. */
export function spliceAll(text: string, offsets: Offsets, edits: readonly TaskEdit[]): Spliced {
  return edits.reduce(splice, { text, offsets });
}

/** Why the task's status cannot be written, as an error of `spliceAll`; null: it can. */
export function fixedTaskError(offsets: Offsets, id: string): PawlError | null {
  const item = offsets.find((each) => each.id === id);
  return item === undefined ? null : fixedItemError(item, { type: "set", id, key: "status", value: "" });
}

function fixedItemError(item: ItemOffsets, edit: TaskEdit): PawlError | null {
  if (item.fixed !== undefined) return unwritableKeyError(edit, item.fixed);
  if (item.keys[edit.key]?.style !== "fixed") return null;
  return unwritableKeyError(edit, "the value is no plain text or list, or carries an anchor or a tag");
}

function splice({ text, offsets }: Spliced, edit: TaskEdit): Spliced {
  const item = offsets.find(({ id }) => id === edit.id);
  if (item === undefined) throw unwritableKeyError(edit, "no task or step of that id is in the file");
  const fixed = fixedItemError(item, edit);
  if (fixed !== null) throw fixed;
  const keyOffsets = item.keys[edit.key];
  const change = changeOf(text, item, keyOffsets, edit);
  if (change === null) return { text, offsets };
  const moved = offsets.map((each) => {
    const after = shifted(each, change);
    if (each !== item) return after;
    const { [edit.key]: _, ...others } = after.keys;
    return { ...after, keys: change.offsets ? { ...others, [edit.key]: change.offsets } : others };
  });
  return { text: text.slice(0, change.from) + change.text + text.slice(change.to), offsets: moved };
}

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The offsets of the changed key in the new text; absent: the key is gone. */
  readonly offsets?: KeyOffsets;
}

function changeOf(
  text: string,
  item: ItemOffsets,
  offsets: KeyOffsets | undefined,
  edit: TaskEdit,
): Change | null {
  switch (edit.type) {
    case "set":
      if (!offsets) return addedText(text, item, edit);
      if (isList(offsets)) throw unwritableKeyError(edit, "a list stands there");
      return replaced(text, offsets, renderScalar(edit.value, offsets.style));
    case "clear":
      return offsets ? cleared(text, item, offsets) : null;
    case "append":
      if (!offsets) return addedList(text, item, edit);
      if (offsets.style !== "empty" && !isList(offsets))
        throw unwritableKeyError(edit, "the value is not a list");
      return appended(text, offsets, edit.value);
  }
}

// ── One value ────────────────────────────────────────────────────────────────────────────────────────────────────

function replaced(text: string, { keyStart, keyEnd, ...value }: KeyOffsets, shown: string): Change | null {
  if (value.style === "empty") {
    const { at, lead } = afterColon(text, keyEnd);
    const offsets = { keyStart, keyEnd, ...textAt(at + lead.length, shown) };
    return { from: at, to: at, text: lead + shown, offsets };
  }
  const { start, end } = value;
  const before = text.slice(start, end);
  if (before === shown) return null;
  // A block scalar's range includes its last line break.
  const tail = value.style === "lines" ? (/\r?\n$/.exec(before)?.[0] ?? "") : "";
  return { from: start, to: end, text: shown + tail, offsets: { keyStart, keyEnd, ...textAt(start, shown) } };
}

function textAt(start: number, shown: string): Pick<KeyOffsets, "start" | "end" | "style"> {
  const style = shown.startsWith('"') ? "double" : shown.startsWith("'") ? "single" : "plain";
  return { start, end: start + shown.length, style };
}

/** The place for the value of a key without one: after its colon, which a flow mapping may lack. */
function afterColon(text: string, keyEnd: number): { at: number; lead: string } {
  const length = colonLength(text, keyEnd);
  return length > 0 ? { at: keyEnd + length, lead: " " } : { at: keyEnd, lead: ": " };
}

function colonLength(text: string, keyEnd: number): number {
  let at = keyEnd;
  while (text[at] === " " || text[at] === "\t") at++;
  return text[at] === ":" ? at + 1 - keyEnd : 0;
}

function cleared(text: string, item: ItemOffsets, offsets: KeyOffsets): Change | null {
  const line = loneLine(text, item, offsets);
  if (line) return { ...line, text: "" };
  return offsets.style === "empty" || isList(offsets) ? null : replaced(text, offsets, "null");
}

/** The key's line with its break, if it holds nothing else: no comment, no dash. */
function loneLine(text: string, item: ItemOffsets, offsets: KeyOffsets): { from: number; to: number } | null {
  if (item.indent < 0 || offsets.style === "lines" || isList(offsets)) return null;
  const from = text.lastIndexOf("\n", offsets.keyStart - 1) + 1;
  const valueEnd =
    offsets.style === "empty" ? offsets.keyEnd + colonLength(text, offsets.keyEnd) : offsets.end;
  const end = lineBreak(text, valueEnd);
  const rest = text.slice(from, offsets.keyStart) + text.slice(valueEnd, end.at);
  if (!/^[ \t]*$/.test(rest) || text.slice(offsets.keyStart, valueEnd).includes("\n")) return null;
  return { from, to: end.at + end.length };
}

// ── A key that was not there: after the status where it stands on one line, else after title or id ───────────────

function addedText(text: string, item: ItemOffsets, edit: TaskEdit & { type: "set" }): Change {
  const { at, lead } = afterNeighbour(text, item, edit);
  const shown = renderScalar(edit.value, "plain");
  const keyStart = at + lead.length;
  const keyEnd = keyStart + edit.key.length;
  const offsets = { keyStart, keyEnd, ...textAt(keyEnd + 2, shown) };
  return { from: at, to: at, text: `${lead}${edit.key}: ${shown}`, offsets };
}

function addedList(text: string, item: ItemOffsets, edit: TaskEdit & { type: "append" }): Change {
  const { at, lead } = afterNeighbour(text, item, edit);
  const keyStart = at + lead.length;
  const keyEnd = keyStart + edit.key.length;
  const first = renderScalar(edit.value, "plain");
  if (item.indent < 0) {
    const end = keyEnd + ": [".length + first.length;
    const offsets: KeyOffsets = { keyStart, keyEnd, start: end, end, style: "flow", extra: 1 };
    return { from: at, to: at, text: `${lead}${edit.key}: [${first}]`, offsets };
  }
  const column = item.indent + 2;
  const shown = `${lead}${edit.key}:${breakOf(text)}${" ".repeat(column)}- ${first}`;
  const end = at + shown.length;
  const offsets: KeyOffsets = { keyStart, keyEnd, start: end, end, style: "block", extra: column };
  return { from: at, to: at, text: shown, offsets };
}

function afterNeighbour(text: string, item: ItemOffsets, edit: TaskEdit): { at: number; lead: string } {
  const neighbour = (["status", "title", "id"] as const)
    .map((key) => item.keys[key])
    .find((offsets) => offsets && ["plain", "double", "single", "alias", "empty"].includes(offsets.style));
  if (!neighbour)
    throw unwritableKeyError(edit, "neither its id, its title nor its status stands on one line");
  const end =
    neighbour.style === "empty" ? neighbour.keyEnd + colonLength(text, neighbour.keyEnd) : neighbour.end;
  if (item.indent < 0) return { at: end, lead: ", " };
  return { at: lineBreak(text, end).at, lead: breakOf(text) + " ".repeat(item.indent) };
}

// ── One more item ────────────────────────────────────────────────────────────────────────────────────────────────

function appended(text: string, list: KeyOffsets, value: string): Change {
  const { keyStart, keyEnd, style, extra = 0 } = list;
  const item = renderScalar(value, "plain");
  if (style === "empty") {
    const { at, lead } = afterColon(text, keyEnd);
    const end = at + lead.length + 1 + item.length;
    const offsets: KeyOffsets = { keyStart, keyEnd, start: end, end, style: "flow", extra: 1 };
    return { from: at, to: at, text: `${lead}[${item}]`, offsets };
  }
  const at = list.start;
  const lead = style === "block" ? `${breakOf(text)}${" ".repeat(extra)}- ` : extra === 1 ? ", " : "";
  const end = at + lead.length + item.length;
  const offsets: KeyOffsets = {
    keyStart,
    keyEnd,
    start: end,
    end,
    style,
    extra: style === "block" ? extra : 1,
  };
  return { from: at, to: at, text: lead + item, offsets };
}

function isList(offsets: KeyOffsets): boolean {
  return offsets.style === "flow" || offsets.style === "block";
}

// ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function lineBreak(text: string, offset: number): { at: number; length: 0 | 1 | 2 } {
  const end = text.indexOf("\n", offset);
  if (end < 0) return { at: text.length, length: 0 };
  return end > offset && text[end - 1] === "\r" ? { at: end - 1, length: 2 } : { at: end, length: 1 };
}

function breakOf(text: string): string {
  const end = text.indexOf("\n");
  return end > 0 && text[end - 1] === "\r" ? "\r\n" : "\n";
}

/**
 * Shifts the offsets after the change. An offset that ends where text is inserted stays; one that begins
 * there moves.
 */
function shifted(item: ItemOffsets, { from, to, text }: Change): ItemOffsets {
  const delta = text.length - (to - from);
  if (delta === 0) return item;
  const begin = (offset: number) =>
    offset > from || (offset === from && to === from) ? offset + delta : offset;
  const close = (offset: number) => (offset > from && offset >= to ? offset + delta : offset);
  const move = (offsets: KeyOffsets): KeyOffsets => ({
    ...offsets,
    keyStart: begin(offsets.keyStart),
    keyEnd: close(offsets.keyEnd),
    start: hasOneOffset(offsets.style) ? close(offsets.start) : begin(offsets.start),
    end: close(offsets.end),
  });
  const keys = Object.entries(item.keys).map(([name, offsets]) => [
    name,
    offsets.end < from ? offsets : move(offsets),
  ]);
  return { ...item, keys: Object.fromEntries(keys) };
}

function hasOneOffset(style: Style): boolean {
  return style === "flow" || style === "block" || style === "empty";
}

function unwritableKeyError(edit: TaskEdit, why: string): PawlError {
  return new PawlError(
    "tasks-unwritable",
    `The ${edit.key} of ${edit.id} cannot be changed in tasks.yaml without touching other lines: ${why}.`,
    `Write ${edit.id} out in tasks.yaml as a plain mapping with its own \`${edit.key}\`, then run the command again.`,
  );
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$|^\d{4}-\d\d-\d\dT[0-9:.]+Z$/;
/** Words that some version of YAML does not read as text. */
const WORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar on one line, in the previous style if possible. */
function renderScalar(value: string, style: Style): string {
  if (style === "single" && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const quoted = style === "double" || style === "single";
  if (!quoted && PLAIN.test(value) && !WORD.test(value)) return value;
  return JSON.stringify(value).replace(/[^\x20-\x7e\u00a0-\u1fff\u3000-\ufefe]/g, escaped);
}

function escaped(character: string): string {
  return /[\ud800-\udfff]/.test(character)
    ? character
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
