/**
 * Which tasks may be worked on.
 *
 * K1  A task is done when its own work and all its subtasks are; only that satisfies a dependency. A
 *     cancelled task is closed, not done: its parent and later phases do not wait for it, and what depends on
 *     it waits for a person.
 * K2  A subtask waits for its parent's own work. A parent without work of its own waits for its subtasks
 *     instead.
 * K3  A todo of a later phase than the lowest open one waits; a task that a person made ready does not wait
 *     for phases.
 */
import {
  eachTask,
  findTask,
  hasOwnWork,
  type PlacedTask,
  placedTask,
  type Task,
} from "../../tasks-file/task.ts";
import type { Labels } from "./labels.ts";
import { rests, type SchedulingStatuses } from "./run/scheduling-status.ts";

export interface Worker {
  /** Takes the tasks assigned to this name and unassigned ones; null: all. */
  readonly name: string | null;
  /** Only this task and its subtasks; null: all. */
  readonly only: string | null;
  /** The labels of the worker; absent: it serves all tasks. */
  readonly labels?: Labels;
}

export const ANY_WORKER: Worker = { name: null, only: null };

export function isDone(task: Task): boolean {
  return task.status === "done" && task.subtasks.every(isClosed);
}

/** No work is left for it. */
export function isClosed(task: Task): boolean {
  return task.status === "cancelled" || isDone(task);
}

/** The tasks with work left, in the order of the file. */
function notClosed(tasks: readonly Task[]): readonly PlacedTask[] {
  return eachTask(tasks).filter(({ task }) => !isClosed(task));
}

/** The lowest phase with a task that is not closed; null: no open task has a phase. */
export function openPhase(tasks: readonly Task[]): number | null {
  let lowest: number | null = null;
  for (const task of tasks)
    if (task.phase !== undefined && task.phase < (lowest ?? Infinity) && !isClosed(task)) lowest = task.phase;
  return lowest;
}

/** The todo tasks that wait for nothing, so they become ready_for_agent. */
export function nowReady(tasks: readonly Task[], runs: SchedulingStatuses): readonly Task[] {
  const phase = openPhase(tasks);
  const waits = waitsIn(tasks, runs);
  const isLater = ({ phase: itsPhase }: Task) => itsPhase !== undefined && phase !== null && itsPhase > phase;
  const found = eachTask(tasks).filter(
    ({ task, parent }) =>
      task.status === "todo" && !(parent === null && isLater(task)) && waits(task, parent) === null,
  );
  return found.map(({ task }) => task);
}

/** The tasks that a worker may take now: first those to resume, then by phase and position in the file. */
export function takeable(
  tasks: readonly Task[],
  runs: SchedulingStatuses,
  worker: Worker = ANY_WORKER,
): readonly Task[] {
  const waits = waitsIn(tasks, runs);
  const scope = scopeOf(tasks, worker);
  const found = eachTask(tasks).filter(
    ({ task, parent }) =>
      (isResumed(task, runs) || (startsAnew(task) && waits(task, parent) === null)) && scope.has(task.id),
  );
  const rank = (task: Task) => (isResumed(task, runs) ? 0 : (task.phase ?? 0) + 1);
  return found.map(({ task }) => task).sort((a, b) => rank(a) - rank(b));
}

export type Scope = Pick<ReadonlySet<string>, "has">;

/** The tasks that belong to this worker, whether or not they have work left. */
export function scopeOf(tasks: readonly Task[], worker: Worker): Scope {
  const within = worker.only === null ? null : new Set(familyOf(tasks, worker.only));
  return {
    has(id) {
      const placed = placedTask(tasks, id);
      return placed !== undefined && (within === null || within.has(id)) && belongsTo(placed.task, worker);
    },
  };
}

/** Begun before and not at rest: its run was stopped, its owner died, or its work is done but not merged. */
function isResumed(task: Task, runs: SchedulingStatuses): boolean {
  const status = runs.get(task.id);
  if (status === undefined) return task.status === "done_pending_merge";
  return RESUMED.has(task.status) && !rests(status);
}

const RESUMED: ReadonlySet<string> = new Set(["done_pending_merge", "done", "in_progress"]);

function startsAnew(task: Task): boolean {
  return task.status === "ready_for_agent" || task.status === "assigned";
}

function belongsTo(task: Task, worker: Worker): boolean {
  if (worker.name === null) return true;
  if (task.status === "assigned") return task.agent_name === worker.name;
  return task.agent_name === undefined || task.agent_name === worker.name;
}

/** What the task waits for, in words; null: nothing. */
export function waitingFor(tasks: readonly Task[], id: string, runs: SchedulingStatuses): string | null {
  const placed = placedTask(tasks, id);
  return placed === undefined ? null : waitsIn(tasks, runs)(placed.task, placed.parent);
}

/** What a task waits for, in words; null: nothing. */
export type Waits = (task: Task, parent: Task | null) => string | null;

export function waitsIn(tasks: readonly Task[], runs: SchedulingStatuses): Waits {
  const holds = holdsIn(tasks, runs);
  return (task, parent) => holds(task, parent)?.why ?? null;
}

interface Hold {
  readonly why: string;
  /** It waits for a cancelled task, so only a person can let it continue. */
  readonly forever?: true;
}

/** What blocks a task; null: nothing. */
function holdsIn(
  tasks: readonly Task[],
  runs: SchedulingStatuses,
): (task: Task, parent: Task | null) => Hold | null {
  const find = (id: string) => placedTask(tasks, id);
  const isOwnDone = (id: string) => {
    const placed = find(id);
    return placed !== undefined && isDone(placed.task) && (runs.get(id) ?? "done") === "done";
  };
  const forDependencies = ({ depends_on }: Task, who: string): Hold | null => {
    if (depends_on.length === 0) return null;
    const open = depends_on.filter((id) => !isOwnDone(id));
    const cancelled = open.filter((id) => find(id)?.task.status === "cancelled");
    if (cancelled.length > 0)
      return {
        why: `${who} depends on ${cancelled.join(", ")}, which ${cancelled.length === 1 ? "is" : "are"} cancelled`,
        forever: true,
      };
    return open.length > 0 ? { why: `${who} depends on ${open.join(", ")}` } : null;
  };
  const forParent = (parent: Task): Hold | null => {
    if (parent.status === "done") return null;
    if (parent.status === "done_pending_merge" && runs.get(parent.id) === "done") return null;
    if (parent.status === "cancelled") return { why: `${parent.id} is cancelled`, forever: true };
    if (hasOwnWork(parent)) return { why: `the work of ${parent.id} comes first` };
    if (parent.status === "blocked") return { why: `${parent.id} is blocked` };
    const open = forDependencies(parent, parent.id);
    if (open) return open;
    const above = find(parent.id)?.parent;
    return above ? forParent(above) : null;
  };
  return (task, parent) => {
    const cause = forDependencies(task, "it") ?? (parent ? forParent(parent) : null);
    if (cause) return cause;
    const open = hasOwnWork(task) ? [] : task.subtasks.filter((sub) => !isClosed(sub));
    return open.length > 0
      ? { why: `its subtasks ${open.map(({ id }) => id).join(", ")} are not done` }
      : null;
  };
}

/** The open tasks that wait for a cancelled one, each with the reason in words. */
export function heldByCancelled(
  tasks: readonly Task[],
  runs: SchedulingStatuses,
): ReadonlyMap<string, string> {
  const holds = holdsIn(tasks, runs);
  const held = new Map<string, string>();
  for (const { task, parent } of notClosed(tasks)) {
    const hold = runs.has(task.id) ? null : holds(task, parent);
    if (hold?.forever) held.set(task.id, hold.why);
  }
  return held;
}

function familyOf(tasks: readonly Task[], id: string): readonly string[] {
  const task = findTask(tasks, id);
  return task ? [id, ...eachTask(task.subtasks).map(({ task: sub }) => sub.id)] : [];
}

/**
 * The parents that become done as the task closes: their own work was done, and this was the last open
 * subtask.
 */
export function doneWith(tasks: readonly Task[], id: string, runs: SchedulingStatuses): readonly Task[] {
  const parentOf = (child: string) => placedTask(tasks, child)?.parent;
  const done = new Set([id]);
  const result: Task[] = [];
  for (let parent = parentOf(id); parent; parent = parentOf(parent.id)) {
    const whole = parent.subtasks.every((sub) => done.has(sub.id) || isClosed(sub));
    const ownDone = parent.status === "done_pending_merge" && runs.get(parent.id) === "done";
    if (!whole || !ownDone) break;
    done.add(parent.id);
    result.push(parent);
  }
  return result;
}
