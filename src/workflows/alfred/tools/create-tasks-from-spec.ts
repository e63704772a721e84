import { nowAt, type ToolDefinition } from "../definition.ts";

export const CREATE_TASKS_FROM_SPEC: ToolDefinition = {
  name: "create_tasks_from_spec",
  title: "Create tasks from the specification",
  description:
    "Cut the accepted specification of a task into tasks of their own, with dependencies. Use it when the task is spec_completed; the task files are written when the list is approved.",
  reviews: "shared",
  steps: [{ state: "dispatched", artifact: "TaskListArtifact", evidence: [], createsTasks: true }],
  status: { before: ["spec_completed"], running: "creating_tasks", after: "tasks_created" },
  persona: "planning",
  greeting: nowAt("Creation of the tasks"),
  handover: (id, status) =>
    `The tasks of the specification are created. The task ${id} is now '${status}'. Call 'plan_task' to go on.`,
};
