/**
 * The work loop: picks tasks, claims them over processes, works on so many at once, and waits without cost.
 *
 * L1  A task is worked on only while its claim and its place (worktree, or the project's root) are held.
 * L2  Nothing is remembered here that the disk does not hold: a killed loop is gone on with by the next.
 * L3  A stop begins nothing new, ends the agents and keeps where each task stands.
 */
import type { BloomHappening } from "../base/bloom-event.ts";
import { toPawlError } from "../base/error.ts";
import type { Caller, PawlEvent } from "../base/event.ts";
import type { Claim, Claims, Clock, Watch } from "../base/ports.ts";
import { type Picked, pick } from "../workflows/bloom/advances.ts";
import { ANY_WORKER, isDone, type Worker } from "../workflows/bloom/pick.ts";
import { loadMessages } from "../workflows/bloom/question.ts";
import { wordOf } from "../workflows/bloom/reconcile.ts";
import type { Ports, StopReason } from "../workflows/bloom/site.ts";
import { branchOf, eachTask, findTask, type Task } from "../workflows/bloom/task.ts";
import { awaitsMerge, reasonOf } from "../workflows/bloom/task-run.ts";
import { advance, type Runtime } from "./advance.ts";
import { listUnderway } from "./leftovers.ts";
import { type MergeWatch, openMergeWatch } from "./merge-watch.ts";
import { openPatience, type Patience } from "./patience.ts";
import { type Work, workOn } from "./work-on.ts";

export interface LoopOutside {
  readonly ports: Ports;
  readonly claims: Claims;
  readonly watch: Watch;
  readonly clock: Clock;
}

export interface LoopSetup extends LoopOutside {
  readonly runtime: Runtime;
  /** Who works: told in events and leases. */
  readonly name: string;
  readonly worker?: Worker;
  /** How many at once. */
  readonly agents: number;
  /** End when nothing is left that could be done now. */
  readonly once: boolean;
  /** Everything that happens, as it happens; stored events carry an id. */
  readonly show: (happening: BloomHappening | PawlEvent) => void;
  /** Aborted: finish nothing new, stop the agents. */
  readonly stop: AbortSignal;
}

export interface LoopEnd {
  /** The tasks in scope, by how they stand. */
  readonly done: readonly string[];
  readonly open: readonly string[];
  readonly blocked: readonly string[];
  readonly waiting: readonly string[];
}

export interface Active extends Work {
  readonly ended: Promise<void>;
}

interface Loop extends LoopSetup {
  readonly patience: Patience;
}

/** Longest wait for a change that nobody told of, and between looks at what another worker holds. */
const SLOW_MILLISECONDS = 30_000;
const TAKEN_MILLISECONDS = 1000;

/**
 * Runs until stopped, or with `once` until nothing is left to be done. Throws what makes going on impossible; at the end,
 * what stopped a single task.
 */
export async function runLoop(given: LoopSetup): Promise<LoopEnd> {
  const setup = { ...given, patience: openPatience(given) };
  const bell = openBell(setup.stop, setup.clock);
  const watching = setup.watch.onChange(bell.ring);
  const active = new Map<string, Active>();
  const failed: Failed = new Map();
  const looks = new Map<string, Active>();
  const tellStanding = openStanding(setup);
  let paused = false;
  const merges = watchMerges(setup, looks, bell.ring, failed);
  try {
    await endLeftovers(setup);
    for (;;) {
      if (setup.stop.aborted) break;
      try {
        const picked = await look(setup);
        await tellActive(setup, active, picked);
        const due = merges.turn(picked) ?? SLOW_MILLISECONDS;
        const wait = await fill(setup, active, picked, bell.ring, failed);
        setup.patience.succeeded(paused);
        paused = false;
        tellStanding(picked, active.size === 0);
        if (wait === "nothing-left" && active.size === 0 && !merges.isBusy() && setup.once) break;
        await bell.wait(Math.min(due, wait === "nothing-left" ? SLOW_MILLISECONDS : wait));
      } catch (error) {
        if (!setup.patience.bears(error)) throw error;
        paused = true;
        await setup.patience.wait();
      }
    }
    stopAll(active, "interrupted");
    stopAll(looks, "interrupted");
    await Promise.all([...active.values()].map(({ ended }) => ended));
    await merges.ended();
    for (const error of failed.values()) throw error;
    return endOf(await look(setup, true), setup.worker ?? ANY_WORKER);
  } finally {
    watching.close();
    bell.close();
  }
}

const caller = ({ name }: LoopSetup): Caller => ({ channel: "library", who: name });

/** What there is to take. Only where something becomes ready is anything written. */
async function look(setup: LoopSetup, only = false): Promise<Picked> {
  const worker = setup.worker ?? ANY_WORKER;
  const seen = (await advance(setup.runtime, pick, { worker, look: true }, caller(setup))).reply;
  if (only || !seen.someReady) return seen;
  const { reply } = await advance(setup.runtime, pick, { worker }, caller(setup));
  for (const event of reply.happened) setup.show(event);
  return reply;
}

/** Starts what may be started; says how long to wait for more, or that nothing is left to wait for. */
async function fill(
  setup: Loop,
  active: Map<string, Active>,
  picked: Picked,
  ring: () => void,
  failed: Failed,
): Promise<number | "nothing-left"> {
  let taken = false;
  for (const task of picked.candidates) {
    if (active.has(task.id) || failed.has(task.id)) continue;
    if (active.size >= setup.agents || setup.stop.aborted) return SLOW_MILLISECONDS;
    const claims = await claim(setup, task);
    if (claims === null) taken = true;
    else
      begin(setup, active, task.id, claims, failed)
        .finally(ring)
        .catch(() => {});
  }
  const next = untilNext(picked, setup, failed);
  if (!taken && active.size === 0) return next;
  return Math.min(taken ? TAKEN_MILLISECONDS : SLOW_MILLISECONDS, next === "nothing-left" ? Infinity : next);
}

/** The tasks that something unforeseen stopped: left as they are by this run, which goes on with the others. */
type Failed = Map<string, unknown>;

function fail({ show }: LoopSetup, failed: Failed, taskId: string, error: unknown): void {
  failed.set(taskId, error);
  const { code, message, fix } = toPawlError(error);
  show({ type: "task:failed", taskId, code, reason: message, fix });
}

/** Works on a claimed task to where it rests. */
function begin(
  setup: Loop,
  active: Map<string, Active>,
  id: string,
  claims: readonly Claim[],
  failed: Failed,
): Promise<void> {
  const work: Work = { id, abort: new AbortController(), told: null };
  const abandoned = claims.some((each) => each.abandoned);
  const ended = workOn(setup, work, abandoned, caller(setup))
    .catch(async (error: unknown) => {
      // It is begun again from where it stands on disk, not at once.
      if (setup.patience.bears(error)) await setup.patience.wait();
      else fail(setup, failed, id, error);
    })
    .finally(async () => {
      for (const each of claims) await each.release();
      active.delete(id);
    });
  active.set(id, Object.assign(work, { ended }));
  return ended;
}

function watchMerges(setup: Loop, looks: Map<string, Active>, ring: () => void, failed: Failed): MergeWatch {
  return openMergeWatch({
    async look(task) {
      if (failed.has(task.id)) return;
      try {
        const claims = await claim(setup, task);
        if (claims !== null) await begin(setup, looks, task.id, claims, failed);
      } catch (error) {
        if (!setup.patience.bears(error)) fail(setup, failed, task.id, error);
      }
    },
    show: setup.show,
    stop: setup.stop,
    ring,
    now: () => setup.clock.now().getTime(),
  });
}

/** Milliseconds until the first task that backs off may be tried again. */
function untilNext({ runs, states }: Picked, setup: LoopSetup, failed: Failed): number | "nothing-left" {
  const backing = [...runs.values()].filter(
    (run) => states.get(run.task) === "backing_off" && !failed.has(run.task),
  );
  if (backing.length === 0) return "nothing-left";
  const first = Math.min(...backing.map((run) => Date.parse(run.after ?? "")));
  return Math.min(SLOW_MILLISECONDS, Math.max(10, first - setup.clock.now().getTime()));
}

/** The task, and the place that it works in: tasks without a repository share the project's root. */
async function claim({ claims, name }: LoopSetup, task: Task): Promise<readonly Claim[] | null> {
  const own = await claims.take(task.id, name);
  if (own === null) return null;
  const place = await claims.take(placeName(task), name);
  if (place !== null) return [own, place];
  await own.release();
  return null;
}

function placeName(task: Task): string {
  return task.repo === undefined ? "@root" : `@${task.repo.replace(/^\.\//, "")}:${branchOf(task)}`;
}

// ── Those at work ────────────────────────────────────────────────────────────────────────────────────────────────

/** A person's word for a task at work: in tasks.yaml, or to its agent. */
async function tellActive(
  setup: LoopSetup,
  active: ReadonlyMap<string, Active>,
  picked: Picked,
): Promise<void> {
  for (const work of active.values()) {
    const task = findTask(picked.file.tasks, work.id);
    const run = picked.runs.get(work.id);
    if (task === null || (run !== undefined && wordOf(task, run) !== null))
      work.abort.abort("told" satisfies StopReason);
    else if (work.told !== null) {
      const told = work.told;
      const messages = await loadMessages(setup.runtime.store.view(), work.id);
      if (work.told === told && messages.some((each) => each.atOnce && !told.includes(each.path)))
        work.abort.abort("interjected" satisfies StopReason);
    }
  }
}

function stopAll(active: ReadonlyMap<string, Active>, reason: StopReason): void {
  for (const { abort } of active.values()) abort.abort(reason);
}

/** What a killed loop left running is ended, whether or not its task is gone on with. */
async function endLeftovers(setup: LoopSetup): Promise<void> {
  await setup.claims.sweep();
  for (const { task, runs } of await listUnderway(setup.runtime.store.view())) {
    const own = await setup.claims.take(task, setup.name);
    if (own === null) continue;
    try {
      for (const run of runs) {
        const count = await setup.ports.agents.endLeftovers(run);
        if (count > 0) setup.show({ type: "agent:leftovers_ended", taskId: task, run, count });
      }
    } finally {
      await own.release();
    }
  }
}

// ── Waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Bell {
  ring(): void;
  /** Until it rings, or the time is over. What rang since the last wait counts. */
  wait(milliseconds: number): Promise<void>;
  close(): void;
}

function openBell(stop: AbortSignal, clock: Clock): Bell {
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  stop.addEventListener("abort", ring);
  return {
    ring,
    async wait(milliseconds) {
      if (!rung)
        await new Promise<void>((resolve) => {
          const timer = clock.after(milliseconds, resolve);
          wake = () => {
            timer.cancel();
            resolve();
          };
        });
      rung = false;
      wake = () => {};
    },
    close: () => stop.removeEventListener("abort", ring),
  };
}

// ── How it stands ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Told where it changes; what waited for a person before this run is told first. */
function openStanding({ show, worker = ANY_WORKER }: LoopSetup): (picked: Picked, rests: boolean) => void {
  let last = "";
  return (picked, rests) => {
    if (last === "") for (const event of waitingNow(picked)) show(event);
    const { done, open, blocked, waiting } = endOf(picked, worker);
    const stands = { done: done.length, open: open.length, blocked, waiting, idle: rests };
    if (JSON.stringify(stands) === last) return;
    last = JSON.stringify(stands);
    show({ type: "loop:stands", ...stands });
  };
}

function waitingNow({ runs, states, scope }: Picked): readonly BloomHappening[] {
  return [...runs.values()].flatMap((run) =>
    scope.has(run.task) && states.get(run.task) === "waiting_for_human"
      ? [{ type: "task:waiting", taskId: run.task, reason: reasonOf(run) }]
      : [],
  );
}

function endOf({ file, states, runs }: Picked, worker: Worker): LoopEnd {
  const only = worker.only === null ? null : findTask(file.tasks, worker.only);
  const tasks = eachTask(only ? [only] : file.tasks).map(({ task }) => task);
  const open = tasks.filter((task) => !isDone(task));
  const waits = (task: Task) => {
    const run = runs.get(task.id);
    return states.get(task.id) === "waiting_for_human" || (run !== undefined && awaitsMerge(run));
  };
  return {
    done: tasks.filter(isDone).map(({ id }) => id),
    open: open.map(({ id }) => id),
    blocked: open.filter((task) => task.status === "blocked").map(({ id }) => id),
    waiting: open.filter(waits).map(({ id }) => id),
  };
}
