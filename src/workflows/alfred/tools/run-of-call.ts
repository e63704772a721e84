import { isId } from "../../../core/id.ts";
import { RUN_TOOLS } from "../state/status.ts";

/** The tools that are about the task in their `task_id`. */
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
