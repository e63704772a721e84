/** tasks.yaml as what adds tasks reads and changes it: it need not be there yet. */
import { PawlError } from "../core/error.ts";
import { wholeOf } from "../core/long-text.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Context } from "../runtime/module.ts";
import { proposeEdits } from "./edit.ts";
import { fileOf } from "./parts.ts";
import { renderProblem } from "./problem.ts";
import type { Put } from "./put.ts";
import { readTasks } from "./read.ts";
import type { Task } from "./task.ts";

export interface TasksText {
  readonly path: ProjectPath;
  /** Null: there is no such file yet. */
  readonly text: string | null;
  readonly tasks: readonly Task[];
}

/** tasks.yaml, which need not be there. Throws `tasks-invalid`. */
export async function readTasksText(view: View, { settings }: Pick<Context, "settings">): Promise<TasksText> {
  const path = projectPath(settings.bloom.tasks_file);
  const text = await view.read(path);
  return {
    path,
    text,
    tasks:
      text === null || text.trim() === "" ? [] : tasksIn(path, text, "Correct it there, then try again."),
  };
}

const MOST_SHOWN = 5;

function tasksIn(path: ProjectPath, text: string, fix: string): readonly Task[] {
  const read = readTasks(text, null);
  if (read.ok) return fileOf(read.parts).tasks;
  const shown = read.problems.slice(0, MOST_SHOWN).map((problem) => renderProblem(path, problem));
  throw new PawlError("tasks-invalid", [`${path} cannot be used:`, ...shown].join("\n"), fix);
}

/** The changes of the file, once it is known that they leave it valid. */
export function changesOf({ path, text }: TasksText, edits: readonly Put[]): readonly Change[] {
  if (edits.length === 0) return [];
  const change = proposeEdits(path, text, edits);
  if (change.type === "edit")
    tasksIn(
      path,
      wholeOf(change.text),
      "Nothing was changed. What the source says does not fit into this file: see its lines above.",
    );
  return [change];
}
