/** The verbs by which a person changes one task's run: assign, note, reset. */
import { PawlError } from "../../../core/error.ts";
import { checkId } from "../../../core/id.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Context } from "../../../runtime/module.ts";
import { isPersonHere, strengthOf } from "../../../runtime/transaction/person.ts";
import { NOTHING_SPENT } from "../../../scheduler/budget.ts";
import { taskOf } from "../../../tasks-file/load.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { heldTasks } from "../lease.ts";
import { runChanges } from "../run/run-changes.ts";
import { isOver, type TaskOutcome, type TaskRun } from "../run/task-run.ts";
import { applyEvent, nowIn } from "../run/turn.ts";
import { forgetSession, noted, set, statusTo } from "./edits.ts";
import { liftsRest } from "./persons-word.ts";
import {
  changing,
  type Done,
  loadRenewable,
  loadSnapshot,
  type Renewable,
  type Snapshot,
} from "./snapshot.ts";

/** Sends one event to a task's run, as part of a verb's transaction. */
export function sendEvent(
  snapshot: Snapshot,
  task: Task,
  run: TaskRun,
  outcome: TaskOutcome,
  context: Context,
  message?: string,
): Done {
  const isPersons = outcome.event === "approved" || context.answered !== undefined;
  const worth = isPersons ? { strength: strengthOf(context) } : {};
  const next = applyEvent(run, outcome, { ...nowIn(snapshot, task, context), ...worth });
  const sent = message === undefined ? next.run : { ...next.run, message };
  return {
    text: `${task.id} goes on: ${sent.state}.`,
    data: { task: task.id, from: run.state, state: sent.state },
    edits: next.edits,
    changes: runChanges(sent, snapshot, next.edits),
    events: next.events,
  };
}

/** `assign ID WORKER` */
export const assign = changing(
  loadSnapshot,
  ({ file }: Snapshot, { id, worker }: { readonly id: string; readonly worker: string }) => {
    const task = taskOf(file.tasks, id);
    checkId(worker, "worker's name");
    return {
      text: `${id} is assigned to ${worker}.`,
      data: { task: id, worker },
      edits: [set(task, "agent_name", worker), ...statusTo(task, "assigned")],
      events: [{ type: "task:assigned", taskId: id, worker }],
    };
  },
);

/** `note ID TEXT` */
export const note = changing(
  loadSnapshot,
  ({ file }: Snapshot, { id, text }: { readonly id: string; readonly text: string }) => {
    const task = taskOf(file.tasks, id);
    if (text.trim() === "") throw new PawlError("usage", "The note is empty.", "Give the note's text.");
    return {
      text: `Noted in ${id}.`,
      data: { task: id, note: text },
      edits: [noted(task, text)],
      events: [{ type: "task:noted", taskId: id, text }],
    };
  },
);

interface ResetInput {
  readonly id?: string;
  readonly stuck?: boolean;
}

/** `reset ID`, `reset --stuck`: restarts open work; steps that are done stay done. */
export const reset = changing(
  loadRenewable,
  decideReset,
  async (_: Renewable, { stuck }: ResetInput, { leases }: Outside, { now }: Context) =>
    stuck ? heldTasks(leases, now.time) : NONE_HELD,
);

const NONE_HELD: ReadonlySet<string> = new Set();

/** `held`: the tasks that a worker holds. */
function decideReset(
  snapshot: Renewable,
  { id, stuck }: ResetInput,
  context: Context,
  held: ReadonlySet<string>,
): Done {
  if ((id === undefined) === (stuck !== true))
    throw new PawlError(
      "usage",
      "Expected one task's id, or --stuck.",
      "Run `bloom reset ID` or `bloom reset --stuck`.",
    );
  const tasks = id === undefined ? stuckTasks(snapshot, held) : [taskOf(snapshot.file.tasks, id)];
  if (tasks.length === 0) return { text: "Nothing is stuck.", data: { reset: [] } };
  for (const task of tasks) {
    const question = liftsRest(snapshot.runs.get(task.id), "reset", context);
    if (question) return question;
  }
  const results = tasks.map((task) => resetOne(snapshot, task, context));
  return {
    text: `Reset: ${tasks.map((task) => task.id).join(", ")}.`,
    data: { reset: tasks.map((task) => task.id) },
    edits: results.flatMap((result) => result.edits ?? []),
    changes: results.flatMap((result) => result.changes ?? []),
    events: results.flatMap((result) => result.events ?? []),
  };
}

function resetOne(snapshot: Renewable, task: Task, context: Context): Done {
  const run = snapshot.runs.get(task.id);
  const edit = statusTo(task, "ready_for_agent");
  if (!run || isOver(run))
    return {
      text: "",
      edits: [...forgetSession(task), ...edit],
      changes: snapshot.unspent,
      events: [{ type: "task:reset", taskId: task.id, from: task.status }],
    };
  // A person at a terminal also resets what was spent.
  const from = isPersonHere(context) ? { ...run, spent: NOTHING_SPENT } : run;
  const readied: Task = { ...task, status: "ready_for_agent" };
  const result = sendEvent(snapshot, readied, from, { event: "reset" }, context);
  return { ...result, edits: [...(result.edits ?? []), ...edit] };
}

function stuckTasks(snapshot: Renewable, held: ReadonlySet<string>): readonly Task[] {
  return eachTask(snapshot.file.tasks).flatMap(({ task }) => {
    const state = snapshot.states.get(task.id);
    const rests = state === "waiting_for_human";
    return task.status === "in_progress" && !rests && !held.has(task.id) ? [task] : [];
  });
}
