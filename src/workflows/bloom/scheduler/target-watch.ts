/**
 * Notices when a target that fails its own check has moved: at the beginning, whenever the project's files change, and at a slow
 * pace. It only asks for the target's commit; the check itself needs a slot. Does nothing if no task waits for a target.
 */
import type { Worktrees } from "../../../core/ports/worktrees.ts";
import { branchOf, placedTasks, type Task } from "../../../tasks-file/task.ts";
import { targetBranch } from "../commands/target.ts";
import { repoFor } from "../execution-context.ts";
import type { TaskRun } from "../run/task-run.ts";
import type { Picked } from "../run/transactions.ts";

export interface TargetWatch {
  /** Asks again if it is time. Returns milliseconds to the next question; null: one is under way, or no task waits. */
  checkDue(picked: Picked): number | null;
  /**
   * The tasks whose target has moved since it failed, and those that were not taken since this loop began: a person may have
   * changed their checks or `setup`.
   */
  moved(picked: Picked): readonly Task[];
  /** Call it when such a task is taken. */
  taken(task: string): void;
  /** Call it when a task has ended: it may have moved a target. */
  askSoon(): void;
  isBusy(): boolean;
  ended(): Promise<void>;
}

export interface TargetWatchSetup {
  readonly worktrees: Pick<Worktrees, "baseOf">;
  /** Whether other machines move the target too, on the remote. */
  readonly isShared: boolean;
  readonly stop: AbortSignal;
  /** Called when the answers are there. */
  readonly notify: () => void;
  readonly now: () => number;
}

/** Between two questions; a remote gets fewer. */
const LOCAL_MILLISECONDS = 10_000;
const REMOTE_MILLISECONDS = 60_000;

export function openTargetWatch({ isShared, worktrees, stop, notify, now }: TargetWatchSetup): TargetWatch {
  /** By repository and branch. */
  const tips = new Map<string, string>();
  const takenHere = new Set<string>();
  let round: Promise<void> | null = null;
  let next = 0;
  /** Whether the answers under way may be out of date. */
  let isOutdated = false;

  const ask = async (tasks: readonly Task[], remote: boolean) => {
    const asked = new Set<string>();
    for (const task of tasks) {
      const into = targetBranch(task);
      if (stop.aborted || into === undefined || asked.has(nameOf(task))) continue;
      asked.add(nameOf(task));
      const order = { repo: repoFor(task), branch: branchOf(task), into, remote, stop };
      // The work on the task reports what is wrong with its repository.
      const base = await worktrees.baseOf(order).catch(() => null);
      if (base !== null) tips.set(nameOf(task), base.target);
    }
    next = isOutdated ? 0 : now() + (remote ? REMOTE_MILLISECONDS : LOCAL_MILLISECONDS);
    isOutdated = false;
    round = null;
    notify();
  };
  return {
    checkDue(picked) {
      const waiting = waitingIn(picked).map(({ task }) => task);
      if (waiting.length === 0) return null;
      const remote = isShared || picked.file.git.push_to_remote;
      if (round === null && next <= now() && !stop.aborted) round = ask(waiting, remote);
      return round === null ? Math.max(0, next - now()) : null;
    },
    moved: (picked) =>
      waitingIn(picked).flatMap(({ run, task }) => {
        const tip = tips.get(nameOf(task));
        const isSame = tip === undefined || (tip === run.red?.commit && takenHere.has(task.id));
        return isSame ? [] : [task];
      }),
    taken: (task) => void takenHere.add(task),
    askSoon() {
      next = 0;
      isOutdated = round !== null;
    },
    isBusy: () => round !== null,
    ended: async () => {
      await round;
    },
  };
}

const nameOf = (task: Task): string => `${repoFor(task)}\0${targetBranch(task)}`;

function waitingIn({
  file,
  runs,
  scope,
  states,
}: Picked): readonly { readonly task: Task; readonly run: TaskRun }[] {
  const ids = [...states].flatMap(([id, status]) => (status === "target_red" && scope.has(id) ? [id] : []));
  return placedTasks(file.tasks, ids).flatMap(({ task }) => {
    const run = runs.get(task.id);
    return run === undefined ? [] : [{ task, run }];
  });
}
