/**
 * What an agent without a wall may have written into tasks.yaml: a task or step that is over there, although no commit of
 * Pawl ended it. While an agent is at work, and where it has ended since, that is its claim, for other tasks too. The loop
 * puts it back; a person says by a command that it is so.
 */
import type { Policies } from "../../../core/ports/policies.ts";
import { eachTask, isOpenStatus, type Task } from "../../../tasks-file/task.ts";
import type { TaskRun } from "../run/task-run.ts";

export interface Claim {
  readonly task: string;
  /** The task or its step. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

interface Looked {
  readonly tasks: readonly Task[];
  readonly runs: ReadonlyMap<string, TaskRun>;
}

export interface TaskClaims {
  /** An agent begins. */
  begin(): Promise<void>;
  /** What an agent may have ended since the last look. `rests`: this loop has no agent at work. */
  see(looked: Looked, rests: boolean): Promise<readonly Claim[]>;
  /** Whether what tasks.yaml says now may be an agent's. */
  isOpen(): boolean;
}

/** Kept while an agent is at work: the next loop must not take its claims for a person's words. */
const AT_WORK = "bloom:@at-work";

/** `endedHere`: which of these tasks and steps a commit of Pawl has ended. Absent: no agent can write the file. */
export function openTaskClaims(
  policies: Pick<Policies, "find" | "forget" | "keep"> | undefined,
  endedHere: ((ids: readonly string[]) => Promise<ReadonlySet<string>>) | undefined,
): TaskClaims {
  if (endedHere === undefined) return NONE;
  const seen = new Map<string, string>();
  let worked: boolean | null = null;
  let kept = false;
  return {
    async begin() {
      worked = true;
      if (kept) return;
      kept = true;
      await policies?.keep(AT_WORK, Object.fromEntries([...seen].filter(([, status]) => isOpen(status))));
    },
    async see({ runs, tasks }, rests) {
      if (worked === null) {
        const before = await policies?.find(AT_WORK);
        for (const [id, status] of Object.entries(before ?? {})) seen.set(id, String(status));
        worked = kept = before != null;
      }
      const isQuiet = rests && [...runs.values()].every(({ underway }) => underway.length === 0);
      const ended = worked || !isQuiet ? endedIn(tasks, runs, seen) : [];
      const own = ended.length === 0 ? new Set() : await endedHere(ended.map(({ id }) => id));
      const claims = ended.filter(({ id }) => !own.has(id));
      for (const { id, status } of itemsOf(tasks)) seen.set(id, status);
      for (const { from, id } of claims) seen.set(id, from);
      worked = !isQuiet;
      if (isQuiet && kept) {
        kept = false;
        await policies?.forget(AT_WORK);
      }
      return claims;
    },
    isOpen: () => worked === true,
  };
}

const NONE: TaskClaims = { begin: async () => {}, see: async () => [], isOpen: () => false };

const isOpen = (status: string) => isOpenStatus(status) && status !== "done_pending_merge";

function itemsOf(tasks: readonly Task[]) {
  return eachTask(tasks).flatMap(({ task }) =>
    [task, ...task.steps].map(({ id, status }) => ({ task, id, status })),
  );
}

/** What a task at work says of itself is left to its run, which verifies it. */
function endedIn(
  tasks: readonly Task[],
  runs: Looked["runs"],
  seen: ReadonlyMap<string, string>,
): readonly Claim[] {
  return itemsOf(tasks).flatMap(({ id, status, task }) => {
    const from = seen.get(id);
    if (from === undefined || !isOpen(from) || isOpen(status)) return [];
    const run = runs.get(task.id);
    const isRunsOwn =
      run && (id === task.id ? run.underway.length > 0 || run.status === status : run.state !== "ready");
    return isRunsOwn ? [] : [{ task: task.id, id, from, to: status }];
  });
}
