/**
 * tasks.yaml wins over the runs: what a person wrote there since the loop last wrote it counts.
 */

import type { Task } from "../../tasks-file/task.ts";
import type { TaskRun } from "./task-run.ts";

/** The event that a status set by a person is for the run; null: nobody has set another. */
export function personsEvent(task: Task, run: TaskRun): "reset" | "dropped" | "halted" | null {
  if (task.status === run.status) return null;
  switch (task.status) {
    case "todo":
    case "ready_for_agent":
    case "assigned":
      return run.state === "ready" ? null : "reset";
    case "done":
      // While its agent is at work anybody may have written it: a claim, which the loop verifies like any other.
      if (run.dropped) return "dropped";
      return run.state === "done" || run.underway.length > 0 ? null : "dropped";
    case "blocked":
      return run.state === "blocked" || run.state === "budget_exhausted" ? null : "halted";
    case "done_pending_merge":
      // An agent's own `done` in the middle of its run; of a run at rest it is a person's: the rest goes on.
      return run.state === "blocked" || run.state === "budget_exhausted" ? "reset" : null;
    case "in_progress":
      return null;
  }
}
