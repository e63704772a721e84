import type { TaskEdit } from "../../../tasks-file/splice.ts";
import type { Task, TaskStatus } from "../../../tasks-file/task.ts";

export function statusEdit(task: Pick<Task, "id">, status: TaskStatus): TaskEdit {
  return { type: "set", id: task.id, key: "status", value: status };
}

/** A task whose work begins: in_progress, and since when. */
export function workStarts(task: Task, time: string): readonly TaskEdit[] {
  if (task.status === "in_progress" && task.started_at !== undefined) return [];
  return [
    ...(task.started_at === undefined
      ? ([{ type: "set", id: task.id, key: "started_at", value: time }] as const)
      : []),
    ...(task.status === "in_progress" ? [] : [statusEdit(task, "in_progress")]),
  ];
}

/** No session to be resumed. */
export function forgetSession(task: Task): readonly TaskEdit[] {
  return (["session_id", "session_provider"] as const).flatMap((key) =>
    task[key] === undefined ? [] : [{ type: "clear" as const, id: task.id, key }],
  );
}

export function completed(task: Pick<Task, "id">, time: string): readonly TaskEdit[] {
  return [{ type: "set", id: task.id, key: "completed_at", value: time }, statusEdit(task, "done")];
}
