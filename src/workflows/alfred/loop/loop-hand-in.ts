/** Submits the loop's work: a reference to its source replaces the artifact. */
import { PawlError } from "../../../core/error.ts";
import type { LoadedRun, LoadedTask } from "../state/load.ts";
import type { ActiveTool } from "../state/state-file.ts";
import { definitionOf } from "../tools/definitions.ts";
import { machineOf } from "../tools/machine.ts";
import { type Answer, success } from "../tools/response.ts";

/** Submitted instead of an artifact. */
export const FROM_LOOP = { from: "loop" } as const;

export function isFromLoop(artifact: unknown): boolean {
  if (typeof artifact !== "object" || artifact === null) return false;
  return Object.keys(artifact).length === 1 && "from" in artifact && artifact.from === FROM_LOOP.from;
}

/** Throws unless the tool counts the plan's slots, because the loop can do only that work. */
export function checkTakesLoop({ definition, id }: LoadedRun): void {
  if (definition.countsSubtasks) return;
  throw new PawlError(
    "invalid-action",
    `The loop's evidence is the manifest of implement_task: expected that tool to be active on '${id}', found '${definition.name}'.`,
    `Call ${definition.name} with task_id "${id}" to see what it asks for.`,
  );
}

/**
 * The answer if the loop's evidence is already under review or accepted, because submitting it twice changes
 * nothing; else null.
 */
export function handedInBefore({ id, state }: LoadedTask): Answer | null {
  const active = state.active_tool_state;
  const submitted = active?.context_store.submitted;
  const isUnderReview = submitted?.from === "loop" && active !== null && isReview(active);
  const isAccepted =
    active === null &&
    state.task_status === "ready_for_review" &&
    state.completed_tool_outputs.implement_task?.accepted.at(-1)?.from === "loop";
  if (!isUnderReview && !isAccepted) return null;
  const where = isUnderReview ? "it is under review" : `the task is '${state.task_status}'`;
  return success(
    `The loop's evidence for task '${id}' was handed in before; ${where}. Nothing was changed.`,
    {
      task_id: id,
      task_status: state.task_status,
      active_tool: active?.tool_name ?? null,
      current_state: active?.current_state ?? null,
    },
  );
}

function isReview({ current_state, tool_name }: ActiveTool): boolean {
  return machineOf(definitionOf(tool_name)).workOf(current_state) === null;
}
