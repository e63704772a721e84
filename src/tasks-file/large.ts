/**
 * Additions to a tasks.yaml that is too large to be parsed as a whole: only the entries that change are parsed, each as a file of
 * its own. What `read.ts` cut into entries means in each what it means in the whole.
 */
import { type Fields, type Insertion, insert, Layout } from "./insert.ts";
import { type Put, putAll as putWhole } from "./put.ts";
import { readTasks } from "./read.ts";
import { type Pieces, split } from "./split.ts";
import type { Task } from "./task.ts";

/** Characters. Up to here the whole is quicker; the parser refuses somewhat more. */
const WHOLE = 1_500_000;
/** Of new tasks at once. */
const CHUNK = 500_000;
const HEAD = "tasks:\n";

type Adding = Extract<Put, { readonly type: "add-items" }>;

/** Throws `Layout`. */
export function putAll(text: string, puts: readonly Put[]): string {
  if (text.length + JSON.stringify(puts).length <= WHOLE) return putWhole(text, puts);
  const lists = puts.filter((put): put is Adding => put.type === "add-items" && put.into === null);
  const others = puts.filter((put) => !lists.includes(put as Adding));
  const [first = [], ...more] = chunksOf(lists.flatMap(({ items }) => items));
  const entries = split(text) === null ? begin(putWhole(text, [adding(first)])) : openEntries(text);
  if (entries === null) return putWhole(text, puts);
  for (const [id, own] of Map.groupBy(others, (put) => (put.type === "put" ? put.id : (put.into ?? ""))))
    entries.change(id, (alone) => putWhole(alone, own));
  for (const chunk of split(text) === null ? more : [first, ...more]) {
    const items = chunk.filter(({ id }) => !entries.has(String(id)));
    if (items.length > 0) entries.append((alone) => putWhole(alone, [adding(items)]));
  }
  return entries.text();
}

/** Throws `Layout`. */
export function insertInto(text: string, insertion: Insertion): string {
  if (text.length <= WHOLE || split(text) === null) return insert(text, insertion);
  const entries = openEntries(text);
  const id = insertion.type === "add-task" ? insertion.task.id : insertion.id;
  const change = (alone: string) => insert(alone, insertion);
  if (insertion.type === "add-task" && !entries.has(id)) entries.append(change);
  else entries.change(id, change);
  return entries.text();
}

function adding(items: readonly Fields[]): Put {
  return { type: "add-items", into: null, list: "tasks", items };
}

function chunksOf(items: readonly Fields[]): readonly (readonly Fields[])[] {
  const chunks: Fields[][] = [];
  let size = CHUNK;
  for (const item of items) {
    if (size >= CHUNK) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(item);
    size += JSON.stringify(item).length;
  }
  return chunks;
}

/** A file with the first tasks of those that it will have: until it has all, what they name may be missing. */
function begin(text: string): Entries | null {
  const pieces = split(text);
  return pieces && entriesOf(pieces, new Map());
}

function openEntries(text: string): Entries {
  const read = readTasks(text, null);
  const [problem] = read.ok ? [] : read.problems;
  if (problem)
    throw new Layout(`line ${problem.line}, column ${problem.column}: ${problem.message.replace(/\.$/, "")}`);
  if (!read.ok || read.parts.head === "")
    throw new Layout("it is large, and its list of tasks is not written on lines of its own without aliases");
  const { entries, head, tail } = read.parts;
  const places = entries.flatMap(({ tasks }, at) => tasks.flatMap(idsIn).map((id) => [id, at] as const));
  return entriesOf({ head, entries: entries.map((part) => part.text), tail }, new Map(places));
}

/** `places`: in which entry the task or step of an id is. */
function entriesOf({ entries, head, tail }: Pieces, places: ReadonlyMap<string, number>): Entries {
  const texts = [...entries];
  const changed = (entry: string, change: (alone: string) => string) => {
    const result = change(HEAD + entry);
    if (result.startsWith(HEAD)) return result.slice(HEAD.length);
    throw new Layout("a task cannot be changed without changing what is there");
  };
  return {
    has: (id) => places.has(id),
    text: () => [head, ...texts, tail].join(""),
    change(id, change) {
      const at = places.get(id);
      if (at === undefined) throw new Layout(`${id} is not written out in the list \`tasks\``);
      texts[at] = changed(texts[at] ?? "", change);
    },
    append(change) {
      const grown = changed(texts.pop() ?? "", change);
      const pieces = split(HEAD + grown);
      texts.push(...(pieces?.head === HEAD && pieces.tail === "" ? pieces.entries : [grown]));
    },
  };
}

interface Entries {
  has(id: string): boolean;
  text(): string;
  /** The entry in which the task or step of that id is. */
  change(id: string, change: (alone: string) => string): void;
  /** Behind the last entry, which `change` is given. */
  append(change: (alone: string) => string): void;
}

function idsIn({ id, steps, subtasks }: Task): readonly string[] {
  return [id, ...steps.map((step) => step.id), ...subtasks.flatMap(idsIn)];
}
