/**
 * Claims: tasks and steps that tasks.yaml shows as over although no commit of Pawl ended them. An agent without a wall may have
 * written that while it was at work, for other tasks too; behind the wall, one in the project's folder, where the kernel takes away
 * the cover of a file that is replaced. The loop undoes it; a person ends a task by a command.
 */
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import { eachTask, findTask, isOpenStatus, type Task } from "../../../tasks-file/task.ts";
import { AT_WORK } from "../govern.ts";
import type { TaskRun } from "../run/task-run.ts";

export interface Claim {
  readonly task: string;
  /** The task or its step. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

interface ClaimState {
  readonly tasks: readonly Task[];
  readonly runs: ReadonlyMap<string, TaskRun>;
}

export interface TaskClaims {
  /** Notes that an agent begins, with its task if it is one's. */
  begin(task?: Task): Promise<void>;
  /** The claims since the last call. `rests`: this loop has no agent at work. */
  see(state: ClaimState, rests: boolean): Promise<readonly Claim[]>;
  /** Whether an agent may have written what tasks.yaml says now. */
  isOpen(): boolean;
}

/**
 * `endedHere`: those of the tasks and steps that a commit of Pawl ended. Absent: no agent can write the file. `mayWrite`: whether
 * the task's agent can, or that of one which is in the file no more.
 */
export function openTaskClaims(
  policies: Pick<Policies, "find" | "forget" | "keep"> | undefined,
  endedHere: LoopPorts["endedHere"],
  mayWrite: (task: Task | undefined) => boolean = () => true,
): TaskClaims {
  if (endedHere === undefined) return NONE;
  const seen = new Map<string, string>();
  let worked: boolean | null = null;
  let kept = false;
  return {
    async begin(task) {
      if (task && !mayWrite(task)) return;
      worked = kept = true;
      await policies?.keep(AT_WORK, Object.fromEntries([...seen].filter(([, status]) => isOpen(status))));
    },
    async see({ runs, tasks }, rests) {
      if (worked === null) {
        const before = await policies?.find(AT_WORK);
        for (const [id, status] of Object.entries(before ?? {})) seen.set(id, String(status));
        worked = kept = before != null;
      }
      const isWriter = ({ task: id, underway }: TaskRun) =>
        underway.length > 0 && mayWrite(findTask(tasks, id) ?? undefined);
      const isQuiet = (rests || !worked) && ![...runs.values()].some(isWriter);
      const ended = worked || !isQuiet ? endedIn(tasks, runs, seen) : [];
      const own =
        ended.length === 0 ? new Set() : await endedHere(ended.map(({ id, to }) => ({ id, status: to })));
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

/** A task at work is left out: its own run verifies what it claims. */
function endedIn(
  tasks: readonly Task[],
  runs: ClaimState["runs"],
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
