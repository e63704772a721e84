/**
 * A task's status for the scheduler: the state of its table, or a view over several states. The table knows
 * no views, so no event leads into or out of one; the run's own state still decides what is done next.
 */

import { readOnce } from "../../../core/once.ts";
import type { Rule } from "../../../engine/workflow.ts";
import { type Rests, waitForOne } from "../../../scheduler/agent-rest.ts";
import { placedTasks, type Task } from "../../../tasks-file/task.ts";
import { personsEvent } from "./persons-event.ts";
import { AT_REST, BLOOM, type OwnState, type TaskEvent, type TaskState } from "./table.ts";
import type { TaskRun } from "./task-run.ts";

/**
 * `backing_off`: it waits for the time of its next attempt, in whichever state. `awaiting_merge`: its pull
 * request is open, and the only work left is to check whether it was merged.
 */
export type SchedulingStatus = TaskState | OwnState | "backing_off" | "awaiting_merge";

/** By id, for every task that has a run. */
export type SchedulingStatuses = ReadonlyMap<string, SchedulingStatus>;

/** The failures after which the next attempt is delayed. */
export const BACKS_OFF: ReadonlySet<TaskEvent> = new Set([
  "agent_failed",
  "push_failed",
  "merge_failed",
  "pr_failed",
  "git_failed",
]);

/** The rule that leaves a pull request open. */
const WATCHES = "pr.watches";

const backingOff = readOnce(() => new Set(BLOOM.rules.filter(backsOff).flatMap(statesAfter)));
const awaitingMerge = readOnce(
  () => new Set(BLOOM.rules.filter(({ id }) => id === WATCHES).flatMap(statesAfter)),
);

/** The states that each view covers. */
export const VIEWS: Readonly<Record<"backing_off" | "awaiting_merge", ReadonlySet<string>>> = {
  get backing_off() {
    return backingOff();
  },
  get awaiting_merge() {
    return awaitingMerge();
  },
};

function backsOff({ on, reply }: Rule): boolean {
  return reply === "tries_again" && BACKS_OFF.has(on as TaskEvent);
}

function statesAfter({ from, to }: Rule): readonly string[] {
  if (to === "same") return from;
  return typeof to === "string" ? [to] : Object.values(to);
}

/**
 * Idle until a person acts, its time comes, its pull request is due for a check, or its target has changed.
 */
const RESTS: ReadonlySet<SchedulingStatus> = new Set<SchedulingStatus>([
  ...AT_REST,
  "backing_off",
  "awaiting_merge",
  "target_red",
]);

export function rests(status: SchedulingStatus): boolean {
  return RESTS.has(status);
}

/** A status that a person set in tasks.yaml takes precedence over the runs. */
export function schedulingStatuses(
  tasks: readonly Task[],
  runs: ReadonlyMap<string, TaskRun>,
  now: string,
  rests: Rests,
): SchedulingStatuses {
  const statuses = new Map<string, SchedulingStatus>();
  for (const { task } of placedTasks(tasks, runs.keys())) {
    const run = runs.get(task.id);
    const status = run && statusOf(task, run, now, rests);
    if (status) statuses.set(task.id, status);
  }
  return statuses;
}

const SET_BY_PERSON = { reset: null, dropped: "done", halted: "blocked", cancelled: "cancelled" } as const;

/** Null: a person has reset it. */
function statusOf(task: Task, run: TaskRun, now: string, rests: Rests): SchedulingStatus | null {
  const event = personsEvent(task, run);
  if (event !== null) return SET_BY_PERSON[event];
  if (awaitsMerge(run)) return "awaiting_merge";
  return isBackingOff(run, now, rests) ? "backing_off" : run.state;
}

/** Whether the run waits only for its pull request's merge. */
export function awaitsMerge(run: Pick<TaskRun, "row" | "state" | "pullRequest">): boolean {
  return run.row === WATCHES && run.pullRequest !== null && VIEWS.awaiting_merge.has(run.state);
}

type Waiting = Pick<TaskRun, "after" | "rest" | "state" | "task" | "wait">;

/** The whole wait, if a run does not record it: longer than any sensible backoff. */
const LONGEST_WAIT = 3_600_000;

/**
 * Milliseconds until the next attempt, at most the whole wait, because a longer remainder means that the
 * clock was set back.
 */
export function waitLeft({ after, rest, state, task, wait }: Waiting, now: string, rests: Rests): number {
  if (state === "agent_rests" && rest) return waitForOne(rest, task, now, rests);
  if (after === null) return 0;
  const left = Date.parse(after) - Date.parse(now);
  return left > (wait ?? LONGEST_WAIT) ? 0 : Math.max(0, left);
}

export function isBackingOff(run: Waiting, now: string, rests: Rests): boolean {
  return waitLeft(run, now, rests) > 0;
}
