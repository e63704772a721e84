import { isId } from "../../../core/id.ts";
import { RUN_TOOLS } from "../state/status.ts";

/** The tools whose `task_id` names the task that they concern. */
const TOOLS: readonly string[] = [
  ...RUN_TOOLS,
  "work_on_task",
  "mark_subtask_complete",
  "submit_work",
  "provide_review",
];

export function runOfCall(tool: string, { task_id: id }: Readonly<Record<string, unknown>>): string | null {
  return TOOLS.includes(tool) && typeof id === "string" && isId(id) ? id : null;
}
