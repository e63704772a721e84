import { PawlError } from "../../../core/error.ts";
import { taskPath } from "./paths.ts";

const MAX_IDS = 50;

/** `isBegun`: its state exists here, and only the task's file is missing. */
export function missingTaskError(id: string, ids: readonly string[], isBegun = false): PawlError {
  const shown = ids.slice(0, MAX_IDS).join(", ");
  const more = ids.length > MAX_IDS ? `, and ${ids.length - MAX_IDS} more` : "";
  const exist = ids.length === 0 ? "There are no tasks yet." : `The tasks that exist: ${shown}${more}.`;
  return new PawlError(
    "task-missing",
    `Task '${id}' not found. ${exist}`,
    isBegun
      ? `Its run is kept here, in .alfred/workspace/${id}; only ${taskPath(id)} is missing. Switch to the branch that has it, or bring it back (\`git stash pop\`).`
      : ids.length === 0
        ? "Create it with create_task."
        : "Use one of these ids, or create the task with create_task.",
  );
}
