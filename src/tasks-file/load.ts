/**
 * tasks.yaml as an advance reads and changes it. The parsed tasks and the places come from the cache where the text is
 * the one that they were worked out of; the file stays the truth.
 */
import { PawlError } from "../core/error.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Context, Worked } from "../runtime/module.ts";
import { nearest } from "./nearest.ts";
import type { Places } from "./offsets.ts";
import { renderProblem } from "./problem.ts";
import { spliceAll, type TaskEdit } from "./splice.ts";
import { type FoundStep, findStep } from "./steps.ts";
import { eachTask, findTask, type Task, type TasksFile } from "./task.ts";

/** The lock under which tasks.yaml and the runs of its tasks change. */
export const TASKS_RUN = "bloom:tasks";
/** The name of the store's editor that redoes edits of tasks.yaml. */
export const TASKS_EDITOR = "tasks";
const CACHE_KIND = "tasks-2";
const SHOWN_PROBLEMS = 5;

export interface LoadedTasks {
  readonly path: ProjectPath;
  readonly text: string;
  readonly file: TasksFile;
  readonly places: Places;
  /** What the cache lacked. */
  readonly worked: readonly Worked[];
}

/** The last text and what it held, so that a process that stays reads an unchanged file only once. */
let last: LoadedTasks | null = null;

/** Reads and checks tasks.yaml. Throws `tasks-missing`, or `tasks-invalid` with every problem. */
export async function loadTasks(
  view: View,
  context: Pick<Context, "settings" | "cache">,
): Promise<LoadedTasks> {
  const path = projectPath(context.settings.bloom.tasks_file);
  const text = await view.read(path);
  if (text === null)
    throw new PawlError(
      "tasks-missing",
      `There is no ${path}: looked in ${context.settings.bloom.searched.join(", ") || "the project's root"}.`,
      `Create ${path} with a list \`tasks:\`, or name another file with --file or $BLOOM_TASKS_FILE.`,
    );
  if (last?.text === text && last.path === path) return { ...last, worked: [] };
  const kept = await context.cache?.get(CACHE_KIND, text);
  last = kept ? { path, text, ...fromCache(kept), worked: [] } : await parsed(path, text);
  return last;
}

async function parsed(path: ProjectPath, text: string): Promise<LoadedTasks> {
  const { parseTasks } = await import("./parse.ts");
  const result = parseTasks(text);
  if (!result.ok) {
    const shown = result.problems.slice(0, SHOWN_PROBLEMS).map((problem) => renderProblem(path, problem));
    const more = result.problems.length - shown.length;
    throw new PawlError(
      "tasks-invalid",
      [
        `${path} has ${result.problems.length === 1 ? "a problem" : `${result.problems.length} problems`}:`,
        ...shown,
        ...(more > 0 ? [`and ${more} more.`] : []),
      ].join("\n"),
      `Edit ${path} at the places named; \`bloom validate\` looks again.`,
    );
  }
  const { file, places } = result;
  return { path, text, file, places, worked: [worked(text, file, places)] };
}

export interface ChangedTasks {
  readonly file: TasksFile;
  /** Empty where the edits change nothing. */
  readonly changes: readonly Change[];
  readonly worked: readonly Worked[];
}

/** The edits as a change of the file, redoable on a text that a person saved meanwhile. */
export function changeTasks(loaded: LoadedTasks, edits: readonly TaskEdit[]): ChangedTasks {
  const { text, places } = spliceAll(loaded.text, loaded.places, edits);
  if (text === loaded.text) return { file: loaded.file, changes: [], worked: loaded.worked };
  const file = { ...loaded.file, tasks: editedItems(loaded.file.tasks, edits) };
  const { path } = loaded;
  last = { path, text, file, places, worked: [] };
  return {
    file,
    changes: [{ type: "edit", path, text, editor: TASKS_EDITOR, edits }],
    worked: [worked(text, file, places)],
  };
}

function worked(source: string, file: TasksFile, places: Places): Worked {
  return { kind: CACHE_KIND, source, worked: () => JSON.stringify({ file, places }) };
}

function fromCache(kept: string): Pick<LoadedTasks, "file" | "places"> {
  return JSON.parse(kept) as Pick<LoadedTasks, "file" | "places">;
}

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

// ── Looking up by id ─────────────────────────────────────────────────────────────────────────────────────────────

/** The task of that id; throws `usage` with the nearest ids. */
export function taskOf(tasks: readonly Task[], id: string): Task {
  const task = findTask(tasks, id);
  if (task) return task;
  const ids = eachTask(tasks).map((item) => item.task.id);
  const owner = findStep(tasks, id);
  throw unknownId("task", id, ids, owner ? `${id} is a step of ${owner.task.id}.` : null);
}

/** The step of that id; throws `usage` with the nearest ids. */
export function stepOf(tasks: readonly Task[], id: string): FoundStep {
  const found = findStep(tasks, id);
  if (found) return found;
  const ids = eachTask(tasks).flatMap((item) => item.task.steps.map((step) => step.id));
  throw unknownId("step", id, ids, findTask(tasks, id) ? `${id} is a task.` : null);
}

function unknownId(
  what: "task" | "step",
  id: string,
  ids: readonly string[],
  hint: string | null,
): PawlError {
  const near = nearest(id, ids);
  const list = what === "task" ? "`bloom list`" : "`bloom step list`";
  return new PawlError(
    "usage",
    `No ${what} has the id ${JSON.stringify(id.slice(0, 100))}. ${hint ?? (near.length > 0 ? `Nearest: ${near.join(", ")}.` : "None is like it.")}`,
    `Use an id that ${list} shows.`,
  );
}
