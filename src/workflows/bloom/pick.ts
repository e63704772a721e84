/**
 * What may be worked on.
 *
 * K1  A task is done when its own work and all its subtasks are; only that counts as a dependency done. A cancelled task is
 *     closed, not done: its parent and later phases do not wait for it, and what depends on it waits for a person.
 * K2  A subtask waits for its parent's own work. A parent without work of its own waits for its subtasks instead.
 * K3  A todo of a later phase than the lowest open one waits; what a person made ready does not wait for phases.
 */
import { eachTask, findTask, hasOwnWork, type Task } from "../../tasks-file/task.ts";
import type { Labels } from "./labels.ts";
import { rests, type Standings } from "./standing.ts";

export interface Worker {
  /** Takes the tasks of this group and those without one; null: all. */
  readonly name: string | null;
  /** Only this task and its subtasks; null: all. */
  readonly only: string | null;
  /** What it serves; absent: everything. */
  readonly labels?: Labels;
}

export const ANY_WORKER: Worker = { name: null, only: null };

export function isDone(task: Task): boolean {
  return task.status === "done" && task.subtasks.every(isClosed);
}

/** Nothing is left to do for it. */
export function isClosed(task: Task): boolean {
  return task.status === "cancelled" || isDone(task);
}

/** The lowest phase with a task that is not closed, or null where none has a phase. */
export function openPhase(tasks: readonly Task[]): number | null {
  const open = tasks.flatMap((task) => (task.phase === undefined || isClosed(task) ? [] : [task.phase]));
  return open.length === 0 ? null : Math.min(...open);
}

/** The todo tasks that wait for nothing: they become ready_for_agent. */
export function nowReady(tasks: readonly Task[], runs: Standings): readonly Task[] {
  const phase = openPhase(tasks);
  const waits = waitsIn(tasks, runs);
  return eachTask(tasks).flatMap(({ task, parent }) => {
    const later = parent === null && task.phase !== undefined && phase !== null && task.phase > phase;
    return task.status === "todo" && !later && waits(task, parent) === null ? [task] : [];
  });
}

/** The tasks that a worker may take now: first those to resume, then by phase and position in the file. */
export function takeable(
  tasks: readonly Task[],
  runs: Standings,
  worker: Worker = ANY_WORKER,
): readonly Task[] {
  const waits = waitsIn(tasks, runs);
  const scope = scopeOf(tasks, worker);
  const found = eachTask(tasks).filter(
    ({ task, parent }) =>
      scope.has(task.id) && (goesOn(task, runs) || (startsAnew(task) && waits(task, parent) === null)),
  );
  const rank = (task: Task) => (goesOn(task, runs) ? 0 : (task.phase ?? 0) + 1);
  return found.map(({ task }) => task).sort((a, b) => rank(a) - rank(b));
}

/** The tasks that belong to this worker, whether or not there is something to do about them. */
export function scopeOf(tasks: readonly Task[], worker: Worker): ReadonlySet<string> {
  const within = worker.only === null ? null : new Set(familyOf(tasks, worker.only));
  return new Set(
    eachTask(tasks).flatMap(({ task }) =>
      (within === null || within.has(task.id)) && belongsTo(task, worker) ? [task.id] : [],
    ),
  );
}

/** Begun before and not idle: a run that was stopped or whose owner died, or work that is done but not merged. */
function goesOn(task: Task, runs: Standings): boolean {
  const standing = runs.get(task.id);
  if (standing === undefined) return task.status === "done_pending_merge";
  return GOES_ON.has(task.status) && !rests(standing);
}

const GOES_ON: ReadonlySet<string> = new Set(["done_pending_merge", "done", "in_progress"]);

function startsAnew(task: Task): boolean {
  return task.status === "ready_for_agent" || task.status === "assigned";
}

function belongsTo(task: Task, worker: Worker): boolean {
  if (worker.name === null) return true;
  if (task.status === "assigned") return task.agent_name === worker.name;
  return task.agent_name === undefined || task.agent_name === worker.name;
}

/** What the task waits for, in words; null: for nothing. */
export function waitingFor(tasks: readonly Task[], id: string, runs: Standings): string | null {
  for (const { task, parent } of eachTask(tasks))
    if (task.id === id) return waitsIn(tasks, runs)(task, parent);
  return null;
}

/** What a task waits for, in words; null: for nothing. */
export type Waits = (task: Task, parent: Task | null) => string | null;

export function waitsIn(tasks: readonly Task[], runs: Standings): Waits {
  const holds = holdsIn(tasks, runs);
  return (task, parent) => holds(task, parent)?.why ?? null;
}

interface Hold {
  readonly why: string;
  /** It waits for something cancelled: only a person can let it continue. */
  readonly forever?: true;
}

/** What holds a task up; null: nothing. */
function holdsIn(tasks: readonly Task[], runs: Standings): (task: Task, parent: Task | null) => Hold | null {
  const byId = new Map(eachTask(tasks).map((item) => [item.task.id, item] as const));
  const ownDone = new Set(
    [...byId]
      .filter(([id, { task }]) => isDone(task) && (runs.get(id) ?? "done") === "done")
      .map(([id]) => id),
  );
  const forDependencies = ({ depends_on }: Task, who: string): Hold | null => {
    const open = depends_on.filter((id) => !ownDone.has(id));
    const cancelled = open.filter((id) => byId.get(id)?.task.status === "cancelled");
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
    const above = byId.get(parent.id)?.parent;
    return above ? forParent(above) : null;
  };
  return (task, parent) => {
    const own = forDependencies(task, "it") ?? (parent ? forParent(parent) : null);
    if (own) return own;
    const open = hasOwnWork(task) ? [] : task.subtasks.filter((sub) => !isClosed(sub));
    return open.length > 0
      ? { why: `its subtasks ${open.map(({ id }) => id).join(", ")} are not done` }
      : null;
  };
}

/** The open tasks that wait for something cancelled, each with what in words. */
export function heldByCancelled(tasks: readonly Task[], runs: Standings): ReadonlyMap<string, string> {
  const holds = holdsIn(tasks, runs);
  return new Map(
    eachTask(tasks).flatMap(({ task, parent }) => {
      const hold = isClosed(task) || runs.has(task.id) ? null : holds(task, parent);
      return hold?.forever ? [[task.id, hold.why] as const] : [];
    }),
  );
}

function familyOf(tasks: readonly Task[], id: string): readonly string[] {
  const task = findTask(tasks, id);
  return task ? [id, ...eachTask(task.subtasks).map(({ task: sub }) => sub.id)] : [];
}

/**
 * The parents that become done as the task closes: their own work was done, and this was the last open subtask.
 */
export function doneWith(tasks: readonly Task[], id: string, runs: Standings): readonly Task[] {
  const parents = new Map(eachTask(tasks).map(({ task, parent }) => [task.id, parent] as const));
  const done = new Set([id]);
  const result: Task[] = [];
  for (let parent = parents.get(id); parent; parent = parents.get(parent.id)) {
    const whole = parent.subtasks.every((sub) => done.has(sub.id) || isClosed(sub));
    const ownDone = parent.status === "done_pending_merge" && runs.get(parent.id) === "done";
    if (!whole || !ownDone) break;
    done.add(parent.id);
    result.push(parent);
  }
  return result;
}
