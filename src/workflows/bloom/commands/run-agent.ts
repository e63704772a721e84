/**
 * One run of a task's agent, for its current step or another purpose. First checks whether it is needed: it
 * does not repeat a done step, skip an open question, or start on a spent budget.
 */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { AgentEnd, AgentUsage, DeferredCall, Limited } from "../../../core/ports/agents.ts";
import type { AgentFolder, EnsuredWorktree, WorkDone, Worktree } from "../../../core/ports/worktrees.ts";
import type { Nearing } from "../../../runtime/module.ts";
import { type AccountReport, agentOf, quotaLimit, showsAccount } from "../../../scheduler/agent-rest.ts";
import { lastWords } from "../../../scheduler/agent-run.ts";
import {
  added,
  budgetOf,
  type Limit,
  nearestLimit,
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
  type StepResult,
  type TaskSnapshot,
  taskFolder,
} from "../execution-context.ts";
import { isOpen, unverifiedSteps } from "../run/facts.ts";
import type { Purpose, TaskRun } from "../run/task-run.ts";
import { refusals, runPrompt } from "../run-prompt.ts";
import { forgetSession, set, workStarts } from "../verbs/edits.ts";
import { targetOf } from "./pull-request.ts";
import { setUp } from "./set-up.ts";
import { takeTarget } from "./target.ts";
import { runInWorkspace, type WorkspaceRunEnd } from "./workspace-run.ts";

export async function runAgent(context: ExecutionContext): Promise<StepResult> {
  const { known } = context;
  const before = checkFirst(known, context.now().toISOString());
  if (before) return before;
  const place = await taskFolder(context);
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
function checkFirst(known: TaskSnapshot, now: string): StepResult | null {
  const { quotas, task, resting, run, settings } = known;
  const asks = openQuestion(known);
  if (asks) return asks;
  const isWork = run.purpose === "step" || run.purpose === "mark";
  if (isWork && (!isOpen(task, run) || unverifiedSteps(task, run).length > 0)) return { event: "step_done" };
  const limit = overspent(budgetOf(task, settings), run.spent);
  if (limit !== null) return budgetSpent(task, run, limit);
  const agent = agentOf(task, run, settings);
  if (resting.has(agent)) return { event: "agent_limited" };
  const quota = settings.fit ? quotas.get(agent) : undefined;
  const limited = quota ? quotaLimit(quota, now) : null;
  if (limited === null) return null;
  return { event: "agent_limited", account: { agent, began: now, limited, early: true } };
}

/** The outcome if the task waits for a person's answer; else null. */
export function openQuestion({
  questions,
  task,
}: Pick<TaskSnapshot, "questions" | "task">): StepResult | null {
  const waits = questions.filter((each) => each.task === task.id && each.blocking && each.answer === null);
  if (waits.length === 0) return null;
  return { event: "question_asked", reason: waits.map((each) => `${each.id}: ${each.text}`).join("; ") };
}

export function budgetSpent(task: Task, run: TaskRun, limit: Limit): StepResult {
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

const MERGES: ReadonlySet<Purpose> = new Set(["resolve", "repair-merge", "pull-request"]);

/**
 * Merges the target into the task's branch before a run that resolves or repairs a merge, or fixes a pull
 * request. The agent resolves the conflicts there; without conflicts, no agent is needed.
 */
async function bringInTarget(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<{ readonly result?: StepResult; readonly conflicts: readonly string[] }> {
  const { task, file, run } = context.known;
  const into = run.purpose === "pull-request" ? targetOf(task) : task.merge_into;
  if (!MERGES.has(run.purpose) || worktree === null || into === undefined) return { conflicts: [] };
  const brought = await context.ports.worktrees.bringIn(worktree, {
    into,
    remote: file.git.push_to_remote,
  });
  if (brought.kind === "conflicts") return { conflicts: brought.files };
  return run.purpose === "resolve" ? { result: { event: "purpose_done" }, conflicts: [] } : { conflicts: [] };
}

interface AgentStart {
  readonly folder: AgentFolder;
  readonly isBrought: boolean;
  readonly worktree: EnsuredWorktree | null;
  readonly agent: string;
  readonly conflicts: readonly string[];
}

async function start(context: ExecutionContext, place: AgentStart): Promise<StepResult> {
  const { run, settings, task } = context.known;
  const { purpose } = run;
  const { permission } = settings;
  const isWork = purpose === "step" || purpose === "mark";
  const step = isWork ? getCurrentStepForTask(task) : null;
  const session = run.session !== null && task.session_id !== undefined ? run.session : null;
  const resumed = session !== null;
  const done = resumed ? null : await doneBefore(context, place);
  const notice = openNotice(context);
  const ended = await runInWorkspace(context, place, {
    agent: place.agent,
    started: { purpose, permission, resumed },
    begins: {
      patch: { asked: true, ...(await begins(context, place.worktree)) },
      edits: beginEdits(task, step, context.now().toISOString()),
      events: stepStarted(task, step),
    },
    budgets: [[budgetOf(task, settings), run.spent]],
    order: (known, over) => ({
      task: task.id,
      prompt: runPrompt(known, step, place.conflicts, !resumed, done),
      session: session ? { type: "resume", id: session.id } : { type: "new" },
      permission,
      allow: allowedCommands(settings.command, known.task),
      ...(isWork && { done: markDone(task, step) }),
      ask: (question) => context.mayIt(question, over),
      environment: { ...context.ports.environment, ...context.environment, BLOOM_TASK: task.id },
    }),
    onUsage: notice.see,
  });
  await notice.noted();
  return "result" in ended ? ended.result : agentRunResult(context, { ...place, ...ended, step });
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

function stepStarted(task: Task, step: Step | null): readonly BloomEvent[] {
  if (step === null || step.status === "in_progress") return [];
  const stepIndex = task.steps.findIndex(({ id }) => id === step.id);
  return [
    { type: "step:started", taskId: task.id, stepId: step.id, stepIndex, totalSteps: task.steps.length },
  ];
}

/**
 * Notifies a person before the budget is spent. If the notice cannot be recorded now, the end of the run
 * records it.
 */
function openNotice(context: ExecutionContext) {
  const { run, settings, task } = context.known;
  let near: Limit | undefined = run.nearing?.limit;
  let noted: Promise<unknown> = Promise.resolve();
  return {
    see(usage: AgentUsage): void {
      const limit = nearestLimit(budgetOf(task, settings), added(run.spent, usage, 0));
      if (limit === null || limit.limit === near) return;
      near = limit.limit;
      noted = noted.then(async () => {
        const events = nearingEvents(context.known.task, context.known.run, limit);
        await context.note({ patch: { nearing: limit }, events }).catch(() => {});
      });
    },
    noted: () => noted,
  };
}

/** At most one event per limit. */
function nearingEvents(task: Task, before: TaskRun, near: Nearing | null): readonly BloomEvent[] {
  if (near === null || before.nearing?.limit === near.limit) return [];
  return [{ type: "budget:nearing", taskId: task.id, ...near }];
}

// ── The result ─────────────────────────────────────────────────────────────────────────────────────────────

interface Last extends WorkspaceRunEnd {
  readonly worktree: EnsuredWorktree | null;
  readonly step: Step | null;
  readonly folder: AgentFolder;
}

async function agentRunResult(context: ExecutionContext, last: Last): Promise<StepResult> {
  const { before, end, id, unsaved } = last;
  if (unsaved === null) await context.takeCalls(id);
  // Reads the steps and questions that the agent recorded meanwhile, and the messages for it.
  const known = await context.note({});
  const { task, run, settings } = known;
  const budgetSpent = added(run.spent, end.usage, end.duration);
  const near = nearestLimit(budgetOf(task, settings), budgetSpent);
  const events: BloomEvent[] = [
    ...last.events,
    ...(end.session !== null && end.session !== run.session?.id
      ? ([{ type: "session:opened", taskId: task.id, session: end.session, agent: last.agent }] as const)
      : []),
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
    spent: budgetSpent,
    nearing: near,
    session: sessionAfter(context, last, run),
    toldIn: sessionKnowingPrompt(run, last),
  };
  const outcome = unsaved ?? (await doubted(context, last, outcomeOf(known, last)));
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
    ...accountAfter(last, outcome.event === "agent_limited" ? limitedBy(end) : limitOf(end)),
    removes: [
      ...(keepsMessage ? [] : before.messages.map((message) => message.path)),
      ...(outcome.removes ?? []),
    ],
  };
}

/** Once the model has answered, its session knows the prompt. */
function sessionKnowingPrompt(run: TaskRun, { end, step }: Last): TaskRun["toldIn"] {
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

function outcomeOf(known: TaskSnapshot, { agent, before, byMinutes, end, step, stop }: Last): StepResult {
  const { refused = [] } = end;
  const { task, run, messages, settings } = known;
  const after = { ...run, spent: added(run.spent, end.usage, end.duration) };
  const limit = overspent(budgetOf(task, settings), after.spent);
  if (end.outcome === "failed" && end.reason === "timed-out" && byMinutes)
    return budgetSpent(task, after, "minutes");
  // Pawl stopped it at the limit, or the agent stopped there by itself.
  const gaveUp = end.outcome === "failed" && end.reason === "gave-up";
  if (limit !== null && (stop === "budget" || gaveUp)) return budgetSpent(task, after, limit);
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
  const asks = openQuestion(known);
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
  if (run.purpose !== "step" && run.purpose !== "mark") return { event: "purpose_done" };
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
export function accountAfter(
  ended: WorkspaceRunEnd,
  limited: Limited | null,
): { readonly account?: AccountReport } {
  if (limited === null && !showsAccount(ended)) return {};
  const { agent, before, end } = ended;
  const began = before.run.agentRun?.since ?? "";
  return { account: { agent, began, limited, ...(end.quota === undefined ? {} : { quota: end.quota }) } };
}

function limitedBy(end: AgentEnd): Limited | null {
  const isMissing = end.outcome === "failed" && end.reason === "not-installed";
  return isMissing ? notInstalled(end.detail) : limitOf(end);
}

export function limitOf(end: AgentEnd): Limited | null {
  return end.outcome === "failed" ? (end.limited ?? null) : null;
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
