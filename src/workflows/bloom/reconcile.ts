/**
 * tasks.yaml wins over the runs: what a person wrote there since the loop last wrote it counts.
 */

import { eachTask, type Task } from "../../tasks-file/task.ts";
import type { RunStates } from "./pick.ts";
import { awaitsMerge, type TaskRun } from "./task-run.ts";

/** The event that a person's word in tasks.yaml is for the run, or null. */
export function wordOf(task: Task, run: TaskRun): "reset" | "dropped" | "halted" | null {
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

/**
 * The states of the runs, with a person's word in tasks.yaml over them. Those that back off (`now`) or only wait for
 * their pull request are at rest, whatever their table says.
 */
export function statesOf(tasks: readonly Task[], runs: ReadonlyMap<string, TaskRun>, now: string): RunStates {
  const states = new Map<string, string>();
  for (const { task } of eachTask(tasks)) {
    const run = runs.get(task.id);
    if (!run) continue;
    const word = wordOf(task, run);
    if (word === "reset") continue;
    if (word !== null) states.set(task.id, word === "dropped" ? "done" : "blocked");
    else if (awaitsMerge(run)) states.set(task.id, "awaiting_merge");
    else states.set(task.id, isBackingOff(run, now) ? "backing_off" : run.state);
  }
  return states;
}

/** Where a run does not say how long it waits in all: longer than any backoff that makes sense. */
const LONGEST_WAIT = 3_600_000;

/** Milliseconds until it may be tried again. What remains is never more than the whole wait: then the clock was set back. */
export function waitLeft({ after, wait }: Pick<TaskRun, "after" | "wait">, now: string): number {
  if (after === null) return 0;
  const left = Date.parse(after) - Date.parse(now);
  return left > (wait ?? LONGEST_WAIT) ? 0 : Math.max(0, left);
}

export function isBackingOff(run: Pick<TaskRun, "after" | "wait">, now: string): boolean {
  return waitLeft(run, now) > 0;
}
