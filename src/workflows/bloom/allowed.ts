import type { Task } from "../../tasks-file/task.ts";
import { OWN_VERBS } from "./own-verbs.ts";

/**
 * What an agent may run unasked under `permission: edits`: the commands that its prompt names, no gate, and what the loop itself runs
 * to verify the task, as it is written there.
 */
export function allowedCommands(
  command: string,
  task: Pick<Task, "steps" | "verify"> = { steps: [] },
): readonly string[] {
  const own = OWN_VERBS.map((verb) => `${command} ${verb}`);
  const checks = [...(task.verify ?? []), ...task.steps.flatMap(({ verify }) => verify ?? [])];
  return [
    ...["add", "commit", "status", "diff", "log"].map((verb) => `git ${verb}`),
    ...own,
    ...new Set(checks.map((check) => `=${check.trim()}`)),
  ];
}
