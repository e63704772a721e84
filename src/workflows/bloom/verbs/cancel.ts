/** `cancel ID --reason "…"`: a person closes a task that will not be done, with its open subtasks. */
import { PawlError } from "../../../core/error.ts";
import { loopRunPath } from "../../../core/loop-record.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Context } from "../../../runtime/module.ts";
import { taskOf } from "../../../tasks-file/load.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { heldTasks } from "../lease.ts";
import { doneWith, isClosed } from "../pick.ts";
import { isOver, renderRun } from "../run/task-run.ts";
import { completed, forgetSession, set, statusTo } from "./edits.ts";
import { sendEvent } from "./person.ts";
import { askFirst } from "./persons-word.ts";
import { changing, type Done, loadSnapshot, type Snapshot } from "./snapshot.ts";

interface CancelInput {
  readonly id: string;
  readonly reason?: string;
}

export const cancel = changing(loadSnapshot, decideCancel, (_, __, { leases }: Outside, { now }: Context) =>
  heldTasks(leases, now.time),
);

/** Throws `usage` if there is no reason. */
export function checkReason(reason: string | undefined, command: string): string {
  if (reason !== undefined && reason.trim() !== "") return reason.trim();
  throw new PawlError(
    "usage",
    "Expected a reason, found none: people who wait for it must learn why.",
    `Run \`bloom ${command} --reason "…"\`.`,
  );
}

function decideCancel(
  snapshot: Snapshot,
  { id, reason }: CancelInput,
  context: Context,
  held: ReadonlySet<string>,
): Done {
  const { tasks } = snapshot.file;
  const task = taskOf(tasks, id);
  const data = { task: id, from: task.status, status: "cancelled" };
  const why = checkReason(reason, `cancel ${id}`);
  if (isClosed(task)) return { text: `${id} is ${task.status} already.`, data: { ...data, changed: false } };
  const open = eachTask(task.subtasks).flatMap(({ task: sub }) => (isClosed(sub) ? [] : [sub]));
  const question = askFirst(context, {
    question: `Cancel ${id} (${task.title})?`,
    facts: [
      `It is ${task.status}.`,
      ...(open.length > 0 ? [`Cancelled with it: ${open.map((sub) => sub.id).join(", ")}.`] : []),
      ...waitersOf(tasks, [task, ...open]),
      `Why: ${why}`,
    ],
    whole: `bloom show ${id}`,
  });
  if (question) return question;
  const subtasks = open.map((sub) => {
    const done = cancelOne(snapshot, sub, `with ${id}: ${why}`, held, context);
    return { ...done, edits: done.edits?.filter((edit) => edit.id === sub.id) ?? [] };
  });
  const all = [...subtasks, cancelOne(snapshot, task, why, held, context)];
  return {
    text: `${[id, ...open.map((sub) => sub.id)].join(", ")}: cancelled. \`bloom todo ${id}\` brings it back.`,
    data: { ...data, changed: true, reason: why, subtasks: open.map((sub) => sub.id) },
    edits: all.flatMap((each) => each.edits ?? []),
    changes: all.flatMap((each) => each.changes ?? []),
    events: all.flatMap((each) => each.events ?? []),
  };
}

function waitersOf(tasks: readonly Task[], cancelled: readonly Task[]): readonly string[] {
  const ids = new Set(cancelled.map(({ id }) => id));
  const waiting = eachTask(tasks).flatMap(({ task }) =>
    !ids.has(task.id) && !isClosed(task) && task.depends_on.some((each) => ids.has(each)) ? [task.id] : [],
  );
  return waiting.length === 0
    ? []
    : [`These tasks depend on it and now wait for you: ${waiting.join(", ")}.`];
}

/**
 * Cancels one task. If a worker holds it, the worker ends the run itself; the mark shows that a person, not
 * the agent, wrote the status.
 */
function cancelOne(
  snapshot: Snapshot,
  task: Task,
  reason: string,
  held: ReadonlySet<string>,
  context: Context,
): Done {
  const run = snapshot.runs.get(task.id);
  const why = set(task, "cancel_reason", reason);
  if (run && !isOver(run) && run.underway.length === 0 && !held.has(task.id)) {
    const sent = sendEvent(snapshot, task, run, { event: "cancelled", reason }, context);
    return { ...sent, edits: [why, ...(sent.edits ?? [])] };
  }
  const parents = doneWith(snapshot.file.tasks, task.id, snapshot.states);
  return {
    text: "",
    edits: [
      ...forgetSession(task),
      why,
      ...statusTo(task, "cancelled"),
      ...parents.flatMap((parent) => completed(parent, context.now.time)),
    ],
    changes:
      run && !isOver(run)
        ? [{ type: "write", path: loopRunPath(task.id), text: renderRun({ ...run, cancelled: true }) }]
        : [],
    events: [{ type: "task:cancelled", taskId: task.id, reason }],
  };
}
