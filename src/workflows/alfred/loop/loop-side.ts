/** The loop's side of a task: its state in tasks.yaml, and the loop's records of its run. */
import { PawlError } from "../../../core/error.ts";
import { type LoopRecord, loopDonePath, loopRunPath, parseLoopRecord } from "../../../core/loop-record.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Context } from "../../../runtime/module.ts";
import { checkAsWritten } from "../../../runtime/run-log/read.ts";
import { loadTasks } from "../../../tasks-file/load.ts";
import { idsIn, type Task } from "../../../tasks-file/task.ts";
import type { LoadedRun, LoopProgress } from "../state/load.ts";
import { exportedTask } from "./plan-export.ts";
import { lastRequestTime, stem } from "./rework.ts";

export interface LoopSide {
  /** The tasks file. */
  readonly path: ProjectPath;
  /** Among the top-level tasks only; null: not there. */
  readonly task: Task | null;
  /** The ids of tasks, subtasks and steps in the file that may clash with this task's. */
  readonly taken: ReadonlySet<string>;
  /** The task's run, if it is not finished. */
  readonly open: LoopRecord | null;
  /** The kept run of a finished task. */
  readonly done: LoopRecord | null;
}

/** Throws `tasks-invalid`, `state-unreadable` and `state-tampered`. */
export async function loadLoopSide(view: View, id: string, context: Context): Promise<LoopSide> {
  const path = projectPath(context.settings.bloom.tasks_file);
  const text = await view.read(path);
  const nothing = { path, task: null, taken: new Set<string>(), open: null, done: null };
  // A text without the task's id cannot contain the task, so it is not parsed.
  if (!text?.includes(stem(id))) return nothing;
  const { tasks } = (await loadTasks(view, context)).file;
  const taken = idsIn(tasks);
  const task = tasks.find((each) => each.id === id);
  if (!task) return { ...nothing, taken };
  return {
    path,
    task,
    taken,
    open: await loadRecord(view, id, loopRunPath(id)),
    done: await loadRecord(view, id, loopDonePath(id)),
  };
}

async function loadRecord(view: View, id: string, path: ProjectPath): Promise<LoopRecord | null> {
  const text = await view.read(path);
  if (text === null) return null;
  const record = parseLoopRecord(path, text);
  await checkAsWritten(view, `bloom:${id}`, path, text);
  return record;
}

/**
 * The loop's progress with the plan's steps; null if the loop does not have them now, or its files are
 * unreadable.
 */
export async function loadProgress(
  view: View,
  run: LoadedRun,
  context: Context,
): Promise<LoopProgress | null> {
  try {
    const { done, open, task } = await loadLoopSide(view, run.id, context);
    const steps = new Set(task?.steps.map(({ id }) => id));
    if (task === null || !exportedTask(run, context).steps.some(({ id }) => steps.has(id))) return null;
    const isDone = task.status === "done" && open === null;
    // Finished work that was sent back is no longer the loop's, unless it was handed over again.
    if (isDone && (done?.work?.time ?? "") <= lastRequestTime(run)) return null;
    const record = open ?? (isDone ? done : null);
    return {
      status: task.status,
      state: record?.state ?? null,
      reason: record?.reason ?? null,
      done: task.steps.filter(({ status }) => status === "done").length,
      total: task.steps.length,
      is_done: isDone,
    };
  } catch (thrown) {
    // `bloom validate` and taking the work back report such faults.
    if (thrown instanceof PawlError) return null;
    throw thrown;
  }
}
