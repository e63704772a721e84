/**
 * The work loop: picks tasks, leases them across processes, works on several at once, and waits without cost.
 *
 * L1  The loop works on a task only while it holds the task's lease and its folder (worktree, or the project's root).
 * L2  Nothing read before the lease decides: under the lease the task is read again, and begins only if the table still
 *     lets it. So no task runs after it is done, and none runs or is merged twice.
 * L3  Memory holds nothing that the disk does not: the next loop resumes a killed one.
 * L4  If something can begin and a slot is free, it begins at once: every end, every change of the project's files and
 *     every freed slot wakes the loop. It polls only for another process that died, or stopped before it did anything.
 * L5  A task needs a slot while an agent works on it or its work is verified, not while it is pushed or merged, so a wait for
 *     a merge delays no other task. A task with an environment keeps its slot. A task that needs a slot again comes before
 *     one that has not begun.
 * L6  Every task ends done and merged, or idle with a reason in its run.
 * L7  A stop begins nothing new, ends the agents and keeps each task's state. A drain begins nothing new and finishes what
 *     has begun.
 * L8  A worker that cannot be sure of a task's lease ends the task's agent before another worker can take the task.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import type { Cap, Held, TakenLease, Wanted } from "../../../core/ports/leases.ts";
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { SharedWorktrees } from "../../../core/ports/worktrees.ts";
import { openSignal, type Signal } from "../../../core/signal.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { branchOf, eachTask, findTask, type Task } from "../../../tasks-file/task.ts";
import {
  type AccountOf,
  type AgentRest,
  firstToEnd,
  HERE,
  listResting,
  type RestingAgent,
  restLeft,
} from "../agent-rest.ts";
import { hasCaps, wantedFor } from "../caps.ts";
import type { CheckGate, MergeQueue, StopReason } from "../execution-context.ts";
import { governTask, pinOf } from "../govern.ts";
import { serves } from "../labels.ts";
import { apart } from "../overlap.ts";
import { ANY_WORKER, heldByCancelled, isClosed, isDone, type Worker } from "../pick.ts";
import { loadMessages } from "../question.ts";
import { personsEvent } from "../run/persons-event.ts";
import { awaitsMerge, waitLeft } from "../run/scheduling-status.ts";
import { reasonOf } from "../run/task-run.ts";
import { liftRests, type Picked, pick, putBack } from "../run/transactions.ts";
import { type Caps, openCaps } from "./caps.ts";
import { openTaskClaims, type TaskClaims } from "./claims.ts";
import { sweepEnvironments } from "./environments.ts";
import { listUnderway } from "./leftovers.ts";
import { openMergeQueue, openMergeTurns } from "./merge-queue.ts";
import { type MergeWatch, openMergeWatch } from "./merge-watch.ts";
import { agentFor, agentMissing, checkAgents, missingError, restsFor } from "./missing-agents.ts";
import { type LoopMode, openLoopMode } from "./mode.ts";
import { openPins, type Pins } from "./pins.ts";
import { openRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
import { openCheckGate, openSlots, type Slots } from "./slots.ts";
import { openTargetWatch, type TargetWatch } from "./target-watch.ts";
import { type Begins, DELIVERED, type Slot, type Work, workOn } from "./work-on.ts";

export interface LoopSetup extends LoopPorts {
  readonly runtime: Runtime;
  /** The worker's name in events and leases. */
  readonly name: string;
  readonly worker?: Worker;
  readonly agents: number;
  /** The most merges into one branch at a time. */
  readonly mergeTrain: number;
  /** End as soon as nothing can be done. */
  readonly once: boolean;
  /** With `once`: also while tasks only wait for an agent that rests. */
  readonly noWait?: boolean;
  /** Receives every event as it happens; stored ones carry an id. */
  readonly show: (event: BloomEvent | PawlEvent) => void;
  /** Aborted: begin nothing new, end the agents. */
  readonly stop: AbortSignal;
  /** Aborted: begin nothing new, and end as soon as nothing is at work. */
  readonly drain?: AbortSignal;
}

export interface LoopEnd {
  /** Ids of the tasks in scope. */
  readonly done: readonly string[];
  readonly cancelled: readonly string[];
  readonly open: readonly string[];
  readonly blocked: readonly string[];
  readonly waiting: readonly string[];
  /** Tasks that wait for a target that fails their check even without their work. */
  readonly red: readonly WaitsForTarget[];
  /** The agents that rest, and the tasks that wait for them. */
  readonly resting: readonly RestingAgent[];
  /** Tasks in progress, but not by a loop: a person seems to work on them. */
  readonly byHand: readonly string[];
}

interface WaitsForTarget {
  /** What fails there and since when, for display. */
  readonly reason: string;
  readonly tasks: readonly string[];
}

interface Active extends Work {
  readonly ended: Promise<void>;
}

/** What a running loop holds in memory. */
interface Loop extends LoopSetup {
  readonly pins: Pins;
  readonly taskClaims: TaskClaims;
  readonly retries: RetryPolicy;
  readonly merges: MergeQueue;
  readonly checks: CheckGate;
  readonly targets: TargetWatch;
  readonly slots: Slots;
  readonly caps: Caps;
  readonly signal: Signal;
  readonly active: Map<string, Active>;
  /** The checks of pull requests: they need no slot. */
  readonly looks: Map<string, Active>;
  /** Tasks that an unexpected error stopped; this loop leaves them alone and continues with the others. */
  readonly failed: Map<string, unknown>;
  /** Tasks whose programs no person has agreed to, and why. */
  readonly untrusted: Map<string, PawlError>;
  readonly accountOf: AccountOf;
  /** Tasks whose lines in tasks.yaml could not be changed at the last attempt. */
  readonly unwritable: Map<string, PawlError>;
  /** What this loop holds besides tasks: repositories' branches, the project's root, exclusive things. */
  readonly folders: Set<string>;
  readonly mode: LoopMode;
}

/** The longest wait for a change without a signal, and the interval of polls for other workers' leases. */
const SLOW_MILLISECONDS = 30_000;
const TAKEN_MILLISECONDS = 1000;

/**
 * Runs until stopped, or with `once` until nothing can be done. Throws an error that makes it impossible to continue; at the end,
 * also one that stopped a single task.
 */
export async function runLoop(given: LoopSetup): Promise<LoopEnd> {
  // If an error ends the loop, its agents must end too: nothing would supervise them.
  const failing = new AbortController();
  const setup: LoopSetup = { ...given, stop: AbortSignal.any([given.stop, failing.signal]) };
  const signal = openSignal(setup.stop, setup.clock);
  const pins = openPins(setup.runtime, setup.runtime.outside.policies, setup.show);
  const loop: Loop = {
    ...setup,
    pins,
    taskClaims: openTaskClaims(setup.runtime.outside.policies, setup.endedHere),
    runtime: pins.runtime,
    signal,
    retries: openRetryPolicy(setup),
    merges: openMergeQueue({
      worktrees: openMergeTurns(setup.ports.worktrees, setup.leaseManager, setup.name),
      watch: setup.watch,
      clock: setup.clock,
      limit: setup.mergeTrain,
    }),
    checks: openCheckGate(),
    targets: openTargetWatch({
      worktrees: setup.ports.worktrees,
      isShared: setup.leaseManager.isShared === true,
      stop: setup.stop,
      notify: signal.notify,
      now: () => setup.clock.elapsed(),
    }),
    slots: openSlots(setup.agents, signal.notify),
    caps: openCaps(setup.show),
    active: new Map(),
    looks: new Map(),
    failed: new Map(),
    untrusted: new Map(),
    accountOf: (agent) => setup.ports.agents.accountOf(agent) ?? setup.ports.host ?? HERE,
    unwritable: new Map(),
    folders: new Set(),
    mode: openLoopMode(setup.stop, setup.drain),
  };
  const watching = setup.watch.onChange(signal.notify);
  const merges = watchMerges(loop);
  // At once, whatever the loop is doing: after a stop nothing may begin.
  const stopWork = () => interruptAll([...loop.active.values(), ...loop.looks.values()]);
  setup.stop.addEventListener("abort", stopWork);
  setup.drain?.addEventListener("abort", signal.notify);
  try {
    try {
      await endLeftovers(loop);
      await pins.refresh();
      await askAgain(loop);
      const first = await look(loop, true);
      checkCaps(setup.leaseManager, first);
      checkAgents(setup.ports.agents, first);
      await turnUntilOver(loop, merges);
    } catch (error) {
      failing.abort();
      throw error;
    } finally {
      stopWork();
      await Promise.all([...loop.active.values()].map(({ ended }) => ended));
      await merges.ended();
      await loop.targets.ended();
    }
    for (const error of [...loop.failed.values(), ...loop.unwritable.values()]) throw error;
    return endOf(await look(loop, true), loop);
  } finally {
    setup.stop.removeEventListener("abort", stopWork);
    setup.drain?.removeEventListener("abort", signal.notify);
    watching.close();
    signal.close();
  }
}

async function turnUntilOver(loop: Loop, merges: MergeWatch): Promise<void> {
  const reportProgress = openStanding(loop);
  let paused = false;
  while (loop.mode.now() !== "stopping") {
    try {
      await loop.pins.refresh();
      const picked = await look(loop);
      drainIfOutgrown(loop, picked);
      tellUnwritable(loop, picked);
      await loop.pins.see(picked.file.tasks, loop.active.size === 0);
      await interruptActive(loop, picked);
      const due = dueIn(loop, merges, picked);
      const wait = await fill(loop, picked);
      loop.retries.succeeded(paused);
      paused = false;
      const rests = loop.active.size === 0;
      reportProgress(picked, rests);
      const isOver = loop.mode.now() !== "working" || (wait === "nothing-left" && loop.once);
      if (isOver && rests && !merges.isBusy() && !loop.targets.isBusy()) return;
      await loop.signal.wait(Math.min(due, wait === "nothing-left" ? SLOW_MILLISECONDS : wait));
    } catch (error) {
      const isOver = loop.mode.now() === "draining" && loop.active.size === 0;
      if (isOver || !loop.retries.shouldRetry(error)) throw error;
      paused = true;
      await loop.retries.wait();
    }
  }
}

/** Checks merges and targets that are due; returns milliseconds to the next check. */
function dueIn({ mode, targets }: Loop, merges: MergeWatch, picked: Picked): number {
  if (mode.now() !== "working") return SLOW_MILLISECONDS;
  const all = [merges.turn(picked), targets.turn(picked)];
  return Math.min(SLOW_MILLISECONDS, ...all.flatMap((due) => due ?? []));
}

/** A newer version decides by rules that this one does not know, so this one drains. */
function drainIfOutgrown({ mode, show }: Loop, { movedByOthers: tasks }: Picked): void {
  if (tasks.length > 0 && mode.drain()) show({ type: "loop:outgrown", tasks });
}

const caller = ({ name }: LoopSetup): Caller => ({ channel: "library", who: name });

/** The tasks that can be taken. Writes only if one becomes ready, or if an agent may have ended one in tasks.yaml. */
async function look(loop: Loop, only = false): Promise<Picked> {
  const { accountOf, leaseManager, worker = ANY_WORKER } = loop;
  const asked = { worker, isShared: leaseManager.isShared, accountOf };
  const read = async () =>
    (await runTransaction(loop.runtime, pick, { ...asked, look: true }, caller(loop))).reply;
  const found = await read();
  const seen = (await tookBack(loop, found)) ? await read() : found;
  if (only || !seen.someReady || seen.movedByOthers.length > 0) return seen;
  const { reply } = await runTransaction(loop.runtime, pick, asked, caller(loop));
  for (const event of reply.events) loop.show(event);
  return reply;
}

async function tookBack(loop: Loop, { file, runs }: Picked): Promise<boolean> {
  const claims = await loop.taskClaims.see({ tasks: file.tasks, runs }, loop.active.size === 0);
  if (claims.length === 0) return false;
  const { reply } = await runTransaction(loop.runtime, putBack, { claims }, caller(loop));
  for (const event of reply.events) loop.show(event);
  return true;
}

/** Starts what it can; returns how long to wait for more, or that nothing is left to wait for. */
async function fill(loop: Loop, picked: Picked): Promise<number | "nothing-left"> {
  const { active, caps, failed, slots } = loop;
  const moved = new Set(loop.targets.moved(picked));
  const open = [...moved, ...picked.candidates].filter(({ id }) => !active.has(id) && !failed.has(id));
  const { host } = loop.ports;
  const mayBegin = () => loop.mode.now() === "working";
  const held = (open.length > 0 && mayBegin() ? await loop.leaseManager.held?.(host) : null) ?? [];
  let soonest = Number.POSITIVE_INFINITY;
  const atWork = () => [...active.keys()].flatMap((id) => findTask(picked.file.tasks, id) ?? []);
  const without: Without = new Map();
  let isFull = false;
  caps.begin();
  // A task of this loop has it; its end wakes the loop.
  const isInUse = picked.exclusive.some((each) => loop.folders.has(exclusiveName(each)));
  for (const task of apart(open, atWork)) {
    if (loop.folders.has(folderName(task, host)) || isInUse) continue;
    if (restsFor(picked, task) !== null) continue;
    isFull = !mayBegin() || !slots.isFree();
    if (isFull) break;
    const left = leftOf(held, task, picked, host);
    if (left !== null) soonest = Math.min(soonest, left);
    else if ((await start(loop, picked, task, moved.has(task), without)) === "taken")
      soonest = Math.min(soonest, TAKEN_MILLISECONDS);
  }
  for (const { tasks, why } of without.values()) {
    const { code, fix, message: reason } = missingError(tasks, why, picked.settings.command);
    loop.show({ type: "task:failed", taskId: tasks[0] ?? "", code, reason, fix });
  }
  if (isFull) return SLOW_MILLISECONDS;
  caps.tell();
  const next = untilNext(picked, loop);
  if (soonest === Number.POSITIVE_INFINITY && active.size === 0) return next;
  return Math.min(SLOW_MILLISECONDS, soonest, next === "nothing-left" ? Infinity : next);
}

/** By agents that are not installed: why, and the tasks that wait for them. */
type Without = Map<string, { readonly why: string; readonly tasks: readonly string[] }>;

/** Added to a lease's end, because timers fire a little early. */
const SPARE_MILLISECONDS = 50;

/**
 * Milliseconds for which the task is left alone: another worker holds it or its folder, or a worker is preferred because it has
 * the work of a dead one. Null: the task is free.
 */
function leftOf(
  held: readonly Held[],
  task: Task,
  { settings }: Picked,
  host: string | undefined,
): number | null {
  const folder = folderName(task, host);
  const left = held.flatMap(({ what, preferred, left: each }) =>
    (what === task.id || what === folder) && (preferred === undefined || serves(preferred, task, settings))
      ? [each]
      : [],
  );
  return left.length === 0 ? null : Math.max(...left) + SPARE_MILLISECONDS;
}

/** Begins to work on the task, unless a cap is reached, its agent is missing (`without`), or another worker has it. */
async function start(
  loop: Loop,
  picked: Picked,
  task: Task,
  isTargetMoved: boolean,
  without: Without,
): Promise<"begun" | "waits" | "taken"> {
  const { active, caps, slots } = loop;
  if (await lacksTrust(loop, task)) return "waits";
  const lacking = agentMissing(loop.ports.agents, picked, task);
  if (lacking !== null) {
    // Another machine may have the agent.
    if (loop.leaseManager.isShared) caps.note(`${lacking.agent} is not installed on this machine`);
    else {
      const { agent, error, why } = lacking;
      loop.failed.set(task.id, error);
      without.set(agent, { why, tasks: [...(without.get(agent)?.tasks ?? []), task.id] });
    }
    return "waits";
  }
  const wanted = countedFor(loop, picked, task);
  if (wanted !== null && caps.isReached(wanted)) return "waits";
  // Taken before the wait for the claim, because another task that began earlier may ask for a slot during that wait.
  const slot = slots.open();
  const leases = await takeLeases(loop, task, wanted, picked.exclusive).catch((error: unknown) => {
    slot.leave();
    throw error;
  });
  if (leases !== null && typeof leases !== "string") {
    startWork(loop, active, task.id, leases, slot, { isTargetMoved });
    return "begun";
  }
  slot.leave("quietly");
  if (leases === null || wanted === null) return "taken";
  caps.reach(leases, wanted);
  return "waits";
}

/** Whether a person must first agree to what the task starts; reported once. Other tasks continue. */
async function lacksTrust(loop: Loop, task: Task): Promise<boolean> {
  const { pins, untrusted } = loop;
  const governed = governTask(task, pinOf(await pins.of(task.id))).task;
  const error = (await loop.lacksTrust?.(governed)) ?? null;
  if (error === null) untrusted.delete(task.id);
  else waitForTrust(loop, task.id, error);
  return error !== null;
}

function waitForTrust({ show, untrusted }: Loop, taskId: string, error: PawlError): void {
  if (untrusted.get(taskId)?.message !== error.message)
    show({ type: "task:waiting", taskId, reason: `${error.message} ${error.fix}` });
  untrusted.set(taskId, error);
}

/** How it counts for the caps over all machines; null: not at all, as a task that is only pushed or merged needs no agent. */
function countedFor({ leaseManager, ports }: Loop, { runs, settings }: Picked, task: Task): Wanted | null {
  const run = runs.get(task.id);
  if (leaseManager.reserve === undefined || (run !== undefined && DELIVERED.has(run.state))) return null;
  const { host } = ports;
  return { ...wantedFor(task, run, settings), ...(host === undefined ? {} : { place: host }) };
}

/** Throws `config-invalid` if caps are set that could not be kept. */
function checkCaps({ reserve }: Loop["leaseManager"], { settings: { caps } }: Picked): void {
  if (reserve !== undefined || !hasCaps(caps)) return;
  throw new PawlError(
    "config-invalid",
    "pawl.yaml sets `bloom.caps`, which apply to all machines; this project keeps its state in files, which no other machine sees.",
    "Keep Bloom's state in a database (`stores: {bloom: postgres}`), or remove `caps` from pawl.yaml; `bloom.agents` limits one machine.",
  );
}

/** Reported once; the others continue, and so does the task as soon as its lines are corrected. */
function tellUnwritable({ unwritable, show }: Loop, picked: Picked): void {
  for (const id of unwritable.keys()) if (!picked.unwritable.has(id)) unwritable.delete(id);
  for (const [id, error] of picked.unwritable) {
    const { code, message: reason, fix } = error;
    if (!unwritable.has(id)) show({ type: "task:failed", taskId: id, code, reason, fix });
    unwritable.set(id, error);
  }
}

function fail({ show, failed }: Loop, taskId: string, error: unknown): void {
  failed.set(taskId, error);
  const { code, message, fix } = toPawlError(error);
  show({ type: "task:failed", taskId, code, reason: message, fix });
}

/** Works on a claimed task until it is idle, then wakes the loop. */
function startWork(
  loop: Loop,
  among: Map<string, Active>,
  id: string,
  leases: readonly TakenLease[],
  slot: Slot,
  begins: Omit<Begins, "abandoned">,
): Promise<void> {
  const shared = sharedOf(loop, id, leases);
  const work: Work = {
    id,
    abort: new AbortController(),
    told: null,
    run: null,
    environment: null,
    slot,
    shared,
  };
  const abandoned = leases.some((each) => each.abandoned);
  loop.retries.begin();
  if (begins.watches !== true) loop.pins.begin();
  const lost = AbortSignal.any(leases.flatMap((each) => each.lost ?? []));
  lost.addEventListener("abort", () => {
    loop.show({ type: "task:lease_lost", taskId: id });
    interruptAll([work]);
  });
  const setup = { ...fencedBy(loop, work), lost, stop: AbortSignal.any([loop.stop, lost]) };
  const begun = begins.watches === true ? Promise.resolve() : loop.taskClaims.begin();
  const ended = begun
    .then(() => workOn(setup, work, { ...begins, abandoned }, caller(loop)))
    .catch(async (error: unknown) => {
      // It starts again from its state on disk, but not at once.
      if (loop.retries.shouldRetry(error)) await loop.retries.wait();
      else if (error instanceof PawlError && error.code === "project-untrusted")
        waitForTrust(loop, id, error);
      else if (shared !== null && error instanceof PawlError && error.code === "lease-lost")
        loop.show({ type: "task:overtaken", taskId: id, reason: error.message });
      else fail(loop, id, error);
    })
    .finally(async () => {
      for (const each of leases) {
        await each.release().catch(unlessAway);
        loop.folders.delete(each.what);
      }
      among.delete(id);
      loop.targets.askSoon();
      slot.leave();
      loop.signal.notify();
    });
  among.set(id, Object.assign(work, { ended }));
  return ended;
}

/** A lease that cannot be released expires by itself. */
function unlessAway(thrown: unknown): void {
  if (!(thrown instanceof PawlError && thrown.code === "database-failed")) throw thrown;
}

/** Work on a task no longer counts once another machine has the task. */
function fencedBy(loop: Loop, { id, shared }: Work): Loop {
  if (shared === null || loop.fenced === undefined) return loop;
  return { ...loop, runtime: { ...loop.runtime, store: loop.fenced(id) } };
}

/** The task's worktrees, if other machines may take it over. */
function sharedOf({ name, ports }: Loop, id: string, leases: readonly TakenLease[]): SharedWorktrees | null {
  const epoch = leases.find(({ what }) => what === id)?.epoch;
  return epoch === undefined ? null : ports.worktrees.under({ what: id, epoch, holder: name });
}

const NO_SLOT: Slot = { leave: () => {}, take: async () => true };

function watchMerges(loop: Loop): MergeWatch {
  return openMergeWatch({
    async look(task) {
      // One that is at work looks by itself.
      if (loop.failed.has(task.id) || loop.active.has(task.id)) return;
      try {
        const leases = await takeLeases(loop, task, null, []);
        if (leases !== null && typeof leases !== "string")
          await startWork(loop, loop.looks, task.id, leases, NO_SLOT, { watches: true });
      } catch (error) {
        if (!loop.retries.shouldRetry(error)) fail(loop, task.id, error);
      }
    },
    show: loop.show,
    stop: loop.stop,
    notify: loop.signal.notify,
    now: () => loop.clock.elapsed(),
  });
}

/** Milliseconds until the first task that backs off, or waits for an agent that rests, may be tried again. */
function untilNext(picked: Picked, loop: Loop): number | "nothing-left" {
  const { candidates, rests, runs, states, scope } = picked;
  const now = loop.clock.now().toISOString();
  const isOthers = (id: string) => loop.failed.has(id);
  const isGivenUp = (id: string, rest: AgentRest | null) =>
    loop.once && scope.has(id) && rest !== null && (loop.noWait === true || rest.mend !== undefined);
  const backing = [...runs.values()].flatMap((run) => {
    if (states.get(run.task) !== "backing_off" || isOthers(run.task)) return [];
    const rest = run.state === "agent_rests" ? firstToEnd(run.rest, rests) : null;
    return isGivenUp(run.task, rest) ? [] : [waitLeft(run, now, rests)];
  });
  const waiting = candidates.flatMap((task) => {
    const rest = isOthers(task.id) ? null : restsFor(picked, task);
    return rest === null || isGivenUp(task.id, rest) ? [] : [restLeft(rest, task.id, now)];
  });
  const all = [...backing, ...waiting];
  return all.length === 0 ? "nothing-left" : Math.min(SLOW_MILLISECONDS, Math.max(1, ...[Math.min(...all)]));
}

/**
 * Takes the leases of the task, its working folder (tasks without a repository share the project's root) and its exclusive things.
 * Returns a cap if one is reached; null: another worker has one of the leases.
 */
async function takeLeases(
  { leaseManager, name, folders, ports }: Loop,
  task: Task,
  wanted: Wanted | null,
  exclusive: readonly string[],
): Promise<readonly TakenLease[] | Cap | null> {
  const own =
    wanted === null
      ? await leaseManager.take(task.id, name)
      : ((await leaseManager.reserve?.(task.id, name, wanted)) ?? null);
  if (own === null || typeof own === "string") return own;
  const all = [own];
  for (const what of [folderName(task, ports.host), ...exclusive.map(exclusiveName)]) {
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

const exclusiveName = (name: string): string => `@exclusive:${name}`;

/** Each machine has its own root; a branch is the same on all machines. */
function folderName(task: Task, host: string | undefined): string {
  if (task.repo === undefined) return host === undefined ? "@root" : `@root ${host}`;
  return `@${task.repo.replace(/^\.\//, "")}:${branchOf(task)}`;
}

// ── Those at work ────────────────────────────────────────────────────────────────────────────────────────────────

/** Acts on what a person said about a task at work, in tasks.yaml or to its agent. */
async function interruptActive(loop: Loop, picked: Picked): Promise<void> {
  for (const work of loop.active.values()) {
    const mayBeClaim = loop.taskClaims.isOpen();
    if (wasOverruled(work, picked, mayBeClaim)) {
      // Ignore what was read before the task's own last commit.
      if (wasOverruled(work, await look(loop, true), mayBeClaim))
        work.abort.abort("told" satisfies StopReason);
    } else if (work.told !== null) {
      const told = work.told;
      const messages = await loadMessages(loop.runtime.store.view(), work.id);
      if (work.told === told && messages.some((each) => each.atOnce && !told.includes(each.path)))
        work.abort.abort("interjected" satisfies StopReason);
    }
  }
}

const TAKEN_BACK: ReadonlySet<string> = new Set(["ready", "cancelled"]);

/** True if the task is gone, or a person changed its status, or reset or cancelled its run. */
function wasOverruled({ id, run: begun }: Work, { file, runs }: Picked, mayBeClaim: boolean): boolean {
  if (begun === null) return false;
  const task = findTask(file.tasks, id);
  const run = runs.get(id);
  return (
    task === null ||
    (run !== undefined && (TAKEN_BACK.has(run.state) || personsEvent(task, run, mayBeClaim) !== null))
  );
}

function interruptAll(works: readonly Work[]): void {
  for (const { abort } of works) abort.abort("interrupted" satisfies StopReason);
}

/** Ends the processes that a dead loop left behind, whether or not its tasks are resumed. */
async function endLeftovers(setup: Loop): Promise<void> {
  const { leaseManager, name, ports, runtime, show } = setup;
  await leaseManager.sweep();
  await sweepEnvironments(setup);
  const underway = await listUnderway(runtime.store.view());
  // Read the leases after the runs: a live worker has had its lease since. Taking the lease would hide that a worker died.
  const held = underway.length === 0 ? undefined : await leaseManager.held?.(ports.host);
  for (const { task, runs } of underway) {
    if (held?.some(({ what, preferred }) => what === task && preferred === undefined)) continue;
    const own = held === undefined ? await leaseManager.take(task, name) : null;
    if (held === undefined && own === null) continue;
    try {
      for (const run of runs) {
        const count = await ports.agents.endLeftovers(run);
        if (count > 0) show({ type: "agent:leftovers_ended", taskId: task, run, count });
      }
    } finally {
      await own?.release();
    }
  }
}

/**
 * Whoever starts the loop wants to know whether the agents that tasks wait for still have to rest. Where other machines
 * work, too, a new worker takes their word, except for what a person may have mended.
 */
async function askAgain(loop: Loop): Promise<void> {
  const { accountOf, leaseManager, runtime } = loop;
  const { runs, scope } = await look(loop, true);
  const awaited = new Set(
    [...runs.values()].flatMap(({ rest, state, task }) =>
      state === "agent_rests" && rest && scope.has(task) ? rest : [],
    ),
  );
  if (awaited.size === 0) return;
  const lifts = ({ account, agent, mend, source }: AgentRest) =>
    source !== "quota" &&
    awaited.has(agent) &&
    accountOf(agent) === account &&
    (leaseManager.isShared !== true || mend !== undefined);
  await runTransaction(runtime, liftRests, { lifts }, caller(loop));
}

// ── Progress ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reports the tasks' states whenever they change; first those that already wait for a person. */
function openStanding(loop: Loop): (picked: Picked, rests: boolean) => void {
  const { show } = loop;
  let last = "";
  return (picked, rests) => {
    if (last === "") for (const event of waitingNow(picked)) show(event);
    const { done, open, blocked, waiting, red, resting } = endOf(picked, loop);
    const progress = { done: done.length, open: open.length, blocked, waiting, red, resting, idle: rests };
    if (JSON.stringify(progress) === last) return;
    last = JSON.stringify(progress);
    show({ type: "loop:stands", ...progress });
  };
}

function waitingNow({ runs, states, scope }: Picked): readonly BloomEvent[] {
  return [...runs.values()].flatMap((run) =>
    scope.has(run.task) && states.get(run.task) === "waiting_for_human"
      ? [{ type: "task:waiting", taskId: run.task, reason: reasonOf(run) }]
      : [],
  );
}

function endOf(picked: Picked, { untrusted, worker: { only } = ANY_WORKER }: Loop): LoopEnd {
  const { candidates, file, resting, states, runs } = picked;
  const root = only === null ? null : findTask(file.tasks, only);
  const tasks = eachTask(root ? [root] : file.tasks).map(({ task }) => task);
  const open = tasks.filter((task) => !isClosed(task));
  const stuck = heldByCancelled(file.tasks, states);
  const waits = (task: Task) => {
    const run = runs.get(task.id);
    if (untrusted.has(task.id)) return true;
    return states.get(task.id) === "waiting_for_human" || (run !== undefined && awaitsMerge(run));
  };
  return {
    done: tasks.filter(isDone).map(({ id }) => id),
    cancelled: tasks.filter(({ status }) => status === "cancelled").map(({ id }) => id),
    open: open.map(({ id }) => id),
    blocked: open.filter(({ id, status }) => status === "blocked" || stuck.has(id)).map(({ id }) => id),
    waiting: open.filter(waits).map(({ id }) => id),
    red: redIn(open, states, runs),
    resting: listResting(open, resting, {
      agentFor: (task) => agentFor(picked, task),
      waitsFor(task) {
        const run = runs.get(task.id);
        if (run?.state === "agent_rests") return firstToEnd(run.rest, resting)?.agent ?? null;
        return candidates.some(({ id }) => id === task.id) ? (restsFor(picked, task)?.agent ?? null) : null;
      },
    }),
    byHand: open.filter(({ id, status }) => status === "in_progress" && !runs.has(id)).map(({ id }) => id),
  };
}

/** By what they wait for. */
function redIn(
  open: readonly Task[],
  states: Picked["states"],
  runs: Picked["runs"],
): readonly WaitsForTarget[] {
  const found = new Map<string, string[]>();
  for (const { id } of open) {
    const run = states.get(id) === "target_red" ? runs.get(id) : undefined;
    if (run) found.set(reasonOf(run), [...(found.get(reasonOf(run)) ?? []), id]);
  }
  return [...found].map(([reason, tasks]) => ({ reason, tasks }));
}
