/**
 * tasks.yaml in parts, each with its own text and what that says, so that a change costs what one task costs.
 *
 * T1  The texts of the parts in order are the file's text.
 * T2  What a part says is what its text says, whether it was parsed or edited along with it.
 */
import type { PawlError } from "../core/error.ts";
import { type LongText, longText } from "../core/long-text.ts";
import type { Offsets } from "./offsets.ts";
import { spliceAll, type TaskEdit, whyFixed } from "./splice.ts";
import type { GitSettings, Task, TasksFile } from "./task.ts";

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

/** `near`: the text before some entries were edited. */
export function textOf(parts: Parts, near: LongText | null = null): LongText {
  return longText(piecesIn(parts), near);
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

/** The same where some entries were edited: `before` says `file`. */
export function fileAfter(before: Parts, file: TasksFile, after: Parts): TasksFile {
  const { entries, git } = after;
  const isEdited = before.entries.length === entries.length && file.tasks.length === entries.length;
  if (!isEdited || before.git !== git) return fileOf(after);
  const tasks = [...file.tasks];
  for (let at = 0; at < entries.length; at++) {
    const part = entries[at] as Part;
    if (part === before.entries[at]) continue;
    const [task, ...others] = part.tasks;
    if (task === undefined || others.length > 0) return fileOf(after);
    tasks[at] = task;
  }
  return { git, tasks };
}

/** The edits in order, on text, offsets and tasks alike; parts that no edit is about stay the same objects. */
export function editParts(parts: Parts, edits: readonly TaskEdit[]): Parts {
  const entries = [...parts.entries];
  for (const edit of edits) {
    const at = entries.findIndex((part) => isAbout(part, edit.id));
    const { text, tasks, offsets } = entries[at] ?? NO_PART;
    const spliced = spliceAll(text, offsets, [edit]);
    if (spliced.text !== text) entries[at] = { ...spliced, tasks: editedItems(tasks, [edit]) };
  }
  return { ...parts, entries };
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
