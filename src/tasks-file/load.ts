/**
 * tasks.yaml, as a transaction reads and changes it. Entries with a known text come from memory or from the
 * cache; the file stays the truth.
 */

import { PawlError } from "../core/error.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import { nearestFew } from "../core/text/nearest.ts";
import type { CacheEntry, Context } from "../runtime/module.ts";
import { editEntries, fileOf, type ParsedFile, textOf } from "./entries.ts";
import { checkLimit } from "./limit.ts";
import { type Problem, renderProblem } from "./problem.ts";
import { advanced, PROGRESS, parseProgress, renderProgress, withProgress } from "./progress.ts";
import { TASKS_EDITOR, type TaskEdit } from "./splice.ts";
import { type FoundStep, findStep } from "./steps.ts";
import { eachTask, findTask, type Task, type TasksFile } from "./task.ts";

/** The lock under which tasks.yaml and the runs of its tasks change. */
export const TASKS_RUN = "bloom:tasks";
const CACHE_KIND = "tasks";
const SHOWN_PROBLEMS = 5;

export interface LoadedTasks {
  readonly path: ProjectPath;
  readonly text: string;
  readonly file: TasksFile;
  readonly parsed: ParsedFile;
  /** The entries that the cache lacked. */
  readonly cacheEntries: readonly CacheEntry[];
  /** The two documents in a database from which the text is made; null: a file holds the text itself. */
  readonly stored: StoredTasks | null;
}

export interface StoredTasks {
  /** What people wrote. */
  readonly text: string;
  readonly parsed: ParsedFile;
  /** What was written since; null: nothing. */
  readonly progress: string | null;
}

/**
 * The tasks that this process read last, with its own last change: used only if the file's text is the same.
 */
let read: LoadedTasks | null = null;
let proposed: LoadedTasks | null = null;

/** It is missing, or empty: a wall around an agent puts an empty file in the place of a missing one. */
export function isNoTasksFile(text: string | null): text is null | "" {
  return text === null || text === "";
}

/**
 * Reads and checks tasks.yaml. Throws `tasks-missing`, `tasks-too-large`, or `tasks-invalid` with every
 * problem.
 */
export async function loadTasks(
  view: View,
  context: Pick<Context, "settings" | "cache">,
): Promise<LoadedTasks> {
  const { settings } = context;
  const path = projectPath(settings.bloom.tasks_file);
  const text = await view.read(path);
  if (isNoTasksFile(text))
    throw new PawlError(
      "tasks-missing",
      text === ""
        ? `${path} is empty.`
        : `There is no ${path}: looked in ${settings.bloom.searched.join(", ") || "the project's root"}.`,
      `Create ${path} with a list \`tasks:\`, or name another file with --file or $BLOOM_TASKS_FILE.`,
    );
  if (settings.stores.bloom === "postgres") return loadStored(view, path, text, context.cache);
  checkLimit(settings, { path, text, tasks: null, by: "read" });
  const cached = [read, proposed].find((each) => each?.path === path && each.text === text && !each.stored);
  const tasks = cached ?? (await readFresh(path, text, context.cache));
  checkLimit(settings, { path, text, tasks: tasks.file.tasks, by: "read" });
  read = { ...tasks, cacheEntries: [] };
  return tasks;
}

async function loadStored(
  view: View,
  path: ProjectPath,
  text: string,
  cache: Context["cache"],
): Promise<LoadedTasks> {
  const progress = await view.read(PROGRESS);
  const all = [read, proposed].filter((each) => each?.path === path && each.stored?.text === text);
  const cached = all.find((each) => each?.stored?.progress === progress);
  const tasks =
    cached ??
    composed(
      all[0]?.stored ? loaded(path, text, all[0].stored.parsed, []) : await readFresh(path, text, cache),
      progress,
    );
  read = { ...tasks, cacheEntries: [] };
  return tasks;
}

/** `written`: the tasks as people wrote them. */
function composed(written: LoadedTasks, progress: string | null): LoadedTasks {
  const { cacheEntries, parsed, path, text } = written;
  const all = withProgress(parsed, parseProgress(progress));
  return { ...loaded(path, textOf(all), all, cacheEntries), stored: { text, parsed, progress } };
}

async function readFresh(path: ProjectPath, text: string, cache: Context["cache"]): Promise<LoadedTasks> {
  const before = read?.path === path ? (read.stored?.parsed ?? read.parsed) : null;
  const cached = before ?? ((await cache?.get(CACHE_KIND, path)) as ParsedFile | null | undefined) ?? null;
  if (before === null && cached !== null && textOf(cached) === text) return loaded(path, text, cached, []);
  const { readTasks } = await import("./read.ts");
  const result = readTasks(text, cached);
  if (!result.ok) throw invalidTasksError(path, result.problems);
  return loaded(path, text, result.parsed, [cacheEntry(path, result.parsed)]);
}

function loaded(
  path: ProjectPath,
  text: string,
  parsed: ParsedFile,
  cacheEntries: readonly CacheEntry[],
): LoadedTasks {
  return { path, text, file: fileOf(parsed), parsed, cacheEntries, stored: null };
}

export function invalidTasksError(path: string, problems: readonly Problem[]): PawlError {
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
  /** Empty if the edits change nothing. */
  readonly changes: readonly Change[];
  readonly cacheEntries: readonly CacheEntry[];
}

/**
 * The edits as a change of the file, redoable on a text that a person saved meanwhile. Throws
 * `tasks-too-large`.
 */
export function changeTasks(
  before: LoadedTasks,
  edits: readonly TaskEdit[],
  settings: Pick<Settings, "stores">,
): ChangedTasks {
  const { path } = before;
  const parsed = editEntries(before.parsed, edits);
  const text = textOf(parsed);
  if (text === before.text) return { file: before.file, changes: [], cacheEntries: before.cacheEntries };
  if (before.stored !== null) return changeStored(before, before.stored, edits);
  checkLimit(settings, { path, text, tasks: null, by: "change" });
  proposed = loaded(path, text, parsed, []);
  return {
    file: proposed.file,
    changes: [{ type: "edit", path, text, editor: TASKS_EDITOR, edits }],
    cacheEntries: [cacheEntry(path, parsed)],
  };
}

function changeStored(before: LoadedTasks, stored: StoredTasks, edits: readonly TaskEdit[]): ChangedTasks {
  const { cacheEntries, path } = before;
  const progress = renderProgress(advanced(parseProgress(stored.progress), edits));
  proposed = composed(loaded(path, stored.text, stored.parsed, []), progress);
  return {
    file: proposed.file,
    changes: [{ type: "write", path: PROGRESS, text: progress }],
    cacheEntries,
  };
}

function cacheEntry(path: ProjectPath, parsed: ParsedFile): CacheEntry {
  return { kind: CACHE_KIND, source: path, value: () => parsed };
}

// ── Looking up by id ─────────────────────────────────────────────────────────────────────────────────────────────

/** The task of that id; throws `usage` with the nearest ids. */
export function taskOf(tasks: readonly Task[], id: string): Task {
  const task = findTask(tasks, id);
  if (task) return task;
  const ids = eachTask(tasks).map((item) => item.task.id);
  const owner = findStep(tasks, id);
  throw unknownIdError("task", id, ids, owner ? `${id} is a step of ${owner.task.id}.` : null);
}

/** The step of that id; throws `usage` with the nearest ids. */
export function stepOf(tasks: readonly Task[], id: string): FoundStep {
  const step = findStep(tasks, id);
  if (step) return step;
  const ids = eachTask(tasks).flatMap((item) => item.task.steps.map((step) => step.id));
  throw unknownIdError("step", id, ids, findTask(tasks, id) ? `${id} is a task.` : null);
}

function unknownIdError(
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
