/** The loop's own transactions: a command's result, and which tasks may be taken next. */
import { agentNames } from "../../../core/agent-needs.ts";
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { loopRunPath } from "../../../core/loop-record.ts";
import type { Policy } from "../../../core/policy.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { BloomSettings, Settings } from "../../../core/settings.ts";
import type { Context, Proposal, Transaction } from "../../../runtime/module.ts";
import { hashOfTable } from "../../../runtime/run-log/history.ts";
import { lastLocal } from "../../../runtime/run-log/read.ts";
import {
  type Observers,
  runEvent,
  type Sent,
  type TableRun,
  type TypesOf,
} from "../../../runtime/transaction/run-event.ts";
import {
  type AccountOf,
  type Accounts,
  type AgentRest,
  accountChanges,
  activeRests,
  lifted,
  loadAccounts,
  nextAgent,
  quotasIn,
  type Rests,
  restReason,
  restsIn,
  withReport,
} from "../../../scheduler/agent-rest.ts";
import { unwritableTaskError } from "../../../tasks-file/entries.ts";
import { changeTasks, type LoadedTasks, loadTasks, TASKS_RUN } from "../../../tasks-file/load.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { findStep } from "../../../tasks-file/steps.ts";
import { findTask, type Task, type TaskStatus, type TasksFile } from "../../../tasks-file/task.ts";
import type { StepResult, TaskSnapshot } from "../execution-context.ts";
import { governTask, type Pinned, pinOf } from "../govern.ts";
import { serves } from "../labels.ts";
import { nowReady, type Scope, scopeOf, takeable, type Worker } from "../pick.ts";
import {
  loadMessages,
  loadQuestions,
  type Message,
  newQuestion,
  type Question,
  questionAsked,
  undeliveredNotes,
  writeQuestion,
} from "../question.ts";
import type { Claim } from "../scheduler/claims.ts";
import { noted, set, statusEdit } from "../verbs/edits.ts";
import { eventOf, loadSnapshotFor, type Snapshot } from "../verbs/snapshot.ts";
import { INPUTS } from "./facts.ts";
import {
  agentAtWork,
  agentsIn,
  keptLife,
  type LifeNamed,
  type LifeRef,
  lifeName,
  openFoundLives,
  tableNamed,
} from "./life.ts";
import { personsEvent, personsReason } from "./persons-event.ts";
import { runChanges } from "./run-changes.ts";
import { configurationAt, TASK_RUNS } from "./run-kind.ts";
import type { SchedulingStatuses } from "./scheduling-status.ts";
import type { TaskEvent } from "./table.ts";
import { isOver, loadDoneRun, newRun, type RedTarget, type TaskRun } from "./task-run.ts";
import { applyDecision, nowIn, type Turn, tableRunOf } from "./turn.ts";

export interface ResultInput {
  readonly task: string;
  readonly result: StepResult;
  /** The policy that governs the task; absent: what its file says. */
  readonly policy?: Pinned;
  /** The run as the lease's holder knows it: restored if `.pawl/` was removed meanwhile. */
  readonly held?: TaskRun;
  /** An agent may have written the task's status. */
  readonly mayBeClaim?: boolean;
  readonly accountOf?: AccountOf;
}

export interface Committed {
  /** Null: the task is no longer in the file. */
  readonly known: TaskSnapshot | null;
  /** The event that was decided: the command's, or one that a person's status means. */
  readonly event: TaskEvent | null;
  readonly events: readonly PawlEvent[];
  /** What in the tasks file does not count, and the policy that governs the task. */
  readonly governed?: Governed;
}

export type Governed = Pick<ReturnType<typeof governTask>, "policy" | "ignored">;

interface LoadedTask extends Snapshot {
  readonly run: TaskRun | null;
  /** Whether the run has a file. */
  readonly isHere: boolean;
  /** If the task has no run: the run of its previous life, whose evidence and count carry over. */
  readonly before: TaskRun | null;
  readonly messages: readonly Message[];
  readonly questions: readonly Question[];
}

/** Reads the task from disk, independent of what its holder has in memory. */
async function readTask(
  view: View,
  task: string,
  context: Context,
  accountOf: AccountOf | undefined,
): Promise<LoadedTask> {
  const snapshot = await loadSnapshotFor(accountOf, view, context);
  const run = snapshot.runs.get(task) ?? null;
  const before = run === null ? await loadDoneRun(view, task) : null;
  const [messages, questions] = [await loadMessages(view, task), await loadQuestions(view)];
  return { ...snapshot, run, isHere: run !== null, before, messages, questions };
}

function taskSnapshotOf(
  loaded: LoadedTask,
  file: TasksFile,
  run: TaskRun,
  context: Context,
  policy: Policy | null,
  removes: readonly string[] = [],
): TaskSnapshot {
  return {
    task: governTask(findTask(file.tasks, run.task) as Task, policy).task,
    file,
    run,
    settings: context.settings.bloom,
    setup: context.settings.setup,
    git: context.settings.git,
    environment: context.settings.task_environment,
    messages: loaded.messages.filter((each) => !removes.includes(each.path)),
    questions: loaded.questions,
    resting: activeRests(loaded.rests, context.now.time),
    rests: loaded.rests,
    quotas: loaded.quotas,
  };
}

/** A task's run inside the loop's transactions. */
interface LoopRun extends TableRun {
  readonly loaded: LoadedTask;
  readonly task: Task;
  readonly taskRun: TaskRun;
  readonly policy: Policy | null;
  readonly governed: Governed;
  /** The event that a person's status in tasks.yaml means for it; null: no person changed it. */
  readonly set: TaskEvent | null;
  /** The command's result, or the part that still counts. */
  readonly result: StepResult;
  /** What it says about its agent's account, and the life of a run that is found again. */
  readonly learned: readonly Change[];
}

interface LoopSent extends Sent {
  readonly event: TaskEvent;
  readonly reason?: string | undefined;
}

function observersOf(
  { loaded, task, taskRun }: LoopRun,
  { event }: LoopSent,
  context: Context,
): Observers<never> {
  const now = nowIn(loaded, task, context);
  return Object.fromEntries(
    Object.entries(INPUTS).map(([name, inputOf]) => [
      name,
      { observe: () => ({ value: inputOf(now, taskRun, event) }) },
    ]),
  );
}

type ResultTypes = TypesOf<{ input: ResultInput; run: LoopRun; sent: LoopSent; reply: Committed }>;

/** Commits a command's result. A status that a person set in tasks.yaml takes precedence. */
export const applyResult = runEvent<ResultTypes>({
  runs: TASK_RUNS,
  filesOnly: true,
  lock: () => TASKS_RUN,
  async load({ input, now, view, ...context }) {
    const { accountOf, result: given, held, mayBeClaim, policy: pinned, task: id } = input;
    const onDisk = await readTask(view, id, { ...context, now }, accountOf);
    const fault = onDisk.held.get(id);
    if (fault && held === undefined) throw fault;
    const before = onDisk.accounts;
    const accounts = given.account ? withReport(before, given.account, accountOf, now.time) : before;
    const rests = restsIn(accounts, now.time, accountOf);
    const run = onDisk.run === null && held !== undefined ? held : onDisk.run;
    const quotas = quotasIn(accounts, accountOf);
    const loaded = { ...onDisk, run, accounts, rests, quotas };
    const policy = pinOf(pinned);
    const written = findTask(loaded.file.tasks, id);
    // Removed, or cancelled by a person while no worker held it.
    if (written === null || (onDisk.run === null && written.status === "cancelled"))
      return {
        answer: {
          reply: { known: null, event: null, events: [] },
          changes: removeRun(onDisk, id),
        },
      };
    const { task, ...governed } = governTask(written, policy);
    const result = isResetUnder(loaded.run, held) ? leftOver(given) : given;
    const current = currentRun(task, loaded, now.time);
    const next: TaskRun = { ...current, ...result.patch };
    // Uses `underway` as of before this result, because a status written while the agent was at work may be
    // the agent's, even if this result reports the agent's end.
    const set = personsEvent(task, { ...next, underway: current.underway }, mayBeClaim);
    const lost = onDisk.run === null && next.life ? await keptLife(view, next.life) : [];
    const learned = [...accountChanges(before, accounts), ...lost];
    return { ...tableRunOf(next), loaded, task, taskRun: next, result, governed, learned, policy, set };
  },
  event(run, context) {
    const { result, set, task } = run;
    if (result.event === undefined) return { answer: committed(run, null, context) };
    const event = set ?? result.event;
    const ownReason = result.reason ?? (event === "agent_limited" ? whyItRests(run, context) : undefined);
    return { event, reason: event === result.event ? ownReason : personsReason(task, set) };
  },
  observers: observersOf,
  propose({ decision, run: loopRun, sent }, context) {
    const asked = askedIn(loopRun, sent, context);
    const since = asked === null ? sent : { ...sent, reason: `${asked.id}: ${asked.text}` };
    const { reason, ...run } = withTargetRedEvent(withRestEvent(loopRun, since, context), since);
    const now = nowIn(run.loaded, run.task, context, editsOf(run.result, run.set));
    // Bloom creates the events about its moves itself, because one event may cause several moves.
    return committed(run, applyDecision(run.taskRun, decision, since.reason && reason, now), context, asked);
  },
});

/** A question in the agent's last message becomes a question to a person like any other. */
function askedIn({ result, loaded, task }: LoopRun, { event }: LoopSent, { now }: Context): Question | null {
  if (event !== "question_asked" || result.asks === undefined) return null;
  return newQuestion(loaded.questions, { task: task.id, text: result.asks, blocking: true }, now.time);
}

/**
 * When a task begins to wait for its target, adds an event about it. All tasks that wait for the same check
 * share the first failing commit.
 */
function withTargetRedEvent(
  run: LoopRun,
  { event, reason = "" }: LoopSent,
): LoopRun & { readonly reason: string } {
  const { result, loaded, taskRun } = run;
  const { red, state, task: taskId } = taskRun;
  if (event !== "target_red" || state === "target_red" || !red) return { ...run, reason };
  const others = [...loaded.runs.values()].flatMap(({ red: other, state: at, task }) =>
    task !== taskId && at === "target_red" && other && isSameRed(other, red) ? [other] : [],
  );
  const since = others[0]?.since ?? red.since;
  const words = `${reason}, since ${since.slice(0, 12)}`;
  const { command, commit, into } = red;
  const details = { taskId, into, command, commit, since, reason: words, first: others.length === 0 };
  const events = [...(result.events ?? []), { type: "target:red", ...details } as const];
  return {
    ...run,
    reason: words,
    taskRun: { ...taskRun, red: { ...red, since } },
    result: { ...result, events },
  };
}

function restOfAgent({ loaded, task, taskRun }: LoopRun, { settings }: Context): AgentRest | undefined {
  return loaded.rests.get(agentAtWork(task, taskRun, settings.bloom));
}

function whyItRests(run: LoopRun, context: Context): string | undefined {
  const rest = restOfAgent(run, context);
  return rest && restReason(rest);
}

/** When an agent's account is found to be limited, adds an event about it; `first`: it was not known yet. */
function withRestEvent(run: LoopRun, { event, reason = "" }: LoopSent, context: Context): LoopRun {
  const { result, loaded, task } = run;
  const rest = restOfAgent(run, context);
  if (event !== "agent_limited" || !rest) return run;
  const { agent, count, mend, until } = rest;
  const resting = activeRests(loaded.rests, context.now.time);
  const next = nextAgent(task, agent, context.settings.bloom, resting);
  const details = { taskId: task.id, agent, until: mend === undefined ? until : null, reason };
  const standIn = next === null ? {} : { next };
  const first = count === 1 && rest.at === context.now.time;
  const events = [...(result.events ?? []), { type: "agent:rests", ...details, first, ...standIn } as const];
  return { ...run, result: { ...result, events } };
}

function isSameRed(one: RedTarget, other: RedTarget): boolean {
  return one.repo === other.repo && one.into === other.into && one.command === other.command;
}

function committed(
  { result, governed, learned, policy, loaded, set, task, taskRun }: LoopRun,
  turned: Turn | null,
  context: Context,
  asked: Question | null = null,
): Proposal<Committed> {
  const { id } = task;
  const own = editsOf(result, set);
  const isDone = turned !== null && isOver(turned.run);
  const undelivered = isDone ? undeliveredNotes(loaded.messages, result.removes) : [];
  const edits = [...own, ...(turned?.edits ?? []), ...undelivered.map((text) => noted(task, text))];
  const changed = changeTasks(loaded, edits, context.settings);
  const next: TaskRun = { ...(turned?.run ?? taskRun), status: statusAfter(edits, task, turned, taskRun) };
  const notes = undelivered.map((text) => ({ type: "task:noted" as const, taskId: id, text }));
  const all = [
    ...editUndone(loaded, id),
    ...(result.events ?? []),
    ...(asked === null ? [] : [questionAsked(asked)]),
    ...(turned?.events ?? []),
    ...notes,
  ];
  const events = all.map((each, index) => eventOf(context, each, index));
  const removes = isDone ? loaded.messages.map(({ path }) => path) : (result.removes ?? []);
  const moves = turned !== null && turned.rule.outcome !== "no-effect";
  const writes = moves || result.patch !== undefined || loaded.held.has(id);
  const event = result.event === undefined ? null : (set ?? result.event);
  const questions = asked === null ? loaded.questions : [...loaded.questions, asked];
  const known = taskSnapshotOf({ ...loaded, questions }, changed.file, next, context, policy, removes);
  return {
    reply: { known, event, events, governed },
    changes: [
      ...changed.changes,
      ...(writes ? runChanges(next, loaded, edits) : []),
      ...learned,
      ...removals(loaded, removes),
      ...(asked === null ? [] : [writeQuestion(asked)]),
    ],
    events,
    ...foundEntry(loaded),
    cacheEntries: changed.cacheEntries,
  };
}

/** A run whose file was removed continues with the state that its holder has. */
function foundEntry({ isHere, run }: LoadedTask): Pick<Proposal<Committed>, "logged"> {
  if (isHere || run === null) return {};
  return { logged: { found: configurationAt({ life: run.life, state: run.state, variables: run.kept }) } };
}

// ── Beginning a task ───────────────────────────────────────────────────────────────────────────────────────

interface BeginInput {
  readonly task: string;
  readonly worker: Worker;
  /** Only checks whether its pull request was merged. */
  readonly watches?: boolean;
  /** Checks whether its target now passes the check that it failed. */
  readonly isTargetMoved?: boolean;
  readonly accountOf?: AccountOf;
  /** Events committed with the table's `claimed`. */
  readonly events: readonly BloomEvent[];
  /** The policy that governs the task; absent: what its file says. */
  readonly policy?: Pinned;
  /** Absent: the program knows no lives. */
  readonly lifeNamed?: LifeNamed;
}

export interface Begun {
  /** Null: the task may no longer begin. */
  readonly known: TaskSnapshot | null;
  readonly events: readonly PawlEvent[];
  readonly governed?: Governed;
}

type BeginTypes = TypesOf<{ input: BeginInput; run: BeginRun; sent: LoopSent; reply: Begun }>;

interface BeginRun extends LoopRun {
  /** The changes that keep the life, if the task begins with another life than before. */
  readonly anew?: readonly Change[];
}

/** The life that the task is to begin with; null: Bloom's own. */
async function lifeFor(
  view: View,
  task: Task,
  settings: Settings,
  lifeNamed: LifeNamed = openFoundLives(undefined),
): Promise<LifeRef | null> {
  const name = lifeName(task, settings.bloom);
  if (name === null) return null;
  const life = await lifeNamed(view, settings.workflows, name);
  const known = agentNames(settings.agents);
  const strange = agentsIn(life).find((agent) => !known.includes(agent));
  if (strange === undefined) return life;
  throw new PawlError(
    "config-invalid",
    `The life ${name} of ${task.id} names the agent ${strange}: expected one of ${known.join(", ")}.`,
    "Name one of them, or add it to pawl.yaml.",
  );
}

/**
 * Reads the task again under the lease, because what was read before the lease may be outdated. If this
 * worker may still take the task, moves it out of `ready` in the same transaction.
 */
export const begin = runEvent<BeginTypes>({
  runs: TASK_RUNS,
  filesOnly: true,
  lock: () => TASKS_RUN,
  async load({ input, view, ...context }) {
    const { accountOf, isTargetMoved, policy: pinned, task: id, watches, worker } = input;
    const loaded = await readTask(view, id, context, accountOf);
    const fault = loaded.held.get(id);
    if (fault) throw fault;
    const policy = pinOf(pinned);
    const found = findTask(loaded.file.tasks, id);
    const nothing = { reply: { known: null, events: [] } };
    if (found === null) return { answer: { ...nothing, changes: removeRun(loaded, id) } };
    const { task, ...governed } = governTask(found, policy);
    const may = watches
      ? loaded.states.get(id) === "awaiting_merge"
      : isTargetMoved
        ? loaded.states.get(id) === "target_red"
        : takeable(loaded.file.tasks, loaded.states, worker).some((each) => each.id === id) &&
          serves(worker.labels, task, context.settings.bloom);
    if (!may) return { answer: nothing };
    const run = currentRun(task, loaded, context.now.time);
    const set = personsEvent(task, run);
    const loop = (taskRun: TaskRun, anew?: readonly Change[]) => ({
      ...{ ...tableRunOf(taskRun), loaded, task, taskRun, governed, policy, set },
      ...{ result: {}, learned: [] },
      ...(anew && { anew }),
    });
    if (run.state !== "ready" || set !== null) return loop(run);
    const life = await lifeFor(view, task, context.settings, input.lifeNamed);
    if ((life?.hash ?? null) === (run.life?.hash ?? null)) return loop(run);
    return loop(newRun(task, context.now.time, run, life), life ? await keptLife(view, life) : []);
  },
  event({ governed, policy, loaded, set, taskRun }, context) {
    if (taskRun.state === "ready" && set === null) return { event: "claimed" };
    const known = taskSnapshotOf(loaded, loaded.file, taskRun, context, policy);
    return { answer: { reply: { known, events: [], governed } } };
  },
  observers: observersOf,
  propose({ decision, run, sent }, context) {
    const { governed, policy, loaded, task, taskRun } = run;
    const turned = applyDecision(taskRun, decision, sent.reason, nowIn(loaded, task, context));
    const changed = changeTasks(loaded, turned.edits, context.settings);
    const next = { ...turned.run, status: statusAfter(turned.edits, task, turned, taskRun) };
    const all = [...context.input.events, ...turned.events];
    const events = all.map((each, index) => eventOf(context, each, index));
    const { anew } = run;
    const begins = configurationAt({ state: taskRun.state, variables: taskRun.kept, life: taskRun.life });
    return {
      reply: { known: taskSnapshotOf(loaded, changed.file, next, context, policy), events, governed },
      changes: [...changed.changes, ...(anew ?? []), ...runChanges(next, loaded, turned.edits)],
      events,
      cacheEntries: changed.cacheEntries,
      ...(anew && { logged: { begins, anew: true as const } }),
    };
  },
});

/** Whether a person reset or cancelled the task while its holder worked on it. */
function isResetUnder(run: TaskRun | null, held: TaskRun | undefined): boolean {
  return (
    (run?.state === "ready" || run?.state === "cancelled") && held !== undefined && held.state !== run.state
  );
}

/** The part of a command's result that still counts after a reset: its events, and which processes exist. */
function leftOver({ account, patch, events, removes }: StepResult): StepResult {
  return {
    ...(account === undefined ? {} : { account }),
    ...(patch?.underway === undefined ? {} : { patch: { underway: patch.underway } }),
    ...(events === undefined ? {} : { events }),
    ...(removes === undefined ? {} : { removes }),
  };
}

/**
 * The task's run, or a new one. A task whose own work is over, while its subtasks are not, gets a new run if
 * a person resets it.
 */
function currentRun(task: Task, { run, before }: LoadedTask, time: string): TaskRun {
  if (run === null) return newRun(task, time, before);
  return isOver(run) && personsEvent(task, run) === "reset" ? newRun(task, time, run) : run;
}

/** Drops edits that a person's change overrules: their status stays, and a reset task keeps no session. */
function editsOf(result: StepResult, word: string | null): readonly TaskEdit[] {
  const persons = new Set(word === null ? [] : ["status", ...(word === "reset" ? SESSION_KEYS : [])]);
  return (result.edits ?? []).filter((edit) => !persons.has(edit.key));
}

const SESSION_KEYS = ["session_id", "session_provider"];

function statusAfter(edits: readonly TaskEdit[], task: Task, turned: Turn | null, run: TaskRun): TaskStatus {
  const last = edits.findLast((edit) => edit.type === "set" && edit.id === task.id && edit.key === "status");
  if (last?.type === "set") return last.value as TaskStatus;
  return turned === null || turned.rule.outcome === "no-effect" ? run.status : turned.run.status;
}

function removals({ messages }: LoadedTask, removes: readonly string[]): readonly Change[] {
  return messages.flatMap(({ path }) => (removes.includes(path) ? [{ type: "remove" as const, path }] : []));
}

/**
 * The event for an edit of the run's file while its holder works on it: the edit does not count, because the
 * holder's state overwrites it.
 */
function editUndone({ held }: LoadedTask, taskId: string): readonly BloomEvent[] {
  const fault = held.get(taskId);
  if (fault?.code !== "state-tampered") return [];
  return [{ type: "task:edit_undone", taskId, reason: fault.message }];
}

function removeRun({ run }: LoadedTask, id: string): readonly Change[] {
  return run === null ? [] : [{ type: "remove", path: loopRunPath(id) }];
}

// ── Picking tasks ──────────────────────────────────────────────────────────────────────────────────────────

export interface Picked {
  readonly file: TasksFile;
  readonly states: SchedulingStatuses;
  readonly runs: ReadonlyMap<string, TaskRun>;
  readonly rests: Rests;
  /** The rests that last. */
  readonly resting: Rests;
  readonly candidates: readonly Task[];
  /** The tasks that belong to this worker. */
  readonly scope: Scope;
  readonly settings: BloomSettings;
  /** The resources that only one task at a time may use. */
  readonly exclusive: readonly string[];
  /** The tasks that could be taken if their status could be written or their run trusted, with the error. */
  readonly unwritable: ReadonlyMap<string, PawlError>;
  /** A task waits for nothing and is not marked ready yet. */
  readonly someReady: boolean;
  /** The tasks that a newer version moved on. Filled only if several machines work on the project. */
  readonly movedByOthers: readonly string[];
  readonly events: readonly PawlEvent[];
}

interface PickInput {
  readonly worker: Worker;
  readonly dryRun?: boolean;
  /** Other machines take these tasks, too. */
  readonly isShared?: boolean | undefined;
  readonly accountOf?: AccountOf;
}

/**
 * Marks tasks that wait for nothing as ready, and returns the tasks that this worker may take, best first.
 */
export const pick: Transaction<PickInput, Snapshot & Pick<Picked, "movedByOthers">, undefined, Picked> = {
  run: ({ dryRun }) => (dryRun ? null : TASKS_RUN),
  async read(view, { accountOf, isShared }, context) {
    const snapshot = await loadSnapshotFor(accountOf, view, context);
    return { ...snapshot, movedByOthers: isShared ? await movedByOthers(view, snapshot.runs.keys()) : [] };
  },
  propose(snapshot, _, { worker, dryRun }, context) {
    const isWritable = ({ id }: Task) => unwritableTaskError(snapshot.parsed, id) === null;
    const open = nowReady(snapshot.file.tasks, snapshot.states);
    const ready = open.filter(isWritable);
    const edits = ready.map((task) => statusEdit(task, "ready_for_agent"));
    const changed = changeTasks(snapshot, edits, context.settings);
    const by = context.caller.who ?? context.caller.channel;
    const events = ready.map((task, index) =>
      eventOf(
        context,
        { type: "task:status_changed", taskId: task.id, from: task.status, to: "ready_for_agent", by },
        index,
      ),
    );
    const { file } = changed;
    const isServed = (task: Task) => serves(worker.labels, task, context.settings.bloom);
    const candidates = takeable(file.tasks, snapshot.states, worker).filter(isServed);
    const unwritable = [...open, ...candidates].flatMap(({ id }) => {
      const why = unwritableTaskError(snapshot.parsed, id);
      return why === null ? [] : [[id, why] as const];
    });
    const inScope = scopeOf(file.tasks, worker);
    const held = [...snapshot.held].filter(([id]) => inScope.has(id));
    return {
      reply: {
        file,
        states: snapshot.states,
        runs: snapshot.runs,
        rests: snapshot.rests,
        resting: activeRests(snapshot.rests, context.now.time),
        candidates: candidates.filter(isWritable),
        unwritable: new Map([...unwritable, ...held]),
        scope: inScope,
        settings: context.settings.bloom,
        exclusive: context.settings.task_environment.exclusive,
        someReady: ready.length > 0,
        movedByOthers: snapshot.movedByOthers,
        events,
      },
      ...(dryRun ? {} : { changes: changed.changes, events }),
      cacheEntries: changed.cacheEntries,
    };
  },
};

/** The tasks whose run was last moved by another table than this program's, such as a newer version's. */
async function movedByOthers(view: View, tasks: Iterable<string>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const task of tasks) {
    const { machine = "", table } = (await lastLocal(view, `bloom:${task}`))?.checkpoint ?? {};
    const runTable = tableNamed(machine);
    if (table !== undefined && runTable !== null && table !== hashOfTable(runTable)) ids.push(task);
  }
  return ids;
}

/** Ends rests of agents, so that these are asked again at once. Replies whether there were any. */
export const liftRests: Transaction<
  { readonly lifts: (rest: AgentRest) => boolean },
  Accounts,
  undefined,
  boolean
> = {
  run: () => TASKS_RUN,
  read: loadAccounts,
  propose(accounts, _, { lifts }, { now }) {
    const changes = accountChanges(accounts, lifted(accounts, now.time, lifts));
    return { reply: changes.length > 0, changes };
  },
};

/** Reverts a status or step that an agent ended in tasks.yaml, unless it was changed again. */
export const putBack: Transaction<
  { readonly claims: readonly Claim[] },
  LoadedTasks,
  undefined,
  { readonly events: readonly PawlEvent[] }
> = {
  run: () => TASKS_RUN,
  read: (view, _, context) => loadTasks(view, context),
  propose(loaded, _, { claims }, context) {
    const claimed = claims.flatMap((claim) => {
      const { id, to } = claim;
      const item = findTask(loaded.file.tasks, id) ?? findStep(loaded.file.tasks, id)?.step;
      return item?.status === to && unwritableTaskError(loaded.parsed, claim.task) === null ? [claim] : [];
    });
    const edits = claimed.flatMap(({ from, id, to }) => [
      ...(to === "cancelled" ? [{ type: "clear", id, key: "cancel_reason" } as const] : []),
      set({ id }, "status", from),
    ]);
    const { command } = context.settings.bloom;
    const events = claimed.map(({ from, id, task, to }, index) =>
      eventOf(
        context,
        { type: "task:edit_undone", taskId: task, reason: reasonFor(command, { from, id, to }) },
        index,
      ),
    );
    const { cacheEntries, changes } = changeTasks(loaded, edits, context.settings);
    return { reply: { events }, changes, events, cacheEntries };
  },
};

function reasonFor(command: string, { from, id, to }: Omit<Claim, "task">): string {
  const verb = to === "cancelled" ? `cancel ${id} --reason "…"` : `done ${id} --force`;
  return `${id} was set to \`${to}\` in tasks.yaml while an agent without a wall was at work, so it is \`${from}\` again. A person sets it with \`${command} ${verb}\`.`;
}
