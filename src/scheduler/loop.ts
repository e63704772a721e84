/**
 * The work loop: leases runs across processes, works on several at once, and waits without cost. It knows no workflow: a
 * driver says which runs may begin, and works on one.
 *
 * L1  The loop works on a run only while it holds the run's lease and its folder (worktree, or the project's root).
 * L2  Nothing read before the lease decides: under the lease the driver reads the run again, and begins only if its table still
 *     lets it. So no run is worked on after it is done, and none is worked on or merged twice.
 * L3  Memory holds nothing that the disk does not: the next loop resumes a killed one.
 * L4  If something can begin and a slot is free, it begins at once: every end, every change of the project's files and
 *     every freed slot wakes the loop. It polls only for another process that died, or stopped before it did anything.
 * L5  A run needs a slot while an agent works on it or its work is verified, not while it is pushed or merged, so a wait for
 *     a merge delays no other. A run that needs a slot again comes before one that has not begun.
 * L6  Every run ends done, or idle with a reason.
 * L7  A stop begins nothing new, ends the agents and keeps each run's state. A drain begins nothing new and finishes what
 *     has begun.
 * L8  A worker that cannot be sure of a run's lease ends the run's agent before another worker can take the run.
 */
import type { LoopEvent } from "../core/bloom-event.ts";
import { type ErrorCode, PawlError, toPawlError } from "../core/error.ts";
import type {
  Backlog,
  Candidate,
  Driver,
  LoopHandle,
  MissingAgent,
  RetryPolicy,
  RunWork,
  Slot,
} from "../core/ports/driver.ts";
import type { Cap, Held, TakenLease, Wanted } from "../core/ports/leases.ts";
import type { LoopPorts } from "../core/ports/loop.ts";
import type { LoopEnd } from "../core/ports/loop-end.ts";
import { openSignal, pause, type Signal } from "../core/signal.ts";
import { type Caps, openCaps } from "./caps.ts";
import { openRetryPolicy } from "./retry-policy.ts";
import { openSlots, type Slots } from "./slots.ts";

export interface WorkLoopSetup extends Pick<LoopPorts, "clock" | "leaseManager" | "watch"> {
  readonly ports: { readonly host?: string };
  /** The worker's name in events and leases. */
  readonly name: string;
  readonly agents: number;
  /** End as soon as nothing can be done. */
  readonly once: boolean;
  readonly show: (event: LoopEvent) => void;
  /** The errors of the workflow's own files that pass when a person corrects them. */
  readonly transient: readonly ErrorCode[];
  /** Why what is wanted waits for a cap, for display; null: not worth a message. */
  readonly wordsOfCap: (cap: Cap, wanted: Wanted) => string | null;
  /** Aborted: begin nothing new, end the agents. */
  readonly stop: AbortSignal;
  /** Aborted: begin nothing new, and end as soon as nothing is at work. */
  readonly drain?: AbortSignal;
}

/** What a running loop holds in memory. */
interface Loop extends WorkLoopSetup {
  readonly driver: Driver;
  readonly retries: RetryPolicy;
  readonly slots: Slots;
  readonly caps: Caps;
  readonly signal: Signal;
  /** The runs at work, each with the end of the work on it. */
  readonly active: Map<string, Promise<void>>;
  /** Runs that an unexpected error stopped; this loop leaves them alone and continues with the others. */
  readonly failed: Map<string, unknown>;
  /** Runs whose programs no person has agreed to, and why. */
  readonly untrusted: Map<string, PawlError>;
  /** Runs whose files could not be changed at the last attempt. */
  readonly unwritable: Map<string, PawlError>;
  /** What this loop holds besides runs: repositories' branches, the project's root, exclusive things. */
  readonly folders: Set<string>;
  /** The folders that runs at work wait for. */
  readonly awaited: string[];
  /** A newer version decides by rules that this one does not know. */
  isOutgrown: boolean;
}

/**
 * What the loop does now. It never goes back to an earlier mode.
 *
 * - `working` begins what can begin.
 * - `draining` begins nothing new and ends when nothing is at work: a person asked for it, or a newer version is at work.
 * - `stopping` begins nothing new and ends the agents.
 */
function modeOf({ drain, isOutgrown, stop }: Loop): "working" | "draining" | "stopping" {
  if (stop.aborted) return "stopping";
  return isOutgrown || drain?.aborted ? "draining" : "working";
}

/** The longest wait for a change without a signal, and the interval of polls for other workers' leases. */
const SLOW_MILLISECONDS = 30_000;
const TAKEN_MILLISECONDS = 1000;

/**
 * Works until stopped, or with `once` until nothing can be done. Throws an error that makes it impossible to continue; at the end,
 * also one that stopped a single run.
 */
export async function workLoop(given: WorkLoopSetup, open: (handle: LoopHandle) => Driver): Promise<LoopEnd> {
  // If an error ends the loop, its agents must end too: nothing would supervise them.
  const failing = new AbortController();
  const setup = { ...given, stop: AbortSignal.any([given.stop, failing.signal]) };
  const signal = openSignal(setup.stop, setup.clock);
  const retries = openRetryPolicy(setup);
  const active: Loop["active"] = new Map();
  const driver = open({
    stop: setup.stop,
    retries,
    notify: signal.notify,
    isIdle: () => active.size === 0,
    workBeside: (work) => workBeside(loop, work),
    takeFolder: (...wanted) => takeFolder(loop, ...wanted),
  });
  const loop: Loop = {
    ...setup,
    driver,
    retries,
    slots: openSlots(setup.agents, signal.notify),
    caps: openCaps(setup.show, setup.wordsOfCap),
    signal,
    active,
    failed: new Map(),
    untrusted: new Map(),
    unwritable: new Map(),
    folders: new Set(),
    awaited: [],
    isOutgrown: false,
  };
  const watching = setup.watch.onChange(signal.notify);
  setup.drain?.addEventListener("abort", signal.notify);
  try {
    try {
      await setup.leaseManager.sweep();
      await driver.start();
      await turnUntilOver(loop);
    } catch (error) {
      failing.abort();
      throw error;
    } finally {
      await Promise.all(active.values());
      await driver.ended();
    }
    for (const error of [...loop.failed.values(), ...loop.unwritable.values()]) throw error;
    return (await driver.reload()).end(loop.untrusted);
  } finally {
    setup.drain?.removeEventListener("abort", signal.notify);
    watching.close();
    signal.close();
  }
}

async function turnUntilOver(loop: Loop): Promise<void> {
  const { active, driver, retries } = loop;
  const reportProgress = openProgress(loop);
  let paused = false;
  while (modeOf(loop) !== "stopping") {
    try {
      const backlog = await driver.load();
      drainIfOutgrown(loop, backlog);
      reportUnwritable(loop, backlog);
      const due = modeOf(loop) === "working" ? (backlog.ask() ?? SLOW_MILLISECONDS) : SLOW_MILLISECONDS;
      const wait = await fill(loop, backlog);
      retries.succeeded(paused);
      paused = false;
      const rests = active.size === 0;
      reportProgress(backlog, rests);
      const isOver = modeOf(loop) !== "working" || (wait === "nothing-left" && loop.once);
      if (isOver && rests && !driver.isBusy()) return;
      await loop.signal.wait(Math.min(due, wait === "nothing-left" ? SLOW_MILLISECONDS : wait));
    } catch (error) {
      const isOver = modeOf(loop) === "draining" && active.size === 0;
      if (isOver || !retries.shouldRetry(error)) throw error;
      paused = true;
      await retries.wait();
    }
  }
}

function drainIfOutgrown(loop: Loop, { outgrown: tasks }: Backlog): void {
  if (tasks.length === 0) return;
  const begins = modeOf(loop) === "working";
  loop.isOutgrown = true;
  if (begins) loop.show({ type: "loop:outgrown", tasks });
}

/** Starts what it can; returns how long to wait for more, or that nothing is left to wait for. */
async function fill(loop: Loop, backlog: Backlog): Promise<number | "nothing-left"> {
  const { active, awaited, caps, driver, failed, folders, leaseManager, slots } = loop;
  const mayBegin = () => modeOf(loop) === "working";
  let held: readonly Held[] | null = null;
  let soonest = Number.POSITIVE_INFINITY;
  const without: Without = new Map();
  let isFull = false;
  caps.begin();
  // A run of this loop has it; its end wakes the loop.
  const isInUse = backlog.exclusive.some((what) => folders.has(what));
  const isLeftAlone = (run: string) => active.has(run) || failed.has(run);
  for (const candidate of backlog.candidates(isLeftAlone, () => [...active.keys()])) {
    held ??= (mayBegin() ? await leaseManager.held?.(loop.ports.host) : null) ?? [];
    if (folders.has(candidate.folder) || awaited.includes(candidate.folder) || isInUse) continue;
    isFull = !mayBegin() || !slots.isFree();
    if (isFull) break;
    const left = leftOf(held, candidate);
    if (left !== null) soonest = Math.min(soonest, left);
    else if ((await start(loop, backlog, candidate, without)) === "taken")
      soonest = Math.min(soonest, TAKEN_MILLISECONDS);
  }
  for (const [agent, { runs, why }] of without) {
    const error = backlog.missingAgentError({ agent, why }, runs);
    for (const run of runs) failed.set(run, error);
    const { code, fix, message: reason } = error;
    driver.say({ type: "failed", run: runs[0] ?? "", code, reason, fix });
  }
  if (isFull) return SLOW_MILLISECONDS;
  caps.report();
  const next = untilNext(loop, backlog);
  if (soonest === Number.POSITIVE_INFINITY && active.size === 0) return next;
  return Math.min(SLOW_MILLISECONDS, soonest, next === "nothing-left" ? Infinity : next);
}

/** By agents that are not installed: why, and the runs that wait for them. */
type Without = Map<string, { readonly why: string; readonly runs: readonly string[] }>;

/** Added to a lease's end, because timers fire a little early. */
const SPARE_MILLISECONDS = 50;

/**
 * Milliseconds for which the run is left alone: another worker holds it or its folder, or a worker is preferred because it has
 * the work of a dead one. Null: the run is free.
 */
function leftOf(held: readonly Held[], candidate: Candidate): number | null {
  const { folder, run } = candidate;
  const left = held.flatMap(({ what, preferred, left: each }) =>
    (what === run || what === folder) && (preferred === undefined || candidate.isServedBy(preferred))
      ? [each]
      : [],
  );
  return left.length === 0 ? null : Math.max(...left) + SPARE_MILLISECONDS;
}

/** Begins to work on the run, unless a cap is reached, its agent is missing (`without`), or another worker has it. */
async function start(
  loop: Loop,
  backlog: Backlog,
  candidate: Candidate,
  without: Without,
): Promise<"begun" | "waits" | "taken"> {
  const { active, caps, leaseManager, slots } = loop;
  if (await lacksTrust(loop, candidate)) return "waits";
  const lacking = candidate.lacksAgent();
  if (lacking !== null) {
    // Another machine may have the agent.
    if (leaseManager.isShared) caps.note(`${lacking.agent} is not installed on this machine`);
    else noteMissing(without, lacking, candidate.run);
    return "waits";
  }
  const wanted = leaseManager.reserve === undefined ? null : candidate.wanted();
  if (wanted !== null && caps.isReached(wanted)) return "waits";
  // Taken before the wait for the claim, because a run that began earlier may ask for a slot during that wait.
  const slot = slots.open();
  const leases = await takeLeases(loop, candidate, backlog.exclusive, wanted).catch((error: unknown) => {
    slot.leave();
    throw error;
  });
  if (leases !== null && typeof leases !== "string") {
    active.set(candidate.run, startWork(loop, candidate, leases, slot));
    return "begun";
  }
  slot.leave("quietly");
  if (leases === null || wanted === null) return "taken";
  caps.reach(leases, wanted);
  return "waits";
}

function noteMissing(without: Without, { agent, why }: MissingAgent, run: string): void {
  without.set(agent, { why, runs: [...(without.get(agent)?.runs ?? []), run] });
}

/** Whether a person must first agree to what the run starts; reported once. Other runs continue. */
async function lacksTrust(loop: Loop, candidate: Candidate): Promise<boolean> {
  const error = await candidate.lacksTrust();
  if (error === null) loop.untrusted.delete(candidate.run);
  else waitForTrust(loop, candidate.run, error);
  return error !== null;
}

function waitForTrust({ driver, untrusted }: Loop, run: string, error: PawlError): void {
  if (untrusted.get(run)?.message !== error.message)
    driver.say({ type: "waiting", run, reason: `${error.message} ${error.fix}` });
  untrusted.set(run, error);
}

/** Reported once; the other runs continue, as does this one as soon as its files are corrected. */
function reportUnwritable({ driver, unwritable }: Loop, backlog: Backlog): void {
  for (const run of unwritable.keys()) if (!backlog.unwritable.has(run)) unwritable.delete(run);
  for (const [run, error] of backlog.unwritable) {
    const { code, message: reason, fix } = error;
    if (!unwritable.has(run)) driver.say({ type: "failed", run, code, reason, fix });
    unwritable.set(run, error);
  }
}

function fail({ driver, failed }: Loop, run: string, error: unknown): void {
  failed.set(run, error);
  const { code, message: reason, fix } = toPawlError(error);
  driver.say({ type: "failed", run, code, reason, fix });
}

/** Works on a leased run until it is idle, then wakes the loop. */
function startWork(
  loop: Loop,
  work: RunWork,
  leases: readonly [TakenLease, ...TakenLease[]],
  slot: Slot,
): Promise<void> {
  const { driver, retries } = loop;
  const { run } = work;
  const [lease] = leases;
  const abandoned = leases.some((each) => each.abandoned);
  retries.begin();
  const lost = AbortSignal.any(leases.flatMap((each) => each.lost ?? []));
  lost.addEventListener("abort", () => driver.say({ type: "lease_lost", run }));
  return work
    .work({ lease, slot, abandoned, stop: AbortSignal.any([loop.stop, lost]), lost })
    .catch(async (error: unknown) => {
      // It starts again from its state on disk, but not at once.
      if (retries.shouldRetry(error)) await retries.wait();
      else if (error instanceof PawlError && error.code === "project-untrusted")
        waitForTrust(loop, run, error);
      else if (lease.epoch !== undefined && error instanceof PawlError && error.code === "lease-lost")
        driver.say({ type: "overtaken", run, reason: error.message });
      else fail(loop, run, error);
    })
    .finally(async () => {
      for (const each of leases) {
        await each.release().catch(unlessAway);
        loop.folders.delete(each.what);
      }
      loop.active.delete(run);
      slot.leave();
      loop.signal.notify();
    });
}

/** A lease that cannot be released expires by itself. */
function unlessAway(thrown: unknown): void {
  if (!(thrown instanceof PawlError && thrown.code === "database-failed")) throw thrown;
}

const NO_SLOT: Slot = { leave: () => {}, take: async () => true };

async function workBeside(loop: Loop, work: RunWork): Promise<void> {
  // A run at work does it itself.
  if (loop.failed.has(work.run) || loop.active.has(work.run)) return;
  try {
    const leases = await takeLeases(loop, work, [], null);
    if (leases !== null && typeof leases !== "string") await startWork(loop, work, leases, NO_SLOT);
  } catch (error) {
    if (!loop.retries.shouldRetry(error)) fail(loop, work.run, error);
  }
}

async function takeFolder(
  { awaited, clock, leaseManager, name, signal }: Loop,
  ...[folder, stop, onWait]: Parameters<LoopHandle["takeFolder"]>
): Promise<TakenLease | null> {
  awaited.push(folder);
  try {
    for (let tries = 0; !stop.aborted; tries++) {
      const lease = await leaseManager.take(folder, name);
      if (lease !== null) return { ...lease, release: () => lease.release().finally(signal.notify) };
      if (tries === 0) onWait();
      await pause(TAKEN_MILLISECONDS, stop, clock);
    }
    return null;
  } finally {
    awaited.splice(awaited.indexOf(folder), 1);
  }
}

/** Milliseconds until the first run that only waits for its time may be tried again. */
function untilNext({ failed }: Loop, backlog: Backlog): number | "nothing-left" {
  const next = backlog.wakesIn((run) => failed.has(run));
  return next === null ? "nothing-left" : Math.min(SLOW_MILLISECONDS, Math.max(1, next));
}

/**
 * Takes the leases of the run, its folder (those without a repository share the project's root) and its exclusive things.
 * Returns a cap if one is reached; null: another worker has one of the leases.
 */
async function takeLeases(
  { leaseManager, name, folders, ports: { host } }: Loop,
  { folder, run }: RunWork,
  exclusive: readonly string[],
  wanted: Wanted | null,
): Promise<readonly [TakenLease, ...TakenLease[]] | Cap | null> {
  const own =
    wanted === null
      ? await leaseManager.take(run, name)
      : ((await leaseManager.reserve?.(
          run,
          name,
          host === undefined ? wanted : { ...wanted, place: host },
        )) ?? null);
  if (own === null || typeof own === "string") return own;
  const all: [TakenLease, ...TakenLease[]] = [own];
  for (const what of [folder, ...exclusive]) {
    const next = await leaseManager.take(what, name).catch(async (error: unknown) => {
      for (const each of all) await each.release();
      throw error;
    });
    if (next === null) {
      for (const each of all) await each.release();
      return null;
    }
    all.push(next);
  }
  for (const { what } of all.slice(1)) folders.add(what);
  return all;
}

/** Reports how the runs stand whenever that changes; first those that already wait for a person. */
function openProgress({ driver, show, untrusted }: Loop): (backlog: Backlog, rests: boolean) => void {
  let last = "";
  return (backlog, rests) => {
    if (last === "") for (const each of backlog.waiting()) driver.say({ type: "waiting", ...each });
    const { done, open, blocked, waiting, red, resting } = backlog.end(untrusted);
    const progress = { done: done.length, open: open.length, blocked, waiting, red, resting, idle: rests };
    if (JSON.stringify(progress) === last) return;
    last = JSON.stringify(progress);
    show({ type: "loop:progress", ...progress });
  };
}
