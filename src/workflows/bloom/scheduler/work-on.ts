/**
 * Works on one leased task from event to event: performs the last rule's commands, commits their result, and repeats. It
 * first ends what an earlier owner left running when it died, and resumes that session.
 */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import { type ErrorCode, type PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { AgentUsage } from "../../../core/ports/agents.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { LoopHandle, RetryPolicy, Slot } from "../../../core/ports/driver.ts";
import { type LeaseManager, rootLease } from "../../../core/ports/leases.ts";
import type { LoopPorts, WorkPorts } from "../../../core/ports/loop.ts";
import type { Watch } from "../../../core/ports/watch.ts";
import type { SharedWorktrees } from "../../../core/ports/worktrees.ts";
import { pause } from "../../../core/signal.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { type AccountOf, agentOf } from "../../../scheduler/agent-rest.ts";
import { agentLost } from "../../../scheduler/agent-run.ts";
import { added } from "../../../scheduler/budget.ts";
import type { MergeQueue } from "../../../scheduler/merge-queue.ts";
import { withRetries } from "../../../scheduler/retry-policy.ts";
import type { CheckGate } from "../../../scheduler/slots.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { perform, performSave } from "../commands/perform.ts";
import { withCost } from "../costs.ts";
import { isUsed } from "../environment.ts";
import type { ExecutionContext, StepResult, StopReason, TaskSnapshot } from "../execution-context.ts";
import { readCall } from "../own-verbs.ts";
import { ANY_WORKER, type Worker } from "../pick.ts";
import { type LifeOrder, orderedAgent, orderOf, ruleOf, startsOfOrder } from "../run/life.ts";
import { personsEvent } from "../run/persons-event.ts";
import { isBackingOff } from "../run/scheduling-status.ts";
import { AT_REST, DELIVERED, isOneOf } from "../run/table.ts";
import { isOver, type TaskRun } from "../run/task-run.ts";
import {
  applyResult,
  type Begun,
  begin,
  type Committed,
  type Governed,
  type ResultInput,
} from "../run/transactions.ts";
import { set } from "../verbs/edits.ts";
import { askPerson } from "./ask-person.ts";
import type { TaskClaims } from "./claims.ts";
import { type Environment, makeEnvironment } from "./environments.ts";
import type { Pins } from "./pins.ts";

export interface WorkSetup {
  readonly runtime: Runtime;
  readonly ports: WorkPorts;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly leaseManager: LeaseManager;
  readonly merges: MergeQueue;
  readonly checks: CheckGate;
  readonly pins: Pins;
  readonly taskClaims: Pick<TaskClaims, "isOpen">;
  readonly worker?: Worker;
  readonly name: string;
  readonly accountOf: AccountOf;
  readonly show: (event: BloomEvent | PawlEvent) => void;
  readonly stop: AbortSignal;
  readonly retries: RetryPolicy;
  readonly lacksTrust?: LoopPorts["lacksTrust"];
  readonly takeFolder: LoopHandle["takeFolder"];
  /** Whether the previous owner died without releasing its lease. */
  readonly abandoned: boolean;
  /** Whether another worker has the task now. */
  readonly lost?: AbortSignal;
}

export interface Work {
  readonly id: string;
  /** Ends the command that runs; renewed for each command. */
  abort: AbortController;
  /** The messages that the running agent received; null: none runs. */
  reported: readonly ProjectPath[] | null;
  /** The run as this worker last wrote it; null: not begun. */
  run: TaskRun | null;
  /** A slot among those that work at once, for as long as it needs one. */
  readonly slot: Slot;
  /** Its environment; null: it has none. */
  environment: Environment | null;
  /** Its worktrees, if other machines may take it over; null: none can. */
  readonly shared: SharedWorktrees | null;
}

/** The task is gone, or may no longer begin. */
const NOTHING_TO_BEGIN = Symbol("gone");

export interface Begins {
  /** Only checks whether its pull request was merged. */
  readonly watches?: boolean;
  /** Only checks whether its target, which has changed, passes now. */
  readonly isTargetMoved?: boolean;
}

/** Works on a leased task until it is idle; does nothing if there is nothing left to begin. */
export async function workOn(setup: WorkSetup, work: Work, begins: Begins, caller: Caller): Promise<void> {
  const claimed: BloomEvent = {
    type: "task:claimed",
    taskId: work.id,
    worker: setup.name,
    takenOver: setup.abandoned,
  };
  if (setup.stop.aborted) return;
  const interrupt = () => work.abort.abort("interrupted" satisfies StopReason);
  setup.stop.addEventListener("abort", interrupt);
  let reported = false;
  const beginTask = async () => {
    const begun = await beginNow(setup, work, begins, reported ? [] : [claimed], caller);
    reported ||= begun.events.length > 0;
    return begun.known;
  };
  try {
    let known = await recover(setup, work, await beginTask(), caller);
    while (!setup.stop.aborted) {
      if (isToBegin(known, work)) {
        known = await beginTask();
        continue;
      }
      const result = await next(setup, work, known, caller);
      if (result === null) break;
      // Checking its pull request is not work on it.
      const reports: boolean = !reported && result.event !== "pr_pending";
      const more: StepResult = reports ? { ...result, events: [claimed, ...(result.events ?? [])] } : result;
      reported ||= reports;
      const committed = await commit(setup, work, more, caller);
      known = committed.known;
      if (committed.event !== null && ENDS_WORK.has(committed.event)) break;
    }
  } catch (error) {
    if (error !== NOTHING_TO_BEGIN) throw error;
  } finally {
    setup.stop.removeEventListener("abort", interrupt);
    await setup.merges.leave(work.id);
    await work.environment?.release();
    if (reported) setup.show({ type: "task:released", taskId: work.id, worker: setup.name });
  }
}

/**
 * The events after which the task is left alone: it was stopped, waits for something outside, or first needs a slot for an agent.
 */
const ENDS_WORK: ReadonlySet<string> = new Set(["interrupted", "pr_pending", "pr_returned", "target_red"]);

/** Whether it is ready: at first, or because a person reset it during a command. */
function isToBegin({ task, run }: TaskSnapshot, work: Work): boolean {
  return run.state === "ready" && (personsEvent(task, run) === null || work.run?.state !== "ready");
}

async function beginNow(
  setup: WorkSetup,
  work: Work,
  { isTargetMoved = false, watches = false }: Begins,
  events: readonly BloomEvent[],
  caller: Caller,
): Promise<Begun & { readonly known: TaskSnapshot }> {
  const policy = await setup.pins.of(work.id);
  const worker = setup.worker ?? ANY_WORKER;
  const { accountOf } = setup;
  const { lifeNamed } = setup.pins;
  const input = { task: work.id, worker, watches, isTargetMoved, accountOf, events, policy, lifeNamed };
  const reply = await withRetries(
    setup.retries,
    async () => (await runTransaction(setup.runtime, begin, input, caller)).reply,
  );
  for (const event of reply.events) setup.show(event);
  if (reply.known === null) throw NOTHING_TO_BEGIN;
  await pin(setup, work, reply.governed);
  work.run = reply.known.run;
  return { ...reply, known: reply.known };
}

/** Pins the policy, so that it outlives the loop and later edits of the tasks file. */
async function pin({ pins }: WorkSetup, { id }: Work, governed: Governed | undefined): Promise<void> {
  if (!governed) return;
  await pins.keep(id, governed.policy);
  await pins.report(`bloom:${id}`, governed.ignored);
}

/** The task's next result; null: it is idle. */
async function next(
  setup: WorkSetup,
  work: Work,
  known: TaskSnapshot,
  caller: Caller,
): Promise<StepResult | null> {
  const { run } = known;
  if (run.state !== "merging") await setup.merges.leave(work.id);
  // A person may restart a task that is idle or waits for its next try.
  const set = personsEvent(known.task, run, setup.taskClaims.isOpen());
  if (set !== null) return { event: set };
  if (isOneOf(AT_REST, run.state)) return null;
  if (isBackingOff(run, setup.clock.now().toISOString(), known.rests)) return null;
  const commands = ruleOf(run)?.commands ?? [];
  let context = contextOf(setup, work, known, caller);
  // A task with an environment needs a slot.
  if (DELIVERED.has(run.state) && !isUsed(known.environment)) work.slot.leave();
  else if (!(await work.slot.take(context.stop))) return { event: "interrupted" };
  for (const command of commands) {
    // An edit, a pull or a merge may have added a command meanwhile.
    const { run, task } = context.known;
    const lacking = await trustError(setup, task, run);
    if (lacking !== null) throw lacking;
    const result = await perform(command, context);
    if (result.event !== undefined) return result;
    context = contextOf(setup, work, (await commit(setup, work, result, caller)).known, caller);
  }
  return null;
}

/** Why a person must first consent to the programs that work on the task, or an order of its life, would start. */
export async function trustError(
  { lacksTrust }: Pick<WorkSetup, "lacksTrust">,
  task: Task,
  run: TaskRun | undefined,
): Promise<PawlError | null> {
  const ordered = run ? startsOfOrder(run, task) : null;
  for (const each of [task, ...(ordered === null ? [] : [ordered])]) {
    const lacking = await lacksTrust?.(each);
    if (lacking) return lacking;
  }
  return null;
}

function contextOf(setup: WorkSetup, work: Work, known: TaskSnapshot, caller: Caller): ExecutionContext {
  work.abort = new AbortController();
  if (setup.stop.aborted) work.abort.abort("interrupted");
  const { signal } = work.abort;
  let latest = known;
  return {
    ports: work.shared === null ? setup.ports : { ...setup.ports, worktrees: work.shared },
    shared: work.shared,
    merges: setup.merges,
    checks: setup.checks,
    get environment() {
      return work.environment?.variables ?? {};
    },
    async bringUp() {
      if (work.environment !== null || !isUsed(latest.environment)) return "up";
      const made = await makeEnvironment(setup, work.id, latest, signal, (environment) => {
        work.environment = environment;
      });
      if (made === "stopped") return made;
      latest = (await commit(setup, work, { events: [made] }, caller)).known;
      return "up";
    },
    lease: (what) => setup.leaseManager.take(what, setup.name),
    takeRoot: (onWait) => setup.takeFolder(rootLease(setup.ports.host), signal, onWait),
    read: (path) => setup.runtime.store.view().read(path),
    get known() {
      return latest;
    },
    stop: signal,
    show: setup.show,
    mayIt: (question, over) => askPerson(setup, work.id, question, over, caller),
    takeCalls: (run) => takeCalls(setup, work.id, run),
    async note(result) {
      latest = (await commit(setup, work, result, caller)).known;
      return latest;
    },
    delivered(messages) {
      work.reported = messages;
    },
    now: () => setup.clock.now(),
    pause: (milliseconds) => pause(milliseconds, signal, setup.clock),
  };
}

async function recover(
  setup: WorkSetup,
  work: Work,
  known: TaskSnapshot,
  caller: Caller,
): Promise<TaskSnapshot> {
  const { underway } = known.run;
  if (underway.length === 0) return known;
  const saved = await performSave(contextOf(setup, work, known, caller));
  // Calls of its agent would record work that no other machine could take over.
  if (saved.event !== undefined && setup.stop.aborted) return known;
  if (saved.event !== undefined) return (await commit(setup, work, saved, caller)).known;
  const events: BloomEvent[] = [];
  let { costs, order = null, spent } = known.run;
  const { agentRun } = known.run;
  const step = getCurrentStepForTask(known.task)?.id ?? null;
  for (const run of underway) {
    const usage = await setup.ports.agents.spentBy(run);
    const isAgentRun = agentRun?.run === run;
    const lost = isAgentRun ? await lostAgent(setup, work.id, agentRun, usage) : null;
    const milliseconds = lost?.duration ?? 0;
    if (lost) events.push(lost);
    spent = added(spent, usage, milliseconds);
    const [purpose, on] = known.run.order
      ? (["order", orderOf(known.run)?.command.agent ?? null] as const)
      : [known.run.purpose, step];
    costs = withCost({ costs }, known.task, { purpose, step: on, usage, milliseconds });
    if (order) order = { ...order, spent: added(order.spent, usage, milliseconds) };
    await takeCalls(setup, work.id, run);
    const count = await setup.ports.agents.endLeftovers(run);
    if (count > 0) events.push({ type: "agent:leftovers_ended", taskId: work.id, run, count });
  }
  const kept = await keptSession(setup, known);
  const patch = { underway: [], agentRun: null, spent, costs, ...(order && { order }), ...kept.patch(order) };
  return (await commit(setup, work, { patch, edits: kept.edits, events }, caller)).known;
}

/** Finds the session of an agent that a dead loop left, if need be in the agent's output, so that it can be resumed. */
async function keptSession(
  { ports }: WorkSetup,
  { run, settings, task }: TaskSnapshot,
): Promise<{
  readonly patch: (order: LifeOrder | null) => Partial<TaskRun>;
  readonly edits: readonly TaskEdit[];
}> {
  const nothing = { patch: () => ({}), edits: [] };
  if (!run.agentRun) return nothing;
  const found = await ports.agents.sessionOf(run.agentRun.run);
  if (found === null || found.id === run.session?.id) return nothing;
  const ordered = orderedAgent(run, settings);
  if (ordered !== null) {
    const session = { id: found.id, agent: ordered };
    return { patch: (order) => (order === null ? {} : { order: { ...order, session } }), edits: [] };
  }
  const agent = agentOf(task, run, settings);
  const host = ports.host === undefined ? {} : { host: ports.host };
  return {
    patch: () => ({ session: { ...found, agent, ...host } }),
    edits: [set(task, "session_provider", agent), set(task, "session_id", found.id)],
  };
}

/** Ends an agent's run whose end no loop saw: it counts up to its last sign of life. */
async function lostAgent(
  { clock, ports }: WorkSetup,
  taskId: string,
  { run, since }: NonNullable<TaskRun["agentRun"]>,
  usage: AgentUsage | null,
): Promise<Extract<BloomEvent, { readonly type: "agent:ended" }>> {
  const sign = Date.parse((await ports.agents.lastSignOf(run)) ?? since);
  const ended = Math.min(sign, clock.now().getTime());
  const duration = Math.max(0, ended - Date.parse(since));
  return agentLost(taskId, run, usage, { at: new Date(ended).toISOString(), duration });
}

/** Makes an agent's deferred calls. A call that cannot be made is a warning, not a failure of the loop. */
async function takeCalls(setup: WorkSetup, taskId: string, run: string): Promise<void> {
  const warn = (text: string) => setup.show({ type: "agent:warned", taskId, run, text });
  await setup.ports.agents.takeCalls(run, async (call, isOfRun) => {
    const asked = readCall(call);
    const verb = call.verb.slice(0, 80);
    if (!isOfRun) return warn(`ignored a call of ${verb} in its outbox: it lacks the run's capability`);
    if (!asked) return warn(`ignored its call of ${verb}: an agent may not make it`);
    try {
      const caller: Caller = { channel: "agent", who: run, task: taskId };
      const { events = [] } = await runTransaction(setup.runtime, asked.transaction, asked.input, caller);
      for (const event of events) setup.show(event);
    } catch (thrown) {
      const { code, message } = toPawlError(thrown);
      if (!REFUSES.has(code)) throw thrown;
      warn(`${verb} was not done: ${message}`);
    }
  });
}

const REFUSES: ReadonlySet<ErrorCode> = new Set(["usage", "caller-not-allowed"]);

async function commit(
  setup: WorkSetup,
  work: Work,
  result: StepResult,
  caller: Caller,
): Promise<Committed & { readonly known: TaskSnapshot }> {
  const policy = await setup.pins.of(work.id);
  const held = work.run === null ? {} : { held: work.run };
  const mayBeClaim = setup.taskClaims.isOpen();
  const { accountOf } = setup;
  const input: ResultInput = { task: work.id, result, policy, mayBeClaim, accountOf, ...held };
  const reply = await withRetries(
    setup.retries,
    async () => (await runTransaction(setup.runtime, applyResult, input, caller)).reply,
  );
  for (const event of reply.events) setup.show(event);
  if (reply.known === null) throw NOTHING_TO_BEGIN;
  if (isOver(reply.known.run)) await setup.pins.forget(work.id);
  else await pin(setup, work, reply.governed);
  // A person reset it during the command, so the rest of the result is out of date.
  const isReset = reply.event === null && reply.known.run.state === "ready";
  if (!isReset) work.run = reply.known.run;
  return { ...reply, known: reply.known };
}
