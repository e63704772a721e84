import { allChecksOf } from "../../core/criterion.ts";
import type { Task } from "../../tasks-file/task.ts";
import { OWN_VERBS } from "./own-verbs.ts";

/**
 * The commands that an agent may run without asking under `permission: edits`: those that its prompt names
 * (no gate), and the checks of the task and its steps, verbatim.
 */
export function allowedCommands(
  command: string,
  task: Pick<Task, "acceptance_criteria" | "steps" | "verify"> = { acceptance_criteria: [], steps: [] },
): readonly string[] {
  const verbs = OWN_VERBS.map((verb) => `${command} ${verb}`);
  const checks = allChecksOf(task);
  return [
    ...["add", "commit", "status", "diff", "log"].map((verb) => `git ${verb}`),
    ...verbs,
    ...new Set(checks.map((check) => `=${check.trim()}`)),
  ];
}
