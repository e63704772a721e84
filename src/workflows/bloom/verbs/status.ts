import { PawlError } from "../../../core/error.ts";
import { loopRunPath } from "../../../core/loop-record.ts";
import type { Change } from "../../../core/ports/store.ts";
import type { Context } from "../../../runtime/module.ts";
import { isPersonHere } from "../../../runtime/transaction/person.ts";
import { accountChanges, lifted } from "../../../scheduler/agent-rest.ts";
import { taskOf } from "../../../tasks-file/load.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import {
  hasOwnWork,
  isOpenStatus,
  isOpenStep,
  type Task,
  type TaskStatus,
} from "../../../tasks-file/task.ts";
import { doneWith, waitingFor } from "../pick.ts";
import { ruleOf } from "../run/life.ts";
import { runChanges } from "../run/run-changes.ts";
import { BLOOM, DELIVERED, OVER } from "../run/table.ts";
import { isOver, renderRun, type TaskRun } from "../run/task-run.ts";
import {
  completed,
  durationOf,
  forgetSession,
  noted,
  set,
  statusEdit,
  statusTo,
  workStarts,
} from "./edits.ts";
import { sendEvent } from "./person.ts";
import { askFirst, isAgentCall, liftsRest } from "./persons-word.ts";
import {
  changing,
  type Done,
  loadRenewable,
  loadSnapshot,
  type Renewable,
  type Snapshot,
} from "./snapshot.ts";

interface StatusInput {
  readonly id: string;
  readonly reason?: string;
  readonly force?: boolean;
  /** Why there is nothing to commit. */
  readonly nothing?: string;
}

/** `ready ID`: workers may take it; it continues with its open work. */
export const ready = changing(loadRenewable, (snapshot: Renewable, input: StatusInput, context) => ({
  changes: snapshot.unspent,
  ...readyOf(snapshot, input, context),
}));

/** As `ready`, with a person's words for its agent. Throws `usage` without words. */
export const hint = changing(
  loadRenewable,
  (snapshot: Renewable, { id, reason = "" }: StatusInput, context) => {
    if (reason.trim() === "")
      throw new PawlError(
        "usage",
        "A hint needs words: expected some, found none.",
        "Write what the agent should know.",
      );
    const ready = readyOf(snapshot, { id }, context, true);
    if (ready.ask) return ready;
    const edits = [noted(taskOf(snapshot.file.tasks, id), `hint: ${reason.trim()}`), ...(ready.edits ?? [])];
    return { changes: snapshot.unspent, ...ready, edits };
  },
);

/** `isForAgent`: its agent works again, even if only the delivery failed. */
function readyOf(snapshot: Snapshot, { id }: StatusInput, context: Context, isForAgent = false): Done {
  const task = taskOf(snapshot.file.tasks, id);
  const waits = waitingFor(snapshot.file.tasks, id, snapshot.states);
  const run = snapshot.runs.get(id);
  const question = liftsRest(run, "ready", context);
  if (question) return question;
  if (run && snapshot.states.get(id) === "target_red") return overTarget(snapshot, task, run, context);
  if (run?.state === "agent_rests") {
    const sent = sendEvent(snapshot, task, run, { event: "agent_free" }, context);
    // Also by the other tasks that wait for it.
    const accounts = lifted(
      snapshot.accounts,
      context.now.time,
      ({ agent }) => run.rest?.includes(agent) === true,
    );
    return {
      ...sent,
      changes: [...(sent.changes ?? []), ...accountChanges(snapshot.accounts, accounts)],
      text: `${id} continues: ${run.rest?.[0] ?? "its agent"} is asked again.`,
    };
  }
  if (run && !isForAgent && task.status === "blocked" && onlyDeliveryFailed(task, run)) {
    const hint = `Its work is done and committed: what remains follows, without its agent. \`${context.settings.bloom.command} reset ${id}\` starts it over.`;
    return moved(task, "done_pending_merge", forgetSession(task), context, hint);
  }
  const hint = waits ? `It will be taken when nothing holds it: ${waits}.` : null;
  const reopened = isForAgent || isRejected(run) ? reopenedStep(task) : [];
  return moved(task, "ready_for_agent", [...forgetSession(task), ...reopened], context, hint);
}

function isRejected(run: TaskRun | undefined): boolean {
  return run?.state === "blocked" && run.verdicts.at(-1)?.approved === false;
}

/** Its agent gets the last step again if none is open: otherwise no agent would run. */
function reopenedStep(task: Task): readonly TaskEdit[] {
  const last = task.steps.findLast(({ status }) => status === "done");
  return last === undefined || getCurrentStepForTask(task) !== null ? [] : [set(last, "status", "pending")];
}

/**
 * A person lets it continue although its target fails its check: the target's present state is merged in, and
 * from now on the failure counts as the task's own.
 */
function overTarget(snapshot: Snapshot, task: Task, run: TaskRun, context: Context): Done {
  const shown = run.red ? { ...run, red: { ...run.red, own: true as const } } : run;
  const sent = sendEvent(snapshot, task, shown, { event: "target_green" }, context);
  const into = run.red?.into ?? "its target";
  return {
    ...sent,
    text: `${task.id} continues, with ${into} as it is now. If its check fails again, its agent must fix it.`,
  };
}

/** The events whose message concerns the work itself, so its agent must work on it again. */
const OF_THE_WORK: ReadonlySet<string> = new Set(["merge_conflicted", "merge_unverified", "pr_closed"]);

/** On its way out, or in a state of its life, where another agent works. */
function isAfterWork(state: string): boolean {
  return DELIVERED.has(state) || !Object.hasOwn(BLOOM.states, state);
}

/**
 * Whether only the delivery failed. Steps record themselves that they are done; for a task without steps,
 * only the run knows that its agent has finished.
 */
function onlyDeliveryFailed(task: Task, { life, row, state, work, workDone }: TaskRun): boolean {
  const isStopped = state === "blocked" || state === "budget_exhausted";
  if (task.steps.length > 0 || !isStopped || !workDone || !work) return false;
  const last = ruleOf({ life, row });
  return last?.from.every(isAfterWork) === true && !OF_THE_WORK.has(last.on);
}

/** `todo ID` */
export const todo = changing(loadRenewable, (snapshot: Renewable, { id }: StatusInput, context) => {
  const task = taskOf(snapshot.file.tasks, id);
  const question = liftsRest(snapshot.runs.get(id), "todo", context);
  return (
    question ?? { ...moved(task, "todo", forgetSession(task), context, null), changes: snapshot.unspent }
  );
});

/** `start ID`: a person works on it, so the loop does not take it. */
export const start = changing(loadSnapshot, (snapshot: Snapshot, { id }: StatusInput, context) => {
  const task = taskOf(snapshot.file.tasks, id);
  const { time } = context.now;
  return moved(task, "in_progress", workStarts(task, time).filter(notStatus), context, null);
});

/** `block ID [reason]` */
export const block = changing(loadSnapshot, (snapshot: Snapshot, { id, reason }: StatusInput, context) => {
  const task = taskOf(snapshot.file.tasks, id);
  return moved(task, "blocked", reason ? [noted(task, `blocked: ${reason}`)] : [], context, null);
});

/**
 * `done ID`: from an agent, or while the loop still has to work, verify, merge or wait for subtasks, it means
 * done_pending_merge. With `--force`, a person at a terminal marks it done as it is.
 */
export const done = changing(
  loadSnapshot,
  (snapshot: Snapshot, { id, force, nothing }: StatusInput, context): Done => {
    const task = taskOf(snapshot.file.tasks, id);
    const { now, settings } = context;
    const data = { task: id, from: task.status };
    const byAgent = isAgentCall(context);
    const declared = nothing === undefined ? null : declare(snapshot, task, nothing, context);
    const settled = declared ?? settledAlready(task, force === true, byAgent);
    if (settled) return settled;
    const open = task.steps.filter(isOpenStep);
    const question =
      force === true
        ? askForced(task, open.length, context)
        : liftsRest(snapshot.runs.get(id), "done", context);
    if (question) return question;
    const last = open.length === 1 ? getCurrentStepForTask(task) : null;
    if (open.length > 1 && force !== true)
      return {
        text: `${id} has open steps: ${open.map((step) => step.id).join(", ")}. Mark each with \`${settings.bloom.command} step done ID\`.`,
        data: { ...data, status: task.status, open: open.map((step) => step.id) },
        refused: true,
      };
    const state = snapshot.states.get(id);
    const inLoop =
      state !== undefined &&
      state !== "blocked" &&
      state !== "budget_exhausted" &&
      !OVER.some((over) => over === state);
    const subtasks = task.subtasks.some((sub) => isOpenStatus(sub.status));
    // The work is unchecked, so the loop checks it unless a person confirms it.
    const unseen = !isPersonHere(context) && hasOwnWork(task);
    const pending = byAgent || (force !== true && (task.repo !== undefined || inLoop || subtasks || unseen));
    const steps = last ? completed(last, now.time) : [];
    const duration = last ? durationOf(last, now.time) : 0;
    const stepDetails = last
      ? [{ type: "step:completed", taskId: id, stepId: last.id, duration } as const]
      : [];
    if (pending) {
      const hint = "What remains (checks, git, subtasks) follows.";
      const result = moved(task, "done_pending_merge", steps, context, hint);
      return { ...result, events: [...stepDetails, ...(result.events ?? [])] };
    }
    const parents = doneWith(snapshot.file.tasks, id, snapshot.states);
    const ends = [...steps, ...completed(task, now.time).filter(notStatus)];
    const result = moved(task, "done", ends, context, null);
    return {
      ...result,
      changes: stopsAgent(snapshot.runs.get(id)),
      text: [result.text, ...parents.map((parent) => `${parent.id} is done with it.`)].join("\n"),
      edits: [...(result.edits ?? []), ...parents.flatMap((parent) => completed(parent, now.time))],
      events: [
        ...stepDetails,
        ...(result.events ?? []),
        ...[task, ...parents].map((each) => ({
          type: "task:completed" as const,
          taskId: each.id,
          duration: each.started_at ? durationOf(each, now.time) : null,
        })),
      ],
    };
  },
);

/**
 * `done ID --nothing "why"`: the task is done without a commit. The reason is kept with its run, as evidence
 * of who declared it. It only waives the commit: steps must be marked as usual.
 */
function declare(snapshot: Snapshot, task: Task, why: string, context: Context): Done {
  const run = snapshot.runs.get(task.id);
  const { command } = context.settings.bloom;
  if (why.trim() === "")
    throw new PawlError(
      "usage",
      "--nothing needs a reason: expected why there is nothing to do, found none.",
      "Give a reason after --nothing.",
    );
  const isUnderWay = task.status === "in_progress" || task.status === "done_pending_merge";
  if (run === undefined || isOver(run) || !isUnderWay)
    return {
      text: `${task.id} is ${task.status} and has no run under way that could have nothing to do. A person's \`${command} done ${task.id} --force\` ends it as it is.`,
      data: { task: task.id, status: task.status },
      refused: true,
    };
  const open = task.steps.filter(isOpenStep);
  const rest = open.length > 0 ? ` Still open: ${open.map(({ id }) => id).join(", ")}.` : "";
  const marks = task.steps.length === 0 && task.status === "in_progress";
  const by = context.caller.who ?? context.caller.channel;
  const edits = marks ? [statusEdit(task, "done_pending_merge")] : [];
  return {
    text: `Noted: ${task.id} has nothing to be committed. End your turn; what remains follows.${rest}`,
    data: { task: task.id, nothing: why },
    edits,
    changes: runChanges({ ...run, nothing: why }, snapshot, []),
    events: [{ type: "task:nothing_to_do", taskId: task.id, reason: why, by }],
  };
}

const TAKEN_BACK: ReadonlySet<string> = new Set(["todo", "ready_for_agent", "cancelled"]);

/**
 * The reply if there is nothing to change: it is already done, or a person has taken it back from its agent
 * meanwhile.
 */
function settledAlready({ id, status }: Task, force: boolean, byAgent: boolean): Done | null {
  const data = { task: id, from: status, status };
  if (status === "done" || (status === "done_pending_merge" && !force))
    return { text: `${id} is ${status} already.`, data: { ...data, changed: false } };
  if (!byAgent || !TAKEN_BACK.has(status)) return null;
  return { text: `${id} is ${status}: a person has taken it back. End your turn.`, data, refused: true };
}

/** While an agent is at work, a status alone is only a claim, so the run records that a person set it. */
function stopsAgent(run: TaskRun | undefined): readonly Change[] {
  if (run === undefined || isOver(run)) return [];
  return [{ type: "write", path: loopRunPath(run.task), text: renderRun({ ...run, dropped: true }) }];
}

/** Asks a person at a terminal to confirm that the task is done as it is, with its open work. */
function askForced(task: Task, open: number, context: Context): Done | null {
  return askFirst(context, {
    question: `Is ${task.id} (${task.title}) done as it is?`,
    facts: [
      open === 0 ? "Its steps are done." : `Steps still open: ${open}.`,
      "Nothing more is checked, pushed or merged for it.",
    ],
    whole: `bloom show ${task.id}`,
  });
}

function notStatus(edit: TaskEdit): boolean {
  return edit.key !== "status";
}

function moved(
  task: Task,
  status: TaskStatus,
  more: readonly TaskEdit[],
  { caller }: Context,
  hint: string | null,
): Done {
  const data = { task: task.id, from: task.status, status };
  if (task.status === status && more.length === 0)
    return { text: `${task.id} is ${status} already.`, data: { ...data, changed: false } };
  const by = caller.who ?? caller.channel;
  return {
    text: [`${task.id} is ${status}.`, ...(hint ? [hint] : [])].join(" "),
    data: { ...data, changed: true },
    edits: [...more, ...statusTo(task, status)],
    events: [{ type: "task:status_changed", taskId: task.id, from: task.status, to: status, by }],
  };
}
