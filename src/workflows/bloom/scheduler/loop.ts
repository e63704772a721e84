/**
 * Bloom's tasks in the work loop: which may begin, what interrupts one at work, and what is checked outside.
 *
 * A task needs a slot while an agent works on it or its work is verified. A task with an environment keeps its slot.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { PawlError } from "../../../core/error.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import { projectPath } from "../../../core/path.ts";
import type { Backlog, Driver, Hold, LoopHandle } from "../../../core/ports/driver.ts";
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { LoopEnd } from "../../../core/ports/loop-end.ts";
import type { SharedWorktrees } from "../../../core/ports/worktrees.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { type AccountOf, type AgentRest, accountsHere } from "../../../scheduler/agent-rest.ts";
import { joinDrivers } from "../../../scheduler/join-drivers.ts";
import { forAbandoned } from "../../../scheduler/leftovers.ts";
import { type WorkLoopSetup, workLoop } from "../../../scheduler/loop.ts";
import { type MergeQueue, openMergeQueue, openMergeTurns } from "../../../scheduler/merge-queue.ts";
import { type CheckGate, openCheckGate } from "../../../scheduler/slots.ts";
import { isNoTasksFile } from "../../../tasks-file/load.ts";
import { findTask, type Task } from "../../../tasks-file/task.ts";
import { hasCaps, wordsOfCap } from "../caps.ts";
import type { StopReason } from "../execution-context.ts";
import { ANY_WORKER, type Worker } from "../pick.ts";
import { loadMessages } from "../question.ts";
import { personsEvent } from "../run/persons-event.ts";
import { listUnderway, type Underway } from "../run/task-run.ts";
import { liftRests, type Picked, pick, putBack } from "../run/transactions.ts";
import { type BacklogSetup, backlogOf, workFor } from "./backlog.ts";
import { openTaskClaims, type TaskClaims } from "./claims.ts";
import { sweepEnvironments } from "./environments.ts";
import { openMergeWatch } from "./merge-watch.ts";
import { checkAgents } from "./missing-agents.ts";
import { openPins, type Pins } from "./pins.ts";
import { openTargetWatch } from "./target-watch.ts";
import { type Begins, type Work, workOn } from "./work-on.ts";

export interface LoopSetup
  extends LoopPorts,
    Omit<WorkLoopSetup, "ports" | "show" | "transient" | "wordsOfCap"> {
  readonly runtime: Runtime;
  readonly worker?: Worker;
  /** False: there is no tasks file. */
  readonly hasTasks?: boolean;
  /** The most merges into one branch at a time. */
  readonly mergeTrain: number;
  /** With `once`: also while tasks only wait for an agent that rests. */
  readonly noWait?: boolean;
  /** Receives every event as it happens; stored ones carry an id. */
  readonly show: (event: BloomEvent | PawlEvent) => void;
}

/** What the driver of tasks holds in memory. */
interface Tasks extends LoopSetup, Pick<LoopHandle, "isIdle" | "retries" | "takeFolder"> {
  readonly pins: Pins;
  readonly taskClaims: TaskClaims;
  readonly merges: MergeQueue;
  readonly checks: CheckGate;
  readonly accountOf: AccountOf;
  /** The tasks at work, by id; without those whose pull request is checked. */
  readonly active: Map<string, Work>;
}

/** A person corrects tasks.yaml. */
const TRANSIENT = ["tasks-invalid", "tasks-missing", "tasks-unwritable"] as const;

/**
 * Runs until stopped, or with `once` until nothing can be done. Throws an error that makes it impossible to continue; at the end,
 * also one that stopped a single task.
 */
export function runLoop(setup: LoopSetup): Promise<LoopEnd> {
  const { hasTasks = true, others = [], worker = ANY_WORKER } = setup;
  return workLoop({ ...setup, transient: TRANSIENT, wordsOfCap }, (handle) => {
    // One task alone is no reason to work on anything else.
    const beside = worker.only === null ? others.map((open) => open(setup, handle)) : [];
    if (hasTasks || beside.length === 0) return joinDrivers([openTasks(setup, handle), ...beside]);
    return joinDrivers([tasksLater(setup, handle), ...beside]);
  });
}

/** A run of another workflow may begin the first tasks. */
function tasksLater(setup: LoopSetup, handle: LoopHandle): Driver {
  let tasks: Driver | null = null;
  let missing: PawlError | null = null;
  const there = async (): Promise<Driver | null> => {
    if (tasks !== null || missing !== null || !(await hasTasksFile(setup.runtime))) return tasks;
    const opened = openTasks(setup, handle);
    try {
      await opened.start();
      tasks = opened;
    } catch (thrown) {
      if (!(thrown instanceof PawlError) || thrown.code !== "agent-missing") throw thrown;
      missing = thrown;
    }
    return tasks;
  };
  return {
    owns: (run) => !run.includes(":"),
    start: async () => {},
    load: async () => (await (await there())?.load()) ?? NO_TASKS,
    async reload() {
      if (missing !== null) throw missing;
      return (await tasks?.reload()) ?? NO_TASKS;
    },
    agentBegins: async () => tasks?.agentBegins(),
    say: (event) => tasks?.say(event),
    isBusy: () => tasks?.isBusy() ?? false,
    ended: async () => tasks?.ended(),
  };
}

async function hasTasksFile({ settings, store }: Runtime): Promise<boolean> {
  const view = store.view();
  const { bloom } = await settings(view);
  const text = await view.read(projectPath(bloom.tasks_file));
  return !isNoTasksFile(text);
}

const NO_TASKS: Backlog = {
  ...{ outgrown: [], unwritable: new Map(), exclusive: [] },
  *candidates() {},
  missingAgentError: ({ agent, why }) => new PawlError("agent-missing", `${agent} is not there: ${why}`, ""),
  ...{ waiting: () => [], wakesIn: () => null, ask: () => null },
  end: () => ({
    ...{ done: [], cancelled: [], open: [], blocked: [], waiting: [], red: [], resting: [], byHand: [] },
  }),
};

function openTasks(given: LoopSetup, handle: LoopHandle): Driver {
  const { isIdle, notify, retries, stop, takeFolder, workBeside } = handle;
  const setup = { ...given, stop };
  const pins = openPins(setup.runtime, setup.runtime.outside.policies, setup.show, setup.lives);
  const now = () => setup.clock.elapsed();
  const tasks: Tasks = {
    ...setup,
    ...{ isIdle, pins, retries, takeFolder },
    runtime: pins.runtime,
    taskClaims: openTaskClaims(
      setup.runtime.outside.policies,
      setup.endedHere,
      (task) => setup.isWalled !== true || task?.repo === undefined,
    ),
    merges: openMergeQueue({
      worktrees: openMergeTurns(setup.ports.worktrees, setup.leaseManager, setup.name),
      watch: setup.watch,
      clock: setup.clock,
      limit: setup.mergeTrain,
    }),
    checks: openCheckGate(),
    accountOf: accountsHere(setup.ports),
    active: new Map(),
  };
  const targets = openTargetWatch({
    worktrees: setup.ports.worktrees,
    isShared: setup.leaseManager.isShared === true,
    ...{ stop, notify, now },
  });
  const work: BacklogSetup["work"] = (task, begins, hold) => {
    targets.taken(task.id);
    return startTask(tasks, task, begins, hold).finally(targets.askSoon);
  };
  const merges = openMergeWatch({
    check: (task) => workBeside(workFor({ ...setup, work }, task, { watches: true })),
    show: setup.show,
    ...{ stop, notify, now },
  });
  const backlog = (picked: Picked) => backlogOf({ ...setup, pins, targets, merges, work }, picked);
  return {
    // A run of another workflow names that.
    owns: (run) => !run.includes(":"),
    async agentBegins() {
      pins.begin();
      await tasks.taskClaims.begin();
    },
    start: () => startTasks(tasks),
    async load() {
      await pins.refresh();
      const picked = await loadAndPick(tasks);
      await pins.see(picked.file.tasks, isIdle());
      await interruptActive(tasks, picked);
      return backlog(picked);
    },
    reload: async () => backlog(await loadAndPick(tasks, true)),
    say: ({ run: taskId, type, ...more }) =>
      setup.show({ type: `task:${type}`, taskId, ...more } as BloomEvent),
    isBusy: () => merges.isBusy() || targets.isBusy(),
    async ended() {
      await merges.ended();
      await targets.ended();
    },
  };
}

/** Ends what a dead loop left behind, and checks that the caps can be kept and an agent is there. */
async function startTasks(tasks: Tasks): Promise<void> {
  const { leaseManager, once, pins, ports } = tasks;
  await sweepEnvironments(tasks);
  await endLeftovers(tasks);
  await pins.refresh();
  await askAgain(tasks);
  const first = await loadAndPick(tasks, true);
  checkCaps(leaseManager, first);
  // Another machine may have the agents, and so may this one tomorrow.
  if (once || leaseManager.isShared !== true) checkAgents(ports.agents, first);
}

const caller = ({ name }: LoopSetup): Caller => ({ channel: "library", who: name });

/** The tasks that can be taken. Writes only if one becomes ready, or if an agent may have ended one in tasks.yaml. */
async function loadAndPick(tasks: Tasks, only = false): Promise<Picked> {
  const { accountOf, leaseManager, worker = ANY_WORKER } = tasks;
  const asked = { worker, isShared: leaseManager.isShared, accountOf };
  const read = async () =>
    (await runTransaction(tasks.runtime, pick, { ...asked, dryRun: true }, caller(tasks))).reply;
  const found = await read();
  const seen = (await tookBack(tasks, found)) ? await read() : found;
  if (only || !seen.someReady || seen.movedByOthers.length > 0) return seen;
  const { reply } = await runTransaction(tasks.runtime, pick, asked, caller(tasks));
  for (const event of reply.events) tasks.show(event);
  return reply;
}

async function tookBack(tasks: Tasks, { file, runs }: Picked): Promise<boolean> {
  const claims = await tasks.taskClaims.see({ tasks: file.tasks, runs }, tasks.isIdle());
  if (claims.length === 0) return false;
  const { reply } = await runTransaction(tasks.runtime, putBack, { claims }, caller(tasks));
  for (const event of reply.events) tasks.show(event);
  return true;
}

/** Throws `config-invalid` if caps are set that could not be kept. */
function checkCaps({ reserve }: Tasks["leaseManager"], { settings: { caps } }: Picked): void {
  if (reserve !== undefined || !hasCaps(caps)) return;
  throw new PawlError(
    "config-invalid",
    "pawl.yaml sets `bloom.caps`, which apply to all machines; this project keeps its state in files, which no other machine sees.",
    "Keep Bloom's state in a database (`stores: {bloom: postgres}`), or remove `caps` from pawl.yaml; `bloom.agents` limits one machine.",
  );
}

/** Works on a leased task until it is idle. */
function startTask(tasks: Tasks, task: Task, begins: Begins, hold: Hold): Promise<void> {
  const { id } = task;
  const { abandoned, lease, lost, slot, stop } = hold;
  const shared = sharedOf(tasks, lease);
  const work: Work = {
    id,
    abort: new AbortController(),
    reported: null,
    run: null,
    environment: null,
    slot,
    shared,
  };
  const setup = { ...fencedBy(tasks, work), abandoned, lost, stop };
  if (begins.watches === true) return workOn(setup, work, begins, caller(tasks));
  tasks.pins.begin();
  tasks.active.set(id, work);
  return tasks.taskClaims
    .begin(task)
    .then(() => workOn(setup, work, begins, caller(tasks)))
    .finally(() => tasks.active.delete(id));
}

/** Work on a task no longer counts once another machine has the task. */
function fencedBy(tasks: Tasks, { id, shared }: Work): Tasks {
  if (shared === null || tasks.fenced === undefined) return tasks;
  return { ...tasks, runtime: { ...tasks.runtime, store: tasks.fenced(id) } };
}

/** The task's worktrees, if other machines may take it over. */
function sharedOf({ name, ports }: Tasks, { epoch, what }: Hold["lease"]): SharedWorktrees | null {
  return epoch === undefined ? null : ports.worktrees.under({ what, epoch, holder: name });
}

// ── Those at work ────────────────────────────────────────────────────────────────────────────────────────────────

/** Acts on what a person said about a task at work, in tasks.yaml or to its agent. */
async function interruptActive(tasks: Tasks, picked: Picked): Promise<void> {
  for (const work of tasks.active.values()) {
    const mayBeClaim = tasks.taskClaims.isOpen();
    if (wasOverruled(work, picked, mayBeClaim)) {
      // Ignore what was read before the task's own last commit.
      if (wasOverruled(work, await loadAndPick(tasks, true), mayBeClaim))
        work.abort.abort("overruled" satisfies StopReason);
    } else if (work.reported !== null) {
      const reported = work.reported;
      const messages = await loadMessages(tasks.runtime.store.view(), work.id);
      if (work.reported === reported && messages.some((each) => each.atOnce && !reported.includes(each.path)))
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

/** Ends the processes that a dead loop left behind, whether or not its tasks are resumed. */
async function endLeftovers(tasks: Tasks): Promise<void> {
  const { ports, runtime, show } = tasks;
  const end = async ({ runs, task }: Underway) => {
    for (const run of runs) {
      const count = await ports.agents.endLeftovers(run);
      if (count > 0) show({ type: "agent:leftovers_ended", taskId: task, run, count });
    }
  };
  await forAbandoned(tasks, await listUnderway(runtime.store.view()), ({ task }) => task, end);
}

/**
 * At its start, the loop checks whether the agents that tasks wait for still have to rest. If other machines work,
 * too, it trusts their state, except for causes that a person may have removed.
 */
async function askAgain(tasks: Tasks): Promise<void> {
  const { accountOf, leaseManager, runtime } = tasks;
  const { runs, scope } = await loadAndPick(tasks, true);
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
  await runTransaction(runtime, liftRests, { lifts }, caller(tasks));
}
