/** The statuses of a task, in the order of its life. */
export const TASK_STATUSES = [
  "new",
  "creating_spec",
  "spec_completed",
  "creating_tasks",
  "tasks_created",
  "planning",
  "ready_for_development",
  "in_development",
  "ready_for_review",
  "in_review",
  "revisions_requested",
  "ready_for_testing",
  "in_testing",
  "ready_for_finalization",
  "in_finalization",
  "done",
] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The tools that hold a run on a task. */
export const RUN_TOOLS = [
  "create_spec",
  "create_tasks_from_spec",
  "start_task",
  "plan_task",
  "implement_task",
  "review_task",
  "test_task",
  "finalize_task",
] as const;

export type RunTool = (typeof RUN_TOOLS)[number];

export function isTaskStatus(value: unknown): value is TaskStatus {
  return (TASK_STATUSES as readonly unknown[]).includes(value);
}

export function isRunTool(value: unknown): value is RunTool {
  return (RUN_TOOLS as readonly unknown[]).includes(value);
}

/** The tool for a task's status when none is active; null when the task is done. */
export const NEXT_TOOL: Readonly<Record<TaskStatus, RunTool | null>> = {
  new: "start_task",
  creating_spec: "create_spec",
  spec_completed: "create_tasks_from_spec",
  creating_tasks: "create_tasks_from_spec",
  tasks_created: "plan_task",
  planning: "plan_task",
  ready_for_development: "implement_task",
  in_development: "implement_task",
  ready_for_review: "review_task",
  in_review: "review_task",
  revisions_requested: "implement_task",
  ready_for_testing: "test_task",
  in_testing: "test_task",
  ready_for_finalization: "finalize_task",
  in_finalization: "finalize_task",
  done: null,
};
