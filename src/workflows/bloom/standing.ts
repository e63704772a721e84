/**
 * How a task stands for whoever schedules it: the state of its table, or a view over some of them. The table knows of no
 * view, and no event leads to one or from one: in each, the run's own state goes on to say what is done next.
 */

import type { Rule } from "../../engine/workflow.ts";
import { eachTask, type Task } from "../../tasks-file/task.ts";
import { personsEvent } from "./persons-event.ts";
import { BLOOM, type TaskEvent, type TaskState } from "./table.ts";
import type { TaskRun } from "./task-run.ts";

/**
 * `backing_off`: whatever it is at, it waits for the time of its next try. `awaiting_merge`: its pull request is open, and
 * nothing is to be done but to look whether it was merged.
 */
export type Standing = TaskState | "backing_off" | "awaiting_merge";

/** Of every task that has a run, by id. */
export type Standings = ReadonlyMap<string, Standing>;

/** The failures after which some time passes before the next try. */
export const BACKS_OFF: ReadonlySet<TaskEvent> = new Set([
  "agent_failed",
  "push_failed",
  "merge_failed",
  "pr_failed",
  "git_failed",
]);

/** The rule by which a pull request is open. */
const WATCHES = "pr.watches";

/** The states that each view lies over. */
export const VIEWS: Readonly<Record<Exclude<Standing, TaskState>, ReadonlySet<string>>> = {
  backing_off: new Set(BLOOM.rules.filter(backsOff).flatMap(statesAfter)),
  awaiting_merge: new Set(BLOOM.rules.filter(({ id }) => id === WATCHES).flatMap(statesAfter)),
};

function backsOff({ on, reply }: Rule): boolean {
  return reply === "tries_again" && BACKS_OFF.has(on as TaskEvent);
}

function statesAfter({ from, to }: Rule): readonly string[] {
  if (to === "same") return from;
  return typeof to === "string" ? [to] : Object.values(to);
}

/** Idle until a person acts, its time has come, or its pull request was checked. */
const RESTS: ReadonlySet<Standing> = new Set([
  "waiting_for_human",
  "blocked",
  "budget_exhausted",
  "backing_off",
  "awaiting_merge",
  "done",
]);

export function rests(standing: Standing): boolean {
  return RESTS.has(standing);
}

/** What a person set in tasks.yaml comes before what the runs say. */
export function standingsOf(
  tasks: readonly Task[],
  runs: ReadonlyMap<string, TaskRun>,
  now: string,
): Standings {
  const standings = new Map<string, Standing>();
  for (const { task } of eachTask(tasks)) {
    const run = runs.get(task.id);
    const standing = run && standingOf(task, run, now);
    if (standing) standings.set(task.id, standing);
  }
  return standings;
}

/** Null: a person has begun it anew. */
function standingOf(task: Task, run: TaskRun, now: string): Standing | null {
  const event = personsEvent(task, run);
  if (event !== null) return event === "reset" ? null : event === "dropped" ? "done" : "blocked";
  if (awaitsMerge(run)) return "awaiting_merge";
  return isBackingOff(run, now) ? "backing_off" : run.state;
}

/** Whether the run waits for nothing but its pull request's merge. */
export function awaitsMerge(run: Pick<TaskRun, "row" | "state" | "pullRequest">): boolean {
  return VIEWS.awaiting_merge.has(run.state) && run.row === WATCHES && run.pullRequest !== null;
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
