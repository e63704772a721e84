/**
 * tasks.yaml in parts, each with its own text and what that says, so that a change costs what one task costs.
 *
 * T1  The texts of the parts in order are the file's text.
 * T2  What a part says is what its text says, whether it was parsed or edited along with it.
 */
import type { PawlError } from "../core/error.ts";
import { type LongText, longText, textWith } from "../core/long-text.ts";
import type { Offsets } from "./offsets.ts";
import { spliceAll, type TaskEdit, whyFixed } from "./splice.ts";
import { type GitSettings, type Task, type TasksFile, withTasks } from "./task.ts";

export interface Parts {
  readonly head: string;
  readonly tail: string;
  /** Of head and tail. */
  readonly git: GitSettings;
  /** One for each task of the list; of a file that cannot be cut up a single one, the whole text. */
  readonly entries: readonly Part[];
}

export interface Part {
  readonly text: string;
  readonly tasks: readonly Task[];
  /** In the part's text. */
  readonly offsets: Offsets;
}

/** The parts of which texts were made, whose pieces are theirs: a store may cut the same text into others. */
const madeOf = new WeakMap<LongText, Parts>();

/** `near`: a text with most of the same pieces. */
export function textOf(parts: Parts, near: LongText | null = null): LongText {
  const text = longText(piecesIn(parts), near);
  madeOf.set(text, parts);
  return text;
}

/** The same where entries at these places were edited: `before` has `text`. */
export function textAfter(before: Parts, text: LongText, after: Parts, places: readonly number[]): LongText {
  if (madeOf.get(text) !== before) return textOf(after, text);
  const { entries, tail } = after;
  const changed = places.map((at): [number, string] => {
    const own = (entries[at] as Part).text;
    return [at + 1, at === entries.length - 1 ? `${own}${tail}` : own];
  });
  const made = textWith(text, new Map(changed));
  madeOf.set(made, after);
  return made;
}

/** As stores keep a list in pieces: what stands before it is one, and what follows it belongs to the last. */
function piecesIn({ head, entries, tail }: Parts): readonly string[] {
  const pieces = [head, ...entries.map(({ text }) => text)];
  if (tail !== "") pieces.push(`${pieces.pop() ?? ""}${tail}`);
  return pieces;
}

export function textsOf({ entries }: Parts): readonly string[] {
  return entries.map(({ text }) => text);
}

export function fileOf({ git, entries }: Parts): TasksFile {
  const tasks: Task[] = [];
  // Far quicker than `flatMap`, and done for each commit.
  for (const part of entries) for (const task of part.tasks) tasks.push(task);
  return { git, tasks };
}

/** The same where some entries were edited: `before` says `file`. `places`: theirs, if they are known. */
export function fileAfter(
  before: Parts,
  file: TasksFile,
  after: Parts,
  places: readonly number[] | null = placesOf(before, after),
): TasksFile {
  const { entries, git } = after;
  if (places === null || before.git !== git || file.tasks.length !== entries.length) return fileOf(after);
  const changed = new Map<number, Task>();
  for (const at of places) {
    const [task, ...others] = (entries[at] as Part).tasks;
    if (task === undefined || others.length > 0) return fileOf(after);
    changed.set(at, task);
  }
  return { git, tasks: withTasks(file.tasks, changed) };
}

/** The places of the entries in which two differ; null: there are more in one than in the other. */
function placesOf(before: Parts, after: Parts): readonly number[] | null {
  if (before.entries.length !== after.entries.length) return null;
  return after.entries.flatMap((part, at) => (part === before.entries[at] ? [] : [at]));
}

/**
 * The edits in order, on text, offsets and tasks alike, and the places of the entries that are others now. All others stay
 * the same objects.
 */
export function editParts(
  parts: Parts,
  edits: readonly TaskEdit[],
): { readonly parts: Parts; readonly places: readonly number[] } {
  const entries = [...parts.entries];
  const places = new Set<number>();
  const byId = idsOf(parts, edits.length);
  for (const edit of edits) {
    const at = byId?.get(edit.id) ?? entries.findIndex((part) => isAbout(part, edit.id));
    const { text, tasks, offsets } = entries[at] ?? NO_PART;
    const spliced = spliceAll(text, offsets, [edit]);
    if (spliced.text === text) continue;
    entries[at] = { ...spliced, tasks: editedItems(tasks, [edit]) };
    places.add(at);
  }
  const edited = { ...parts, entries };
  placesById.set(edited, placesById.get(parts) ?? { byId: null });
  return { parts: edited, places: [...places] };
}

/** Of parts that edits made: where each id is. Edits move none, so what they make shares it. */
const placesById = new WeakMap<Parts, { byId: ReadonlyMap<string, number> | null }>();

/** So many edits look for their entries one by one. */
const FEW = 8;

/** Where each id is; null: for so few edits, that costs more than to look for them. */
function idsOf(parts: Parts, edits: number): ReadonlyMap<string, number> | null {
  const known = placesById.get(parts) ?? (edits > FEW ? { byId: null } : null);
  if (known === null) return null;
  known.byId ??= new Map(
    parts.entries.flatMap(({ offsets }, at) => offsets.map((row) => [row[0] as string, at] as const)),
  );
  placesById.set(parts, known);
  return known.byId;
}

/** Why the status of the task cannot be written, as `editParts` would say it; null: it can. */
export function whyUnwritable({ entries }: Parts, id: string): PawlError | null {
  const part = entries.find((each) => isAbout(each, id));
  return part === undefined ? null : whyFixed(part.offsets, id);
}

/** Whether the task or step of that id is in the part. */
function isAbout({ offsets }: Part, id: string): boolean {
  return offsets.some((row) => row[0] === id);
}

const NO_PART: Part = { text: "", tasks: [], offsets: [] };

/** The task after the edits. */
export function editedTask(task: Task, edits: readonly TaskEdit[]): Task {
  return editedItems([task], edits)[0] as Task;
}

/** The same edits on the parsed tasks; what no edit touches stays the same object. */
function editedItems<T extends { readonly id: string }>(
  items: readonly T[],
  edits: readonly TaskEdit[],
): readonly T[] {
  let edited: T[] | null = null;
  items.forEach((item, at) => {
    const { steps, subtasks } = item as unknown as Partial<Task>;
    const inner = {
      ...editedInner("steps", steps, edits),
      ...editedInner("subtasks", subtasks, edits),
    };
    const own = edits.filter(({ id }) => id === item.id);
    if (own.length === 0 && Object.keys(inner).length === 0) return;
    edited ??= [...items];
    edited[at] = own.reduce<T>((result, edit) => editedItem(result, edit), { ...item, ...inner });
  });
  return edited ?? items;
}

function editedInner<T extends { readonly id: string }>(
  key: string,
  items: readonly T[] = [],
  edits: readonly TaskEdit[],
): Readonly<Record<string, readonly T[]>> {
  const edited = editedItems(items, edits);
  return edited === items ? {} : { [key]: edited };
}

function editedItem<T>(item: T, edit: TaskEdit): T {
  if (edit.type === "append") {
    const before = ((item as Record<string, unknown>)[edit.key] ?? []) as readonly string[];
    return { ...item, [edit.key]: [...before, edit.value] };
  }
  if (edit.type === "set") return { ...item, [edit.key]: edit.value };
  const { [edit.key]: _, ...rest } = item as Record<string, unknown>;
  return rest as T;
}
