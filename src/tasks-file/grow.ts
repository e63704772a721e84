/** tasks.yaml, as code that adds and edits tasks reads and changes it: the file may be missing. */
import { PawlError } from "../core/error.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import type { Context } from "../runtime/module.ts";
import { proposeEdits, type TasksEdit } from "./edit.ts";
import { fileOf, type ParsedFile } from "./entries.ts";
import { checkLimit } from "./limit.ts";
import { renderProblem } from "./problem.ts";
import {
  advanced,
  isProgressKey,
  PROGRESS,
  parseProgress,
  renderProgress,
  withProgress,
} from "./progress.ts";
import { type ReadTasks, readTasks, readWhole } from "./read.ts";
import type { TaskEdit } from "./splice.ts";
import type { Task } from "./task.ts";

export interface TasksText {
  readonly path: ProjectPath;
  /** Null: there is no such file yet. */
  readonly text: string | null;
  /** Null: the file is missing or empty, or was not parsed. */
  readonly parsed: ParsedFile | null;
  readonly tasks: readonly Task[];
  /** What was written since by the work, where the tasks are in a database; null: nothing, or a file has all. */
  readonly progress: string | null;
}

/** Reads tasks.yaml, which may be missing. Throws `tasks-invalid`, `tasks-too-large`. */
export async function readTasksText(view: View, { settings }: Pick<Context, "settings">): Promise<TasksText> {
  const path = projectPath(settings.bloom.tasks_file);
  const text = await view.read(path);
  const progress = settings.stores.bloom === "postgres" ? await view.read(PROGRESS) : null;
  if (text === null || text.trim() === "") return { path, text, parsed: null, tasks: [], progress };
  checkLimit(settings, { path, text, tasks: null, by: "read" });
  const parsed = parsedOr(path, readTasks(text, null), "Correct it there, then try again.");
  const { tasks } = fileOf(withProgress(parsed, parseProgress(progress)));
  checkLimit(settings, { path, text, tasks, by: "read" });
  return { path, text, parsed, tasks, progress };
}

const MAX_SHOWN = 5;

function parsedOr(path: ProjectPath, read: ReadTasks, fix: string): ParsedFile {
  if (read.ok) return read.parsed;
  const shown = read.problems.slice(0, MAX_SHOWN).map((problem) => renderProblem(path, problem));
  throw new PawlError("tasks-invalid", [`${path} cannot be used:`, ...shown].join("\n"), fix);
}

/** The changes of the tasks; the result is valid. Throws `tasks-invalid`, `tasks-too-large`. */
export function changesOf(
  { path, parsed, progress, text: before }: TasksText,
  edits: readonly TasksEdit[],
  settings: Pick<Settings, "stores">,
): readonly Change[] {
  const isStored = settings.stores.bloom === "postgres";
  const written = isStored ? edits.filter((edit) => !isProgress(edit)) : edits;
  const parsedProgress = parseProgress(progress);
  const next = advanced(parsedProgress, isStored ? edits.flatMap(progressOf) : []);
  const changes: Change[] = [];
  let after = parsed;
  if (written.length > 0) {
    const change = proposeEdits(path, before, written);
    const { text } = change;
    checkLimit(settings, { path, text, tasks: null, by: "change" });
    // What is mostly new was parsed as a whole when it was changed.
    const isNew = text.length > 2 * (before?.length ?? 0);
    after = parsedOr(
      path,
      isNew ? readWhole(text) : readTasks(text, parsed),
      "Nothing was changed. What the source says does not fit into this file: see its lines above.",
    );
    changes.push(change);
  }
  if (after !== null)
    checkLimit(settings, { path, text: "", tasks: fileOf(withProgress(after, next)).tasks, by: "change" });
  if (next !== parsedProgress) changes.push({ type: "write", path: PROGRESS, text: renderProgress(next) });
  return changes;
}

/** The tasks after these changes of `changesOf`. */
export function changedTasks(
  { parsed, path, progress, text: before }: TasksText,
  changes: readonly Change[],
): Pick<TasksText, "tasks" | "text"> {
  const written = changes.find((change) => change.type === "edit");
  const noted = changes.find((change) => change.type === "write");
  const text = written?.text ?? before;
  if (text === null || text.trim() === "") return { text, tasks: [] };
  const after = parsedOr(path, readTasks(text, parsed), "Correct it there, then try again.");
  return { text, tasks: fileOf(withProgress(after, parseProgress(noted?.text ?? progress))).tasks };
}

/** Whether it changes what the work writes, not what people write. */
function isProgress(edit: TasksEdit): boolean {
  return progressOf(edit).length > 0;
}

function progressOf(edit: TasksEdit): readonly TaskEdit[] {
  if (edit.type === "set" || edit.type === "clear" || edit.type === "append") return [edit];
  if (edit.type !== "put" || edit.id === null || !isProgressKey(edit.key)) return [];
  const { id, key, value } = edit;
  return typeof value === "string" ? [{ type: "set", id, key, value }] : [];
}
