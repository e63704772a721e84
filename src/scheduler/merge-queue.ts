/**
 * Queues this process's merges: one train per target branch. Every change of a train wakes the tasks that wait in it. One
 * process at a time merges into a branch; the train holds that lock while it has merges under way. A release by another
 * process shows in the project's files; its death is found by trying the lock.
 */
import type { Clock } from "../core/ports/clock.ts";
import type { LeaseManager } from "../core/ports/leases.ts";
import type { Watch } from "../core/ports/watch.ts";
import type { HeldLease, MergeTurn, Repo, Worktrees } from "../core/ports/worktrees.ts";
import { openSignal } from "../core/signal.ts";
import {
  admit,
  announce,
  baseFor,
  emptyTrain,
  enter,
  find,
  leave,
  mergeTurn,
  next,
  prepare,
  TARGET,
  type Train,
} from "./merge-train.ts";

/** The queue of merges into a branch. A waiting task keeps its place until it leaves. */
export interface MergeQueue {
  /**
   * `taken`: `waits` is false and no place is free; `owner` names the task that merges. Releasing a place of
   * kind `mine` gives it up.
   */
  join(
    order: JoinOrder,
    stop: AbortSignal,
  ): Promise<QueuedMerge | { readonly kind: "taken"; readonly owner: string } | { readonly kind: "stopped" }>;
  /** Removes the task from the queue. */
  leave(task: string): Promise<void>;
}

export interface JoinOrder {
  readonly repo: Repo;
  readonly into: string;
  readonly task: string;
  /** Since when the task waits, ISO 8601. */
  readonly since: string;
  /** True: wait for a place. False: only try. */
  readonly waits: boolean;
}

/** A merge's place in the train. */
export interface QueuedMerge {
  readonly kind: "mine";
  /** Which of the folders for preparing merges. */
  readonly slot: number;
  /** The lease on the target, if other machines merge into it, too. */
  readonly lease?: HeldLease | undefined;
  /**
   * Waits for the base of the merge: the commit of the merge ahead, or null for the target itself. `broken`
   * aborts as soon as that base is void; then the merge must be prepared again.
   */
  base(
    stop: AbortSignal,
  ): Promise<{ readonly commit: string | null; readonly broken: AbortSignal } | "stopped">;
  /** Publishes the merge commit to the merge behind, which prepares on top of it. */
  announce(commit: string): void;
  /** Waits for the merges ahead. `first`: its base is the target; `void`: it must be prepared again. */
  waitForTurn(stop: AbortSignal): Promise<"first" | "void" | "stopped">;
  /** Another machine has the lease on the target now: no merge under the old lease may continue. */
  overtaken(): void;
  /** `published`: the target's commit after this merge; null: no merge was made. */
  release(published: string | null): Promise<void>;
}

const POLL_MILLISECONDS = 1000;
/** The merges after which a train releases the lock to other processes. */
const MAX_IN_ONE_GO = 32;

export interface MergeQueueSetup {
  readonly worktrees: Pick<Worktrees, "takeTurn">;
  readonly watch: Watch;
  readonly clock: Clock;
  /** The most merges into one branch at a time. */
  readonly limit: number;
}

type Lock = Extract<MergeTurn, { readonly kind: "mine" }>;

/** A train and what keeps it running. */
interface Line {
  train: Train;
  lock: Lock | null;
  /** Whether the lock is being taken or released. */
  isLocking: boolean;
  /** Merges admitted since the lock was taken. */
  admitted: number;
  readonly listeners: Set<() => void>;
}

export function openMergeQueue(setup: MergeQueueSetup): MergeQueue {
  const lines = new Map<string, Line>();
  const lineOf = ({ repo, into }: JoinOrder): Line => {
    const target = `${repo}\0${into}`;
    const line = lines.get(target) ?? {
      train: emptyTrain(setup.limit),
      lock: null,
      isLocking: false,
      admitted: 0,
      listeners: new Set(),
    };
    lines.set(target, line);
    return line;
  };
  return {
    join: (order, stop) => join(setup, lineOf(order), order, stop),
    async leave(task) {
      for (const line of lines.values()) {
        if (!line.train.waiting.some((each) => each.task === task)) continue;
        change(line, leave(line.train, task, null));
        await letGo(line);
      }
    },
  };
}

function change(line: Line, train: Train): void {
  line.train = train;
  for (const notify of line.listeners) notify();
}

async function join(
  setup: MergeQueueSetup,
  line: Line,
  order: JoinOrder,
  stop: AbortSignal,
): ReturnType<MergeQueue["join"]> {
  const { task, since } = order;
  const signal = openSignal(stop, setup.clock);
  let watching: ReturnType<Watch["onChange"]> | undefined;
  line.listeners.add(signal.notify);
  line.train = enter(line.train, { task, since });
  try {
    for (;;) {
      if (!line.train.waiting.some((each) => each.task === task)) return { kind: "stopped" };
      const elsewhere = await lockFor(setup, line, order);
      if (next(line.train) === task && line.lock !== null && !line.isLocking && hasRoom(line)) {
        line.admitted += 1;
        change(line, admit(line.train));
        return placeIn(setup, line, task);
      }
      const owner = elsewhere ?? line.train.merges[0]?.task ?? line.train.waiting[0]?.task ?? task;
      if (!order.waits) return { kind: "taken", owner };
      if (stop.aborted) return { kind: "stopped" };
      // Another process may have released the lock before this one listened, so try it again before the wait.
      if (elsewhere !== null && watching === undefined) watching = setup.watch.onChange(signal.notify);
      else await signal.wait(elsewhere === null ? Number.POSITIVE_INFINITY : POLL_MILLISECONDS);
    }
  } finally {
    line.listeners.delete(signal.notify);
    watching?.close();
    signal.close();
  }
}

function hasRoom({ admitted }: Line): boolean {
  return admitted < MAX_IN_ONE_GO;
}

/** Takes the lock if the task is next and this process does not hold it. Returns the other process that holds it, or null. */
async function lockFor(
  { worktrees }: MergeQueueSetup,
  line: Line,
  { repo, into, task }: JoinOrder,
): Promise<string | null> {
  if (next(line.train) !== task || line.lock !== null || line.isLocking) return null;
  line.isLocking = true;
  try {
    const turn = await worktrees.takeTurn(repo, into, task);
    if (turn.kind === "taken") return turn.owner;
    line.lock = turn;
    line.admitted = 0;
    return null;
  } catch (error) {
    line.train = leave(line.train, task, null);
    throw error;
  } finally {
    line.isLocking = false;
    // Another task is next now, or none waits.
    if (next(line.train) !== task) {
      change(line, line.train);
      await letGo(line);
    }
  }
}

function placeIn({ clock }: MergeQueueSetup, line: Line, task: string): QueuedMerge {
  let broken = new AbortController();
  const notice = () => {
    if (mergeTurn(line.train, task) === "void") broken.abort("interrupted");
  };
  /** Asks again at each change of the train, until there is an answer or a stop. */
  const until = async <T>(stop: AbortSignal, read: () => T | null): Promise<T | "stopped"> => {
    const signal = openSignal(stop, clock);
    line.listeners.add(signal.notify);
    try {
      for (;;) {
        const result = read();
        if (result !== null) return result;
        if (stop.aborted) return "stopped";
        await signal.wait(Number.POSITIVE_INFINITY);
      }
    } finally {
      line.listeners.delete(signal.notify);
      signal.close();
    }
  };
  return {
    kind: "mine",
    slot: find(line.train, task)?.slot ?? 0,
    get lease() {
      return line.lock?.lease;
    },
    overtaken() {
      line.admitted = MAX_IN_ONE_GO;
    },
    async base(stop) {
      line.listeners.delete(notice);
      const base = await until(stop, () => baseFor(line.train, task));
      if (base === "stopped") return "stopped";
      change(line, prepare(line.train, task, base));
      broken = new AbortController();
      line.listeners.add(notice);
      return { commit: base === TARGET ? null : base, broken: broken.signal };
    },
    announce: (commit) => change(line, announce(line.train, task, commit)),
    waitForTurn: (stop) =>
      until(stop, () => {
        const now = mergeTurn(line.train, task);
        return now === "behind" ? null : now;
      }),
    async release(published) {
      line.listeners.delete(notice);
      change(line, leave(line.train, task, published));
      await letGo(line);
    },
  };
}

/** Releases the lock if no merge is under way and none may begin before the release. */
async function letGo(line: Line): Promise<void> {
  const { lock, train } = line;
  if (lock === null || line.isLocking || train.merges.length > 0) return;
  if (train.waiting.length > 0 && hasRoom(line)) return;
  line.isLocking = true;
  try {
    await lock.release();
  } finally {
    line.lock = null;
    line.isLocking = false;
    change(line, line.train);
  }
}

/** The right to merge into a branch: a lock on this machine and, between machines, a lease. */
export function openMergeTurns(
  worktrees: Pick<Worktrees, "takeTurn">,
  leaseManager: LeaseManager,
  worker: string,
): Pick<Worktrees, "takeTurn"> {
  if (leaseManager.isShared !== true) return worktrees;
  return {
    async takeTurn(repo, into, owner) {
      const here = await worktrees.takeTurn(repo, into, owner);
      if (here.kind === "taken") return here;
      try {
        const lease = await leaseManager.take(targetName(repo, into), worker);
        if (lease?.epoch === undefined) {
          await here.release();
          return { kind: "taken", owner: "another machine" };
        }
        const { epoch, what } = lease;
        const release = async () => {
          await lease.release().finally(() => here.release());
        };
        return { kind: "mine", lease: { what, epoch, holder: worker }, release };
      } catch (error) {
        await here.release();
        throw error;
      }
    },
  };
}

function targetName(repo: Repo, into: string): string {
  return `@into:${repo}:${into}`;
}
