/**
 * tasks.yaml as a transaction reads and changes it. Parts whose text is known, from memory or from the cache, are taken
 * as they were; the file stays the truth.
 */

import { PawlError } from "../core/error.ts";
import { isSameText, type LongText, longText } from "../core/long-text.ts";
import { nearestFew } from "../core/nearest.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { CacheEntry, Context } from "../runtime/module.ts";
import { editParts, fileAfter, fileOf, type Parts, textAfter, textOf } from "./parts.ts";
import { type Problem, renderProblem } from "./problem.ts";
import { TASKS_EDITOR, type TaskEdit } from "./splice.ts";
import { type FoundStep, findStep } from "./steps.ts";
import { eachTask, findTask, type Task, type TasksFile } from "./task.ts";

/** The lock under which tasks.yaml and the runs of its tasks change. */
export const TASKS_RUN = "bloom:tasks";
const CACHE_KIND = "tasks-4";
const SHOWN_PROBLEMS = 5;

export interface LoadedTasks {
  readonly path: ProjectPath;
  readonly text: LongText;
  readonly file: TasksFile;
  readonly parts: Parts;
  /** What the cache lacked. */
  readonly cacheEntries: readonly CacheEntry[];
}

/** What this process read last, and what its last change makes of it: taken only where the file's text is the same. */
let read: LoadedTasks | null = null;
let proposed: LoadedTasks | null = null;

/** Reads and checks tasks.yaml. Throws `tasks-missing`, or `tasks-invalid` with every problem. */
export async function loadTasks(
  view: View,
  context: Pick<Context, "settings" | "cache">,
): Promise<LoadedTasks> {
  const path = projectPath(context.settings.bloom.tasks_file);
  const text = await readText(view, path);
  if (text === null)
    throw new PawlError(
      "tasks-missing",
      `There is no ${path}: looked in ${context.settings.bloom.searched.join(", ") || "the project's root"}.`,
      `Create ${path} with a list \`tasks:\`, or name another file with --file or $BLOOM_TASKS_FILE.`,
    );
  const same = [read, proposed].find((each) => each?.path === path && isSameText(each.text, text));
  if (same) {
    read = same;
    return same;
  }
  const last = read?.path === path ? read : null;
  const own = last?.parts ?? null;
  const cached =
    own === null ? (((await context.cache?.get(CACHE_KIND, path)) ?? null) as Parts | null) : null;
  const kept = own ?? (cached && withStrings(cached, text));
  const isSame = own === null && kept !== null && isSameText(textOf(kept), text);
  const parts = isSame ? kept : await parsed(path, text, kept);
  read = loaded(path, text, parts, last);
  return isSame ? read : { ...read, cacheEntries: [cacheEntry(path, parts)] };
}

async function readText(view: View, path: ProjectPath): Promise<LongText | null> {
  const long = await view.readLong?.(path);
  if (long !== undefined) return long;
  const text = await view.read(path);
  return text === null ? null : longText([text]);
}

/** The parts with the very strings of the text wherever they are the same, so that later looks compare them at no cost. */
function withStrings(parts: Parts, { pieces }: LongText): Parts {
  const entries = parts.entries.map((part, at) => {
    const piece = pieces[at + 1];
    return piece === part.text ? { ...part, text: piece } : part;
  });
  return { ...parts, entries };
}

async function parsed(path: ProjectPath, text: LongText, known: Parts | null): Promise<Parts> {
  const { readTasks } = await import("./read.ts");
  const result = readTasks(text, known);
  if (result.ok) return result.parts;
  throw tasksInvalid(path, result.problems);
}

export function tasksInvalid(path: string, problems: readonly Problem[]): PawlError {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => renderProblem(path, problem));
  const more = problems.length - shown.length;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const lines = [`${path} has ${count}:`, ...shown, ...(more > 0 ? [`and ${more} more.`] : [])];
  return new PawlError(
    "tasks-invalid",
    lines.join("\n"),
    `Edit ${path} at the places named; \`bloom validate\` looks again.`,
  );
}

export interface ChangedTasks {
  readonly file: TasksFile;
  /** Empty where the edits change nothing. */
  readonly changes: readonly Change[];
  readonly cacheEntries: readonly CacheEntry[];
}

/** The edits as a change of the file, redoable on a text that a person saved meanwhile. */
export function changeTasks(before: LoadedTasks, edits: readonly TaskEdit[]): ChangedTasks {
  const { path } = before;
  const { parts, places } = editParts(before.parts, edits);
  if (places.every((at) => parts.entries[at]?.text === before.parts.entries[at]?.text))
    return { file: before.file, changes: [], cacheEntries: before.cacheEntries };
  const text = textAfter(before.parts, before.text, parts, places);
  proposed = loaded(path, text, parts, before, places);
  return {
    file: proposed.file,
    changes: [{ type: "edit", path, text, editor: TASKS_EDITOR, edits }],
    cacheEntries: [cacheEntry(path, parts)],
  };
}

/** `near`: what is mostly the same; null: nothing is known. `places`: of the entries that are others, if they are known. */
function loaded(
  path: ProjectPath,
  text: LongText,
  parts: Parts,
  near: LoadedTasks | null,
  places?: readonly number[],
): LoadedTasks {
  const file = near === null ? fileOf(parts) : fileAfter(near.parts, near.file, parts, places);
  return { path, text, file, parts, cacheEntries: [] };
}

function cacheEntry(path: ProjectPath, parts: Parts): CacheEntry {
  return { kind: CACHE_KIND, source: path, value: () => parts };
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
  const near = nearestFew(id, ids);
  const list = what === "task" ? "`bloom list`" : "`bloom step list`";
  return new PawlError(
    "usage",
    `No ${what} has the id ${JSON.stringify(id.slice(0, 100))}. ${hint ?? (near.length > 0 ? `Nearest: ${near.join(", ")}.` : "None is like it.")}`,
    `Use an id that ${list} shows.`,
  );
}
