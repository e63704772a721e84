/**
 * Checks whether open pull requests were merged: one after another, apart from the agents' slots, when the run begins
 * and then at a slow pace. Does nothing if there are none.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { placedTasks, type Task } from "../../../tasks-file/task.ts";
import type { TaskRun } from "../run/task-run.ts";
import type { Picked } from "../run/transactions.ts";

export interface MergeWatch {
  /**
   * Begins a round of checks if it is time. Returns milliseconds to the next one; null: a round is under way, or there
   * is no pull request.
   */
  checkDue(picked: Picked): number | null;
  /** Whether a round is under way. */
  isBusy(): boolean;
  readonly ended: () => Promise<void>;
}

export interface MergeWatchSetup {
  /** Checks one task, unless another worker has it. Never throws. */
  readonly check: (task: Task) => Promise<void>;
  readonly show: (event: BloomEvent) => void;
  readonly stop: AbortSignal;
  /** Called when a round is over. */
  readonly notify: () => void;
  readonly now: () => number;
}

/** The least time between two checks, however many pull requests wait. */
const CHECK_SECONDS = 5;

export function openMergeWatch({ check, show, stop, notify, now }: MergeWatchSetup): MergeWatch {
  const checkedAt = new Map<string, number>();
  let round: Promise<void> | null = null;
  let next = 0;

  const checkAll = async (tasks: readonly Task[], every: number) => {
    for (const task of tasks) {
      if (stop.aborted) break;
      await check(task);
    }
    const pace = Math.max(every, (tasks.length - 1) * CHECK_SECONDS);
    next = every === 0 ? Number.POSITIVE_INFINITY : now() + pace * 1000;
    round = null;
    notify();
  };
  return {
    checkDue({ file, runs, states, scope, settings: { watch_pull_requests: every } }) {
      const awaiting = [...states].filter(([id, status]) => status === "awaiting_merge" && scope.has(id));
      const waiting = placedTasks(file.tasks, new Map(awaiting).keys()).map(({ task }) => task);
      // A pull request that came back and waits again is reported again.
      for (const id of checkedAt.keys()) if (!waiting.some((task) => task.id === id)) checkedAt.delete(id);
      for (const task of waiting) showWatched(runs.get(task.id), every);
      if (waiting.length === 0) return null;
      if (round === null && next <= now() && !stop.aborted) round = checkAll(waiting, every);
      return round === null ? next - now() : null;
    },
    isBusy: () => round !== null,
    ended: async () => {
      await round;
    },
  };

  function showWatched(run: TaskRun | undefined, every: number): void {
    const pull = run?.pullRequest;
    if (!run || !pull || checkedAt.get(run.task) === pull.number) return;
    checkedAt.set(run.task, pull.number);
    show({ type: "git:pr_watched", taskId: run.task, number: pull.number, url: pull.url, every });
  }
}
