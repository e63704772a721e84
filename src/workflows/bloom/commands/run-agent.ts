/**
 * One run of a task's agent, for its current step or another purpose. First checks whether it is needed: it
 * does not repeat a done step, skip an open question, or start on a spent budget.
 */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { AgentEnd, AgentEvent, AgentRun, DeferredCall, Limited } from "../../../core/ports/agents.ts";
import type {
  AgentFolder,
  ChangedOutside,
  EnsuredWorktree,
  Meanwhile,
  WorkDone,
  Worktree,
} from "../../../core/ports/worktrees.ts";
import type { Nearing } from "../../../runtime/module.ts";
import { type AccountReport, agentOf, unfit } from "../../../scheduler/agent-rest.ts";
import { agentEnded, endOrStop, lastWords, showAgent } from "../../../scheduler/agent-run.ts";
import {
  added,
  budgetOf,
  exceeded,
  type Limit,
  limitsLeft,
  minutesLeft,
  nearing,
  overspent,
  shownSpent,
  spentWords,
} from "../../../scheduler/budget.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { isOpenStep, type Step, type Task } from "../../../tasks-file/task.ts";
import { allowedCommands } from "../allowed.ts";
import { withCost } from "../costs.ts";
import {
  type ExecutionContext,
  placeOf,
  repoOf,
  type StepResult,
  type StopReason,
  stopped,
  type TaskSnapshot,
} from "../execution-context.ts";
import { isOpen, unverifiedSteps } from "../run/facts.ts";
import { nameOfRun, type TaskRun } from "../run/task-run.ts";
import { refusals, runPrompt } from "../run-prompt.ts";
import { forgetSession, set, workStarts } from "../verbs/edits.ts";
import { bringInTarget } from "./bring-in.ts";
import { save } from "./save.ts";
import { setUp } from "./set-up.ts";
import { takeTarget } from "./target.ts";

const MINUTE = 60_000;

export async function runAgent(context: ExecutionContext): Promise<StepResult> {
  const { known } = context;
  const before = lookFirst(known, context.now().toISOString());
  if (before) return before;
  const place = await placeOf(context);
  const agent = agentOf(known.task, known.run, known.settings);
  const lost = lostSession(known, agent, place.folder, context.ports.host);
  if (lost) return { event: "session_lost", reason: lost };
  const isConflicting = (await takeTarget(context, place.worktree)).length > 0;
  if (isConflicting && known.run.purpose !== "pull-request")
    await context.note({ patch: { purpose: "resolve" } });
  const brought = await bringInTarget(context, place.worktree);
  if (brought.result) return brought.result;
  if ((await setUp(context, place.folder, place.isNew ? "fresh" : "worked")) === "stopped")
    return { event: "interrupted" };
  return start(context, { ...place, agent, conflicts: brought.conflicts });
}

/** The result without a run, if the step is done, a question is open or the budget is spent; else null. */
function lookFirst(known: TaskSnapshot, now: string): StepResult | null {
  const { quotas, task, resting, run, settings } = known;
  const asks = asking(known);
  if (asks) return asks;
  const isWork = run.purpose === "step" || run.purpose === "mark";
  if (isWork && (!isOpen(task, run) || unverifiedSteps(task, run).length > 0)) return { event: "step_done" };
  const limit = overspent(budgetOf(task, settings), run.spent);
  if (limit !== null) return spent(task, run, limit);
  const agent = agentOf(task, run, settings);
  if (resting.has(agent)) return { event: "agent_limited" };
  const quota = settings.fit ? quotas.get(agent) : undefined;
  const limited = quota ? unfit(quota, now) : null;
  if (limited === null) return null;
  return { event: "agent_limited", account: { agent, began: now, limited, early: true } };
}

/** The outcome if the task waits for a person's answer; else null. */
export function asking({ questions, task }: Pick<TaskSnapshot, "questions" | "task">): StepResult | null {
  const waits = questions.filter((each) => each.task === task.id && each.blocking && each.answer === null);
  if (waits.length === 0) return null;
  return { event: "question_asked", reason: waits.map((each) => `${each.id}: ${each.text}`).join("; ") };
}

export function spent(task: Task, run: TaskRun, limit: Limit): StepResult {
  return {
    event: "budget_spent",
    reason: `the budget of ${limit} is spent: ${spentWords(run.spent)} so far`,
    events: [{ type: "budget:exhausted", taskId: task.id, limit, spent: shownSpent(run.spent) }],
  };
}

/**
 * Why the session cannot be resumed: its machine, agent or folder differs. Null: it can, or tasks.yaml names
 * none, so the run starts a new one.
 */
function lostSession(
  { run, task }: TaskSnapshot,
  agent: string,
  folder: AgentFolder,
  host: string | undefined,
): string | null {
  if (run.session === null || task.session_id === undefined) return null;
  if (run.session.host !== host) return `it is on ${run.session.host ?? "another machine"}`;
  if (run.session.agent !== agent) return `it was ${run.session.agent}'s, and ${agent} continues now`;
  return run.session.folder === folder.agentPath ? null : "it is bound to another folder";
}

interface AgentStart {
  readonly folder: AgentFolder;
  readonly isBrought: boolean;
  readonly worktree: EnsuredWorktree | null;
  readonly agent: string;
  readonly conflicts: readonly string[];
}

async function start(context: ExecutionContext, place: AgentStart): Promise<StepResult> {
  const before = context.known;
  const { task, settings } = before;
  const isWork = before.run.purpose === "step" || before.run.purpose === "mark";
  const step = isWork ? getCurrentStepForTask(task) : null;
  const id = nameOfRun(task.id, before.run.runs + 1);
  const session = before.run.session !== null && task.session_id !== undefined ? before.run.session : null;
  const done = session === null ? await doneBefore(context, place) : null;
  const strayed = await watchOutside(context, place.worktree);
  if (context.stop.aborted) return { event: "interrupted" };
  const known = await context.note({
    patch: {
      underway: [id],
      agentRun: { run: id, since: context.now().toISOString() },
      runs: before.run.runs + 1,
      asked: true,
      ...(await begins(context, place.worktree)),
    },
    edits: beginEdits(task, step, context.now().toISOString()),
    events: agentStarted(before, { step, agent: place.agent, run: id, resumed: session !== null }),
  });
  if (context.stop.aborted)
    return {
      event: "interrupted",
      patch: { underway: [], agentRun: null },
      events: [neverStarted(task.id, id)],
    };
  const heard = followAgent(context, id);
  const minutes = minutesLeft(budgetOf(task, settings), known.run.spent);
  const limit = Math.min(settings.limits.run, minutes);
  context.delivered(known.messages.map((message) => message.path));
  const over = new AbortController();
  const run = context.ports.agents.start(
    {
      run: id,
      agent: place.agent,
      task: task.id,
      folder: place.folder,
      prompt: runPrompt(known, step, place.conflicts, session === null, done),
      session: session ? { type: "resume", id: session.id } : { type: "new" },
      permission: settings.permission,
      allow: allowedCommands(settings.command, known.task),
      ...(isWork && { done: markDone(task, step) }),
      ask: (question) => context.mayIt(question, over.signal),
      environment: { ...context.ports.environment, ...context.environment, BLOOM_TASK: task.id },
      limits: {
        inactivity: settings.limits.silence * MINUTE,
        total: limit * MINUTE,
        ...limitsLeft(budgetOf(task, settings), known.run.spent),
      },
    },
    heard.hear,
  );
  const { end, stop } = await ended(context, run, heard);
  over.abort();
  context.delivered(null);
  const last = {
    id,
    step,
    worktree: place.worktree,
    agent: place.agent,
    folder: place.folder,
    end,
    stop,
    byMinutes: minutes < settings.limits.run,
  };
  return agentRunResult(context, last, await strayed(), known);
}

function markDone(task: Task, step: Step | null): DeferredCall {
  return step ? { verb: "step done", input: { id: step.id } } : { verb: "done", input: { id: task.id } };
}

/** The commits and uncommitted files of earlier sessions; null: no earlier session worked here. */
async function doneBefore(
  { known, ports }: ExecutionContext,
  { isBrought, worktree }: AgentStart,
): Promise<WorkDone | null> {
  const { run, task } = known;
  if (worktree === null || (run.asked !== true && !isBrought)) return null;
  return ports.worktrees.done(worktree, task.merge_into ?? task.base_branch ?? run.began ?? undefined);
}

/** Without a target, the commit where the first agent began separates the task's own commits from others. */
async function begins(
  { known, ports }: ExecutionContext,
  worktree: Worktree | null,
): Promise<Partial<TaskRun>> {
  const { task, run } = known;
  if (worktree === null || run.began != null || task.merge_into !== undefined || task.open_pr === true)
    return {};
  return { began: (await ports.worktrees.state(worktree)).head };
}

function beginEdits(task: Task, step: Step | null, time: string): readonly TaskEdit[] {
  const begins = step !== null && step.status !== "in_progress" ? workStarts(step, time) : [];
  return [...begins, ...(task.status === "done_pending_merge" ? [] : workStarts(task, time))];
}

function agentStarted(
  { run: { purpose }, settings, task }: TaskSnapshot,
  { step, ...started }: Pick<Last, "step" | "agent"> & { readonly run: string; readonly resumed: boolean },
): readonly BloomEvent[] {
  const { permission } = settings;
  return [
    ...stepStarted(task, step),
    { type: "agent:started", taskId: task.id, purpose, permission, ...started },
  ];
}

/** The end of a run that was stopped before its agent's process began. */
export function neverStarted(taskId: string, run: string): BloomEvent {
  return {
    ...{ type: "agent:ended", taskId, run, outcome: "failed", reason: "stopped" },
    ...{ detail: "it was stopped before it began", duration: 0 },
    ...{ usd: 0, inputTokens: 0, outputTokens: 0, turns: 0 },
  };
}

function stepStarted(task: Task, step: Step | null): readonly BloomEvent[] {
  if (step === null || step.status === "in_progress") return [];
  const stepIndex = task.steps.findIndex(({ id }) => id === step.id);
  return [
    { type: "step:started", taskId: task.id, stepId: step.id, stepIndex, totalSteps: task.steps.length },
  ];
}

// ── The run ────────────────────────────────────────────────────────────────────────────────────────────────

interface Heard {
  hear(event: AgentEvent): void;
  session: string | null;
  /** Settles when this run exceeds a limit of the budget. */
  readonly overspent: Promise<"budget">;
  /** Settles when the notice that the budget is nearly spent is recorded; at once if none is due. */
  noted: Promise<unknown>;
}

function followAgent(context: ExecutionContext, run: string): Heard {
  const { task, settings, run: before } = context.known;
  const taskId = task.id;
  let exceed = (_: "budget") => {};
  let near: Limit | undefined = before.nearing?.limit;
  const heard: Heard = {
    session: null,
    noted: Promise.resolve(),
    overspent: new Promise((resolve) => {
      exceed = resolve;
    }),
    hear(event) {
      if (event.type === "session") heard.session = event.id;
      else if (event.type === "usage") {
        const spent = added(before.spent, event.usage, 0);
        const found = nearing(budgetOf(task, settings), spent);
        if (exceeded(budgetOf(task, settings), spent) !== null) exceed("budget");
        else if (found !== null && found.limit !== near) {
          near = found.limit;
          heard.noted = noteNearing(context, found, heard.noted);
        }
      } else showAgent(context.show, taskId, run, event);
    },
  };
  return heard;
}

/**
 * Notifies a person before the budget is spent. If the notice cannot be recorded now, the end of the run
 * records it.
 */
async function noteNearing(
  context: ExecutionContext,
  near: Nearing,
  earlier: Promise<unknown>,
): Promise<void> {
  await earlier;
  const events = nearingEvents(context.known.task, context.known.run, near);
  await context.note({ patch: { nearing: near }, events: events }).catch(() => {});
}

/** At most one event per limit. */
function nearingEvents(task: Task, before: TaskRun, near: Nearing | null): readonly BloomEvent[] {
  if (near === null || before.nearing?.limit === near.limit) return [];
  return [{ type: "budget:nearing", taskId: task.id, ...near }];
}

async function ended(
  context: ExecutionContext,
  run: AgentRun,
  heard: Heard,
): Promise<{ end: AgentEnd; stop: StopReason | "budget" | null }> {
  const { reason, forget } = stopped(context.stop);
  const over = await endOrStop<StopReason | "budget">(run, reason, heard.overspent);
  forget();
  await heard.noted;
  return over;
}

/** Records what changes in the repository's own checkout while the agent runs in its workspace. */
export async function watchOutside(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<() => Promise<Meanwhile>> {
  const repo = repoOf(context.known.task);
  if (worktree === null || repo === null) return async () => NOTHING;
  const look = await context.ports.worktrees.watchCheckout(repo).catch(() => null);
  return async () => {
    const { files, branches } = (await look?.().catch(() => null)) ?? NOTHING;
    return { files: files.filter(({ path }) => !isOurs(path, context)), branches };
  };
}

const NOTHING: Meanwhile = { files: [], branches: [] };

function isOurs(path: string, context: ExecutionContext): boolean {
  return path === context.known.settings.tasks_file || path.startsWith(".pawl/") || path === ".pawl";
}

// ── The result ─────────────────────────────────────────────────────────────────────────────────────────────

interface Last {
  readonly id: string;
  readonly worktree: EnsuredWorktree | null;
  readonly step: Step | null;
  readonly agent: string;
  readonly folder: AgentFolder;
  readonly end: AgentEnd;
  readonly stop: StopReason | "budget" | null;
  /** Whether the run's time limit came from the budget. */
  readonly byMinutes: boolean;
}

async function agentRunResult(
  context: ExecutionContext,
  last: Last,
  { files, branches }: Meanwhile,
  before: TaskSnapshot,
): Promise<StepResult> {
  const { end, id } = last;
  const unsaved = await save(context, last.worktree);
  // Interrupted before the push. The next worker saves the work and makes the calls.
  if (unsaved?.event === "git_failed") return { event: "interrupted" };
  if (unsaved === null) await context.takeCalls(id);
  // Reads the steps and questions that the agent recorded meanwhile, and the messages for it.
  const known = await context.note({});
  const { task, run, settings } = known;
  const spent = added(run.spent, end.usage, end.duration);
  const near = nearing(budgetOf(task, settings), spent);
  const events: BloomEvent[] = [
    agentEnded(task.id, id, end),
    ...(end.session !== null && end.session !== run.session?.id
      ? ([{ type: "session:opened", taskId: task.id, session: end.session, agent: last.agent }] as const)
      : []),
    ...(files.length > 0 ? ([editsOutside(task.id, id, files)] as const) : []),
    ...branches.map((moved) => ({ type: "git:branch_moved", taskId: task.id, run: id, ...moved }) as const),
    ...(end.refused === undefined
      ? []
      : ([{ type: "agent:refused", taskId: task.id, run: id, what: end.refused }] as const)),
    ...nearingEvents(task, run, near),
  ];
  const patch: Partial<TaskRun> = {
    underway: [],
    agentRun: null,
    costs: withCost(run, task, {
      ...{ purpose: run.purpose, step: last.step?.id ?? null, usage: end.usage, milliseconds: end.duration },
    }),
    refused: end.refused ?? [],
    idle: false,
    spent,
    nearing: near,
    session: sessionAfter(context, last, run),
    toldIn: toldAfter(run, last),
  };
  const outcome = unsaved ?? (await doubted(context, last, outcomeOf(known, last, before)));
  // A run that failed before it reported its session keeps the session that it resumed.
  const isKept = end.outcome === "failed" && end.session === null && run.session !== null;
  const edits = isSpoiled(end)
    ? forgetSession(task)
    : outcome.event === "session_lost" || isKept
      ? []
      : sessionEdits(task, end.session, last.agent);
  const keepsMessage = outcome.event !== undefined && AGAIN.has(outcome.event);
  return {
    ...outcome,
    patch: { ...patch, ...(keepsMessage ? {} : { message: null }), ...outcome.patch },
    edits,
    events: [...events, ...(outcome.events ?? [])],
    ...accountReport(last, outcome, before),
    removes: [
      ...(keepsMessage ? [] : before.messages.map((message) => message.path)),
      ...(outcome.removes ?? []),
    ],
  };
}

/** Once the model has answered, its session knows the prompt. */
function toldAfter(run: TaskRun, { end, step }: Last): TaskRun["toldIn"] {
  const session = end.session ?? run.session?.id;
  const hasAnswered = (end.usage?.turns ?? 0) > 0;
  if (!hasAnswered || session === undefined) return run.toldIn ?? null;
  return { session, what: step?.id ?? run.purpose };
}

/** After these the agent has not received its message, or not all of it, so it is sent again. */
const AGAIN: ReadonlySet<string> = new Set(["agent_failed", "agent_limited", "session_lost"]);

/** The API rejects the conversation, so every further call in it would fail. */
function isSpoiled(end: AgentEnd): boolean {
  return end.outcome === "failed" && end.reason === "bad-request";
}

function sessionAfter(context: ExecutionContext, last: Last, run: TaskRun): TaskRun["session"] {
  if (isSpoiled(last.end)) return null;
  return last.end.session === null ? run.session : sessionOf(context, last, last.end.session);
}

function sessionOf(
  { ports: { host } }: ExecutionContext,
  { agent, folder }: Last,
  id: string,
): TaskRun["session"] {
  return { id, agent, folder: folder.agentPath, ...(host === undefined ? {} : { host }) };
}

export function editsOutside(taskId: string, run: string, changed: readonly ChangedOutside[]): BloomEvent {
  const files = [...changed].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { type: "agent:strayed", taskId, run, paths: files.map(({ path }) => path), files };
}

function outcomeOf(
  known: TaskSnapshot,
  { agent, byMinutes, end, step, stop }: Last,
  before: TaskSnapshot,
): StepResult {
  const { refused = [] } = end;
  const { task, run, messages, settings } = known;
  const after = { ...run, spent: added(run.spent, end.usage, end.duration) };
  const limit = overspent(budgetOf(task, settings), after.spent);
  if (end.outcome === "failed" && end.reason === "timed-out" && byMinutes)
    return spent(task, after, "minutes");
  // Pawl stopped it at the limit, or the agent stopped there by itself.
  const gaveUp = end.outcome === "failed" && end.reason === "gave-up";
  if (limit !== null && (stop === "budget" || gaveUp)) return spent(task, after, limit);
  if (stop === "interjected") {
    const now = messages.filter((each) => !before.messages.some(({ path }) => path === each.path));
    return {
      event: "interjected",
      reason: "a person has something to say",
      patch: { message: now.map((each) => each.text).join("\n\n") },
      removes: now.map((each) => each.path),
    };
  }
  if (stop !== null) return { event: "interrupted" };
  const asks = asking(known);
  if (end.outcome === "failed") {
    // It was silent because it waited for a person.
    if (asks && (end.reason === "inactive" || end.reason === "timed-out")) return asks;
    const isStandIn = run.standIn === agent;
    if (end.reason === "not-installed" && !isStandIn) return { event: "agent_missing", reason: end.detail };
    if (end.reason === "bad-session" && run.session !== null)
      return { event: "session_lost", reason: end.detail };
    if (limitedBy(end) !== null) return { event: "agent_limited" };
    return { event: "agent_failed", reason: `${end.reason}: ${end.detail}` };
  }
  if (asks) return asks;
  if (run.purpose !== "step" && run.purpose !== "mark") return { event: "errand_done" };
  const done =
    step === null ? !isOpen(task, run) : task.steps.some((each) => each.id === step.id && !isOpenStep(each));
  if (done) return { event: "step_done" };
  const name = step === null ? task.id : step.id;
  const why = refused.length > 0 ? refusals(refused) : ` (on_unmarked_step: ${settings.on_unmarked_step})`;
  return {
    event: "step_unmarked",
    reason: `the agent ended well and left ${name} unmarked${why}${said(end)}`,
  };
}

/**
 * Marks a run as doubtful if the agent changed nothing and left its step open: it may wait for a person, or
 * may not have been able to continue.
 */
async function doubted(
  { ports }: ExecutionContext,
  { end, worktree }: Last,
  outcome: StepResult,
): Promise<StepResult> {
  if (outcome.event !== "step_unmarked" || worktree === null) return outcome;
  const state = await ports.worktrees.state(worktree).catch(() => null);
  if (state === null || state.head !== worktree.head || state.uncommitted.length > 0) return outcome;
  const asks = lastWords(end);
  if (!/[?？؟](?:["'”’»)\]*_`\s]|$)/u.test(asks)) return { ...outcome, patch: { idle: true } };
  return { event: "question_asked", reason: asks, asks };
}

/** What the run shows about its agent's account; nothing if the agent did not get to work. */
function accountReport(
  { agent, end }: Last,
  { event }: StepResult,
  { run }: TaskSnapshot,
): { readonly account?: AccountReport } {
  const limited = event === "agent_limited" ? limitedBy(end) : null;
  if (limited === null && (event === undefined || NOT_WORKED.has(event))) return {};
  const began = run.agentRun?.since ?? "";
  const quota = end.quota === undefined ? {} : { quota: end.quota };
  return { account: { agent, began, limited, ...quota } };
}

const NOT_WORKED: ReadonlySet<string> = new Set([
  "agent_limited",
  "interjected",
  "interrupted",
  "session_lost",
]);

function limitedBy(end: AgentEnd): Limited | null {
  if (end.outcome === "succeeded") return null;
  return end.reason === "not-installed" ? notInstalled(end.detail) : (end.limited ?? null);
}

/** A stand-in that is missing must not block the task, so the loop treats it as resting. */
const notInstalled = (words: string) => ({ words, resets: null, mend: "it is not installed here" });

function said(end: AgentEnd): string {
  const words = lastWords(end).replace(/\s+/g, " ");
  if (words === "") return "";
  return `; its last words: ${words.length > 200 ? `${words.slice(0, 199)}…` : words}`;
}

function sessionEdits(task: Task, session: string | null, agent: string): readonly TaskEdit[] {
  if (session === null) return task.session_id === undefined ? [] : forgetSession(task);
  return [
    ...(task.session_provider === agent ? [] : [set(task, "session_provider", agent)]),
    ...(task.session_id === session ? [] : [set(task, "session_id", session)]),
  ];
}
