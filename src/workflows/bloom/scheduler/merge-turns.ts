/**
 * The turns to merge, as this process's tasks wait for them: the one that leaves wakes the next. Who merges in another
 * process is told of by the project's files, where it commits what it did; only its death is found by looking, and that
 * look is one try of a lock.
 */
import type { Clock } from "../../../core/ports/clock.ts";
import type { Watch } from "../../../core/ports/watch.ts";
import type { MergeTurn, Repo, Worktrees } from "../../../core/ports/worktrees.ts";
import { begin, enter, leave, type MergeQueue, NO_MERGES, next } from "../merge-queue.ts";
import type { MergeTurns, TurnOrder } from "../site.ts";
import { openBell } from "./bell.ts";

const LOOK_MILLISECONDS = 1000;

export interface MergeTurnsSetup {
  readonly worktrees: Pick<Worktrees, "takeTurn">;
  readonly watch: Watch;
  readonly clock: Clock;
}

export function openMergeTurns({ worktrees, watch, clock }: MergeTurnsSetup): MergeTurns {
  let queue: MergeQueue = NO_MERGES;
  const wakes = new Map<string, () => void>();

  const change = (to: MergeQueue, target: string) => {
    queue = to;
    const first = next(queue, target);
    if (first !== null) wakes.get(first)?.();
  };
  const go = (task: string) => {
    const targets = [
      ...[...queue.merging].flatMap(([target, owner]) => (owner === task ? [target] : [])),
      ...queue.waiting.flatMap((each) => (each.task === task ? [each.target] : [])),
    ];
    for (const target of targets) change(leave(queue, task), target);
  };

  /** The turn, if it is this task's; else who has it. */
  const attempt = async (order: TurnOrder, target: string): Promise<MergeTurn> => {
    const { repo, into, task } = order;
    queue = enter(queue, { task, target, since: order.since });
    if (next(queue, target) !== task)
      return { kind: "taken", owner: queue.merging.get(target) ?? (next(queue, target) as string) };
    queue = begin(queue, target, task);
    const turn = await worktrees.takeTurn(repo, into, task).catch((error: unknown) => {
      go(task);
      throw error;
    });
    if (turn.kind === "taken") {
      // Another process merges: this one's first waits on.
      change(enter(leave(queue, task), { task, target, since: order.since }), target);
      return turn;
    }
    return {
      kind: "mine",
      async release() {
        try {
          await turn.release();
        } finally {
          go(task);
        }
      },
    };
  };

  return {
    async take(order, stop) {
      const target = targetOf(order.repo, order.into);
      const bell = openBell(stop, clock);
      let watching: ReturnType<Watch["onChange"]> | undefined;
      wakes.set(order.task, bell.ring);
      try {
        for (;;) {
          const turn = await attempt(order, target);
          if (turn.kind === "mine" || !order.waits) return turn;
          if (stop.aborted) return { kind: "stopped" };
          const isForeign = next(queue, target) === order.task;
          // What another process does from here on is heard, so the turn is asked for once more before the wait.
          if (isForeign && watching === undefined) watching = watch.onChange(bell.ring);
          else await bell.wait(isForeign ? LOOK_MILLISECONDS : Number.POSITIVE_INFINITY);
        }
      } finally {
        wakes.delete(order.task);
        watching?.close();
        bell.close();
      }
    },
    leave: go,
  };
}

function targetOf(repo: Repo, into: string): string {
  return `${repo}\0${into}`;
}
