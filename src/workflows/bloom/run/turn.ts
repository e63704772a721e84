/**
 * Applies one event to a task's run: the table decides, and the run, tasks.yaml and the events follow from
 * its rule. Pure.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { Caller, RunAdvanced } from "../../../core/event.ts";
import { agentsFor, type BloomSettings } from "../../../core/settings.ts";
import type { Strength } from "../../../core/strength.ts";
import type { Decision, Rule } from "../../../engine/workflow.ts";
import type { Context } from "../../../runtime/module.ts";
import { runAdvanced } from "../../../runtime/transaction/run-advanced.ts";
import { decideNow, moveOf, type TableRun } from "../../../runtime/transaction/run-event.ts";
import { activeRests, agentOf, awaitedRest, nextAgent, type Rests } from "../../../scheduler/agent-rest.ts";
import { NOTHING_SPENT } from "../../../scheduler/budget.ts";
import { editedTask } from "../../../tasks-file/entries.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import type { Task, TaskStatus } from "../../../tasks-file/task.ts";
import { unverifiedCommands } from "../commands/run-verify.ts";
import { doneWith, isClosed } from "../pick.ts";
import { completed, durationOf, forgetSession, noted, statusTo, workStarts } from "../verbs/edits.ts";
import { type FactContext, INPUTS, tryKindOf } from "./facts.ts";
import { lifeOf, orderedAgent, tableOf, textOf } from "./life.ts";
import { BACKS_OFF, type SchedulingStatuses } from "./scheduling-status.ts";
import { BLOOM, ORDER_AGAIN, REPLIES, type TaskEvent, type TaskState } from "./table.ts";
import {
  closedSteps,
  type Purpose,
  reasonOf,
  type TaskOutcome,
  type TaskRun,
  type TryKind,
} from "./task-run.ts";

export interface Turn {
  /** The same object if the event changed nothing. */
  readonly run: TaskRun;
  readonly rule: Rule;
  readonly edits: readonly TaskEdit[];
  readonly events: readonly (BloomEvent | RunAdvanced)[];
}

export interface Now extends FactContext {
  readonly states: SchedulingStatuses;
  /** Edits of the task in the same commit, before the event's own edits. */
  readonly edits?: readonly TaskEdit[];
  readonly time: string;
  readonly by: Caller;
  /** The strength of a person's verdict. */
  readonly strength?: Strength;
}

/** The context for `applyEvent`. `edits`: the task's edits in the same commit, before the event's own. */
export function nowIn(
  { file, rests, states }: Pick<Now, "file" | "states"> & { readonly rests: Rests },
  task: Task,
  context: Pick<Context, "answered" | "caller" | "now" | "settings">,
  edits: readonly TaskEdit[] = [],
): Now {
  const { caller: by, now, settings } = context;
  const resting = activeRests(rests, now.time);
  return { task, file, states, resting, edits, settings: settings.bloom, time: now.time, by };
}

/**
 * Applies the event, and those consequences that need no observation, so that they cost no transaction of
 * their own.
 */
export function applyEvent(run: TaskRun, { event, reason }: TaskOutcome, now: Now): Turn {
  const inputOf = (name: string) => INPUTS[name]?.(now, run, event) ?? null;
  return applyDecision(run, decideNow(tableRunOf(run), event, inputOf), reason, now);
}

/** The same, for an event that is already decided. */
export function applyDecision(run: TaskRun, decision: Decision, reason: string | undefined, now: Now): Turn {
  const first = applyRule(run, decision, reason, now);
  const task = editedTask(now.task, [...(now.edits ?? []), ...first.edits]);
  if (first.rule.commands?.[0]?.type !== "run-verify" || unverifiedCommands(task, first.run).length > 0)
    return first;
  const second = applyEvent(first.run, { event: "verify_passed" }, { ...now, task, edits: [] });
  return {
    ...second,
    edits: [...first.edits, ...second.edits],
    events: [...first.events, ...second.events],
  };
}

function applyRule(before: TaskRun, decision: Decision, reason: string | undefined, now: Now): Turn {
  const { rule, after } = decision;
  const event = rule.on as TaskEvent;
  if (rule.outcome === "no-effect") return { run: before, rule, edits: [], events: [] };
  const run = { ...before, ...agentAfter(before, rule, now) };
  const state = after.state as TaskState;
  const worked = event === "step_done" || rule.reply === "assumed_done";
  const next: TaskRun = {
    ...run,
    state,
    kept: after.variables,
    row: rule.id,
    since: state === run.state ? run.since : now.time,
    reason: reason ?? ownWords(run, decision, now) ?? (state === run.state ? run.reason : null),
    ...waitOf(rule, event, run, now),
    queued: queuedSince(rule, event, run, now),
    purpose: purposeOf(rule, run),
    ...orderAfter(run, rule, state),
    message: rule.commands?.some((each) => isAgentRun(each) || each.type === ORDER_AGAIN)
      ? run.message
      : null,
    tries: triesAfter(run, event, rule),
    ...targetAfter(run, event),
    workDone: event === "reset" ? false : run.workDone || (worked && now.task.steps.length === 0),
    session: forgets(run, event) ? null : run.session,
    checked: event === "verify_passed" || event === "reset" ? closedSteps(now.task) : run.checked,
    ...(event === "reset"
      ? {
          tries: {},
          purpose: "step",
          ...(run.life == null ? {} : { order: null, ordered: null, said: {}, sessions: {} }),
          work: hasLanded(run) ? null : run.work,
          nothing: null,
          standIn: null,
          returned: null,
          cancelled: undefined,
          refused: [],
          idle: false,
          landed: hasLanded(run),
          asked: run.asked === true && !hasLanded(run),
        }
      : {}),
    ...(event === "sent_back" ? { nothing: null } : {}),
  };
  const written = edits(next, rule, event, now);
  const status = written.findLast(
    (edit) => edit.type === "set" && edit.id === run.task && edit.key === "status",
  );
  return {
    run: { ...next, status: status?.type === "set" ? (status.value as TaskStatus) : now.task.status },
    rule,
    edits: written,
    events: eventsFor(run, next, decision, now),
  };
}

/** The agent that works on it from now on, and the one that it waits for. */
function agentAfter(run: TaskRun, { on, reply }: Rule, { resting, settings, task }: Now): Partial<TaskRun> {
  const ordered = orderedAgent(run, settings);
  if (ordered !== null)
    return on === "agent_limited" ? { rest: [ordered] } : on === "agent_free" ? { rest: null } : {};
  const agent = agentOf(task, run, settings);
  if (on === "agent_limited" && reply === "rests") {
    const first = awaitedRest(task, agent, settings, resting)?.agent ?? agent;
    const rest = [...new Set([first, agent, ...agentsFor(task, settings)])];
    return first === agent ? { rest } : { rest, standIn: first };
  }
  if (on === "interrupted") return {};
  const next =
    reply === "hands_over" || (on === "claimed" && resting.has(agent))
      ? nextAgent(task, agent, settings, resting)
      : null;
  if (next === null) return { rest: null };
  return { rest: null, standIn: next, ...(reply === "hands_over" ? { session: null } : {}) };
}

/**
 * What is known of a red target, and whether the target's present state is merged into the workspace first.
 */
function targetAfter(
  { red = null, takesTarget = false }: TaskRun,
  event: TaskEvent,
): Pick<TaskRun, "red" | "takesTarget"> {
  if (event === "reset") return { red: null, takesTarget: true };
  if (event === "target_green") return { red: red?.own ? red : null, takesTarget: true };
  return { red: event === "verify_passed" ? null : red, takesTarget };
}

/** Whether its work is in its target, or was about to be. */
function hasLanded({ landed = false, work }: TaskRun): boolean {
  return landed || (work?.merged ?? work?.merging ?? null) !== null;
}

const FORGETS: ReadonlySet<TaskEvent> = new Set(["session_lost", "reset"]);

/** A session that is lost may be that of an agent of its life. */
function forgets({ order = null }: TaskRun, event: TaskEvent): boolean {
  return FORGETS.has(event) && (event === "reset" || order === null);
}

function isAgentRun({ type }: { readonly type: string }): boolean {
  return type === "run-agent";
}

/** `again`, an answer and an interjection keep the purpose. */
function purposeOf(rule: Rule, run: TaskRun): Purpose {
  const purpose = rule.commands?.find(isAgentRun)?.purpose;
  const keepsPurpose =
    purpose === undefined || purpose === "again" || purpose === "answer" || purpose === "interjection";
  return keepsPurpose ? run.purpose : (purpose as Purpose);
}

/** What a row of its life orders: its own agents, or the task's. */
function orderAfter(run: TaskRun, rule: Rule, state: string): Pick<TaskRun, "order" | "ordered"> | undefined {
  if (run.life == null) return undefined;
  const prompt = rule.commands?.find(isAgentRun)?.prompt;
  const ordered = typeof prompt === "string" ? { ordered: prompt } : {};
  if (rule.commands?.some(({ type }) => type === "run"))
    return { ...ordered, order: { row: rule.id, spent: NOTHING_SPENT, session: null } };
  const isKept = state === run.state || KEEPS_ORDER.has(state);
  return isKept || rule.commands?.some(({ type }) => type === ORDER_AGAIN)
    ? ordered
    : { ...ordered, order: null };
}

/** The states in which an order continues. */
const KEEPS_ORDER: ReadonlySet<string> = new Set(["waiting_for_human", "agent_rests"]);

/** What a row of its life says; null: it is one of Bloom's. */
function ownWords(run: TaskRun, { after, rule }: Decision, { task }: Now): string | null {
  const life = lifeOf(run);
  if (life === null || Object.hasOwn(REPLIES, rule.reply)) return null;
  const { state, variables: kept } = after;
  return textOf(life, rule.reply, { ...run, state, kept }, task);
}

// ── Tries ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The counters that a success resets. Conflicts are counted until the merge is made, because otherwise they
 * could repeat forever.
 */
const SUCCEEDS: Readonly<Partial<Record<TaskEvent, readonly TryKind[]>>> = {
  step_done: ["agent", "mark"],
  purpose_done: ["agent"],
  verify_passed: ["agent", "mark", "verify", "git"],
  committed: ["commit", "git"],
  pushed: ["push", "git", "remote"],
  merged: ["merge", "git", "remote"],
  pr_opened: ["pr", "git", "remote"],
};

function triesAfter(run: TaskRun, event: TaskEvent, rule: Rule): TaskRun["tries"] {
  const kind = tryKindOf(event, run);
  if (kind !== undefined && rule.to !== "blocked" && rule.reply !== "assumed_done")
    return { ...run.tries, [kind]: (run.tries[kind] ?? 0) + 1 };
  const reset = SUCCEEDS[event] ?? (Object.hasOwn(BLOOM.events, event) ? [] : ["agent"]);
  return reset.length === 0
    ? run.tries
    : Object.fromEntries(Object.entries(run.tries).filter(([name]) => !reset.includes(name as TryKind)));
}

/** When the backoff ends, and its whole length, because the clock may be set in between. */
function waitOf(
  rule: Rule,
  event: TaskEvent,
  run: TaskRun,
  { settings, time }: Now,
): Pick<TaskRun, "after" | "wait"> {
  if (rule.reply !== "tries_again" || !BACKS_OFF.has(event)) return { after: null, wait: null };
  const wait = backoff(run.tries[tryKindOf(event, run) as TryKind] ?? 0, settings) * 1000;
  return { after: new Date(Date.parse(time) + wait).toISOString(), wait };
}

/** The task's place in the merge order survives a stop. */
function queuedSince(
  rule: Rule,
  event: TaskEvent,
  { queued = null, state }: TaskRun,
  { time }: Now,
): string | null {
  if (rule.reply === "awaits_turn") return queued ?? time;
  return state === "merging" && event === "interrupted" ? queued : null;
}

/** Seconds before the next attempt, after this many failures. */
function backoff(failures: number, { backoff: { first, limit } }: Pick<BloomSettings, "backoff">): number {
  return Math.min(limit, first * 2 ** failures);
}

// ── tasks.yaml ───────────────────────────────────────────────────────────────────────────────────────────────────

function edits(run: TaskRun, rule: Rule, event: TaskEvent, now: Now): readonly TaskEdit[] {
  const { task, time, file, states } = now;
  const lost = forgets(run, event) || rule.reply === "hands_over" ? forgetSession(task) : [];
  const step = rule.reply === "assumed_done" ? getCurrentStepForTask(task) : null;
  const assumed = step ? completed(step, time) : [];
  switch (run.state) {
    case "ready":
    case "target_red":
    case "agent_rests":
      return [...lost, ...assumed];
    case "pushing":
    case "merging":
    case "opening_pr":
    case "cleaning":
      return [...lost, ...statusTo(task, "done_pending_merge")];
    case "blocked":
    case "budget_exhausted": {
      const note =
        run.reason && task.status !== "blocked" ? [noted(task, `${run.state}: ${run.reason}`)] : [];
      return [...lost, ...note, ...statusTo(task, "blocked")];
    }
    case "done": {
      if (task.status === "done") return [];
      if (!task.subtasks.every(isClosed)) return statusTo(task, "done_pending_merge");
      const ends = [task, ...doneWith(file.tasks, task.id, states)].flatMap((each) => completed(each, time));
      return [...forgetSession(task), ...ends];
    }
    case "cancelled": {
      const parents = doneWith(file.tasks, task.id, states);
      const ends = parents.flatMap((each) => completed(each, time));
      return [...forgetSession(task), ...statusTo(task, "cancelled"), ...ends];
    }
    // An agent of its life has it.
    default:
      return [...lost, ...assumed, ...(showsWork(run, task) ? [] : workStarts(task, time))];
  }
}

/**
 * Whether the status already shows that the task is being worked on; an agent's own `done` stays while the
 * loop checks it.
 */
function showsWork(run: TaskRun, task: Task): boolean {
  if (task.status === "in_progress") return task.started_at !== undefined;
  return task.status === "done_pending_merge" && run.state !== "waiting_for_human";
}

// ── Events ───────────────────────────────────────────────────────────────────────────────────────────────────────

function eventsFor(
  run: TaskRun,
  next: TaskRun,
  decision: Decision,
  now: Now,
): readonly (BloomEvent | RunAdvanced)[] {
  const { rule } = decision;
  const event = rule.on as TaskEvent;
  const taskId = run.task;
  const { task, time, by, strength } = now;
  const worth = strength === undefined ? {} : { strength };
  const reason = reasonOf(next);
  const events: BloomEvent[] = [];
  const step = getCurrentStepForTask(task);
  if (rule.reply === "assumed_done" && step) {
    events.push({ type: "step:assumed_done", taskId, stepId: step.id, reason });
    events.push({ type: "step:completed", taskId, stepId: step.id, duration: durationOf(step, time) });
  }
  if (event === "session_lost") {
    const session = run.order == null ? run.session : run.order.session;
    events.push({ type: "session:lost", taskId, session: session?.id ?? null, reason });
  }
  if (rule.reply === "tries_again") {
    const after = next.after === null ? 0 : Math.max(0, Date.parse(next.after) - Date.parse(time));
    const kind = tryKindOf(event, next);
    events.push({
      type: "task:retried",
      taskId,
      attempt: 1 + (kind ? (next.tries[kind] ?? 0) : 0),
      after,
      reason,
    });
  }
  if (next.state === "waiting_for_human") events.push({ type: "task:waiting", taskId, reason });
  if (event === "approved")
    events.push({ type: "task:approved", taskId, by: by.who ?? by.channel, ...worth });
  if (event === "reset") events.push({ type: "task:reset", taskId, from: run.state });
  if (next.state === "blocked") events.push({ type: "task:blocked", taskId, reason });
  if (next.state === "cancelled") events.push({ type: "task:cancelled", taskId, reason });
  if (next.state === "done")
    events.push({
      type: "task:completed",
      taskId,
      duration: task.started_at ? durationOf(task, time) : null,
    });
  const words = (REPLIES[rule.reply] ?? REPLIES.went_on ?? "")
    .replace("{reason}", reason)
    .replace("{state}", next.state);
  const move = moveOf(tableRunOf(run), decision);
  const advanced = runAdvanced(move, { summary: `${taskId} ${words}`, strength }, { caller: by });
  return [advanced, ...events];
}

/** The run in the form that its table's engine takes. */
export function tableRunOf({ kept: variables, life, state, task }: TaskRun): TableRun {
  return { run: `bloom:${task}`, workflow: tableOf({ life }), configuration: { state, variables } };
}
