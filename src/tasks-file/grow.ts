/** tasks.yaml, as code that adds tasks reads and changes it: the file may be missing. */
import { PawlError } from "../core/error.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import type { Context } from "../runtime/module.ts";
import { proposeEdits, type TasksEdit } from "./edit.ts";
import { fileOf, type ParsedFile } from "./entries.ts";
import { checkLimit } from "./limit.ts";
import { renderProblem } from "./problem.ts";
import { readTasks } from "./read.ts";
import type { Task } from "./task.ts";

export interface TasksText {
  readonly path: ProjectPath;
  /** Null: there is no such file yet. */
  readonly text: string | null;
  /** Null: the file is missing or empty, or was not parsed. */
  readonly parsed: ParsedFile | null;
  readonly tasks: readonly Task[];
}

/** Reads tasks.yaml, which may be missing. Throws `tasks-invalid`, `tasks-too-large`. */
export async function readTasksText(view: View, { settings }: Pick<Context, "settings">): Promise<TasksText> {
  const path = projectPath(settings.bloom.tasks_file);
  const text = await view.read(path);
  if (text === null || text.trim() === "") return { path, text, parsed: null, tasks: [] };
  checkLimit(settings, { path, text, tasks: null, by: "read" });
  const parsed = parse(path, text, null, "Correct it there, then try again.");
  const { tasks } = fileOf(parsed);
  checkLimit(settings, { path, text, tasks, by: "read" });
  return { path, text, parsed, tasks };
}

const MOST_SHOWN = 5;

function parse(path: ProjectPath, text: string, known: ParsedFile | null, fix: string): ParsedFile {
  const read = readTasks(text, known);
  if (read.ok) return read.parsed;
  const shown = read.problems.slice(0, MOST_SHOWN).map((problem) => renderProblem(path, problem));
  throw new PawlError("tasks-invalid", [`${path} cannot be used:`, ...shown].join("\n"), fix);
}

/** The changes of the file; the result is valid. Throws `tasks-invalid`, `tasks-too-large`. */
export function changesOf(
  { path, parsed, text: before }: Omit<TasksText, "tasks">,
  edits: readonly TasksEdit[],
  settings: Pick<Settings, "stores">,
): readonly Change[] {
  if (edits.length === 0) return [];
  const change = proposeEdits(path, before, edits);
  const { text } = change;
  checkLimit(settings, { path, text, tasks: null, by: "change" });
  const after = parse(
    path,
    text,
    parsed,
    "Nothing was changed. What the source says does not fit into this file: see its lines above.",
  );
  checkLimit(settings, { path, text, tasks: fileOf(after).tasks, by: "change" });
  return [change];
}
