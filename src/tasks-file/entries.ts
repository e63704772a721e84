/**
 * tasks.yaml as the entries of its list, so that a change of one task parses and edits only that one: parsing
 * a thousand takes half a second.
 *
 * T1  Head, entries and tail in order are the file's text.
 * T2  An entry's tasks and offsets are those of its text, whether it was parsed or edited.
 */
import type { PawlError } from "../core/error.ts";
import type { Offsets } from "./offsets.ts";
import { fixedTaskError, spliceAll, type TaskEdit } from "./splice.ts";
import type { GitSettings, Task, TasksFile } from "./task.ts";

export interface ParsedFile {
  /** Up to the first task, `tasks:` included. */
  readonly head: string;
  /** The text after the list. */
  readonly tail: string;
  /** From head and tail. */
  readonly git: GitSettings;
  /** One for each task of the list. A file that cannot be cut has a single one, the whole text. */
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly text: string;
  readonly tasks: readonly Task[];
  /** Offsets in the entry's text. */
  readonly offsets: Offsets;
}

export function textOf({ head, entries, tail }: ParsedFile): string {
  return [head, ...entries.map(({ text }) => text), tail].join("");
}

export function fileOf({ git, entries }: ParsedFile): TasksFile {
  return { git, tasks: entries.flatMap(({ tasks }) => tasks) };
}

/** Applies the edits in order to text, offsets and tasks. Unedited entries stay the same objects. */
export function editEntries(parsed: ParsedFile, edits: readonly TaskEdit[]): ParsedFile {
  const entries = [...parsed.entries];
  for (const edit of edits) {
    const at = indexOf(parsed, edit.id);
    const { text, tasks, offsets } = (at === undefined ? undefined : entries[at]) ?? NO_ENTRY;
    const spliced = spliceAll(text, offsets, [edit]);
    if (at !== undefined && spliced.text !== text)
      entries[at] = { ...spliced, tasks: editedItems(tasks, [edit]) };
  }
  return { ...parsed, entries };
}

const NO_ENTRY: Entry = { text: "", tasks: [], offsets: [] };

/** Why the task's status cannot be written, as an error of `editEntries`; null: it can. */
export function unwritableTaskError(parsed: ParsedFile, id: string): PawlError | null {
  const at = indexOf(parsed, id);
  const entry = at === undefined ? undefined : parsed.entries[at];
  return entry === undefined ? null : fixedTaskError(entry.offsets, id);
}

const indexes = new WeakMap<ParsedFile, ReadonlyMap<string, number>>();

/** The index of the entry that has the task or step. */
function indexOf(parsed: ParsedFile, id: string): number | undefined {
  let index = indexes.get(parsed);
  if (index === undefined) {
    index = new Map(
      parsed.entries.flatMap(({ offsets }, at) => offsets.map((item) => [item.id, at] as const)),
    );
    indexes.set(parsed, index);
  }
  return index.get(id);
}

/** The task after the edits. */
export function editedTask(task: Task, edits: readonly TaskEdit[]): Task {
  return editedItems([task], edits)[0] as Task;
}

/** The same edits on the parsed tasks; unedited ones stay the same objects. */
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
    const itemEdits = edits.filter(({ id }) => id === item.id);
    if (itemEdits.length === 0 && Object.keys(inner).length === 0) return;
    edited ??= [...items];
    edited[at] = itemEdits.reduce<T>((result, edit) => editedItem(result, edit), { ...item, ...inner });
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
