/** tasks.yaml wins over the runs: a status that a person wrote there after the loop's last write counts. */

import type { Task } from "../../../tasks-file/task.ts";
import type { TaskRun } from "./task-run.ts";

/** The reason, for the events that need one. */
export function personsReason(task: Task, event: string | null): string | undefined {
  if (event === "cancelled") return task.cancel_reason ?? "no reason is given";
  return event === "halted" && task.status === "cancelled"
    ? `tasks.yaml was set to \`cancelled\` while its agent was at work; \`bloom cancel ${task.id}\` cancels it`
    : undefined;
}

/**
 * The event that a person's change of the status means for the run; null: the status is unchanged.
 * `mayBeClaim`: an agent may have written the status, so `done` and `cancelled` count only if a person's
 * command has marked the run.
 */
export function personsEvent(
  task: Task,
  run: TaskRun,
  mayBeClaim = false,
): "reset" | "dropped" | "halted" | "cancelled" | null {
  if (task.status === run.status) return null;
  switch (task.status) {
    case "todo":
    case "ready_for_agent":
    case "assigned":
      return run.state === "ready" ? null : "reset";
    case "done":
      // While its agent is at work, the agent may have written it: it is a claim, which the loop verifies
      // like any other.
      if (run.dropped) return "dropped";
      return run.state === "done" || run.underway.length > 0 || mayBeClaim ? null : "dropped";
    case "blocked":
      return haltedUnless(run);
    case "cancelled":
      if (run.state === "cancelled") return null;
      if (run.cancelled) return "cancelled";
      if (mayBeClaim) return null;
      // While its agent is at work, the agent may have written it: the run stops, and a person decides.
      return run.underway.length > 0 ? haltedUnless(run) : "cancelled";
    case "done_pending_merge":
      // On an active run it is an agent's own `done`; on an idle one a person wrote it, so the run continues
      // with the remaining work.
      return run.state === "blocked" || run.state === "budget_exhausted" ? "reset" : null;
    case "in_progress":
      return null;
  }
}

function haltedUnless({ state }: TaskRun): "halted" | null {
  return state === "blocked" || state === "budget_exhausted" ? null : "halted";
}
