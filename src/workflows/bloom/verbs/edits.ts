import type { TaskEdit } from "../../../tasks-file/splice.ts";
import type { Step, Task, TaskStatus } from "../../../tasks-file/task.ts";

type Item = Pick<Task, "id">;

export function set({ id }: Item, key: TaskEdit["key"], value: string): TaskEdit {
  return { type: "set", id, key, value };
}

export function noted({ id }: Item, value: string): TaskEdit {
  return { type: "append", id, key: "ai_notes", value };
}

export function statusEdit(task: Item, status: TaskStatus): TaskEdit {
  return set(task, "status", status);
}

/**
 * The edits that set a status; none if it is already set. Clears the reason for a cancellation if it no
 * longer applies.
 */
export function statusTo(task: Pick<Task, "id" | "status">, status: TaskStatus): readonly TaskEdit[] {
  if (task.status === status) return [];
  const back =
    task.status === "cancelled" ? [{ type: "clear", id: task.id, key: "cancel_reason" } as const] : [];
  return [...back, statusEdit(task, status)];
}

/** The edits when the work on a task or step begins: in_progress, and since when. */
export function workStarts(task: Task | Step, time: string): readonly TaskEdit[] {
  return [
    ...(task.started_at === undefined ? [set(task, "started_at", time)] : []),
    ...(task.status === "in_progress" ? [] : [set(task, "status", "in_progress")]),
  ];
}

/** Removes the session, so that it is not resumed. */
export function forgetSession(task: Task): readonly TaskEdit[] {
  return (["session_id", "session_provider"] as const).flatMap((key) =>
    task[key] === undefined ? [] : [{ type: "clear" as const, id: task.id, key }],
  );
}

/** The edits that complete a task or a step. */
export function completed(task: Item, time: string): readonly TaskEdit[] {
  return [set(task, "completed_at", time), set(task, "status", "done")];
}

/** In milliseconds; 0 if its start is not known. */
export function durationOf({ started_at }: Pick<Step, "started_at">, time: string): number {
  const started = Date.parse(started_at ?? time);
  return Number.isNaN(started) ? 0 : Math.max(0, Date.parse(time) - started);
}
