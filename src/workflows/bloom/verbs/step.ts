import { loadTasks, stepOf, taskOf } from "../../../tasks-file/load.ts";
import { eachTask, isOpenStep, type Step, type Task } from "../../../tasks-file/task.ts";
import { stepInfoOf } from "../prompt.ts";
import { runChanges } from "../run/run-changes.ts";
import { isOver } from "../run/task-run.ts";
import { checkReason } from "./cancel.ts";
import { completed, durationOf, set, workStarts } from "./edits.ts";
import { askFirst } from "./persons-word.ts";
import { changing, type Done, loadSnapshot, readOnly, type Snapshot } from "./snapshot.ts";

interface StepInput {
  readonly id: string;
}

/** `step done ID`: changes nothing on a done step. */
export const stepDone = changing(loadTasks, ({ file }, { id }: StepInput, { now }) => {
  const { task, step } = stepOf(file.tasks, id);
  const data = { task: task.id, step: id, status: "done" };
  if (step.status === "done") return { text: `${id} is done already.`, data: { ...data, changed: false } };
  const over = cancelledStep(step, task);
  if (over) return over;
  const open = task.steps.filter((each) => each.id !== id && isOpenStep(each));
  const next =
    open.length === 0
      ? "It was the last step."
      : `Still open in ${task.id}: ${open.map((each) => each.id).join(", ")}.`;
  return {
    text: `${id} is done. ${next}`,
    data: { ...data, changed: true, open: open.map((each) => each.id) },
    edits: completed(step, now.time),
    events: [{ type: "step:completed", taskId: task.id, stepId: id, duration: durationOf(step, now.time) }],
  };
});

function cancelledStep({ id, status }: Step, task: Task): Done | null {
  if (status !== "cancelled") return null;
  return {
    text: `${id} is cancelled. To bring it back, a person writes \`status: pending\` into tasks.yaml.`,
    data: { task: task.id, step: id, status },
    refused: true,
  };
}

/** `step cancel ID --reason "…"`: only for a person. */
export const stepCancel = changing(
  loadSnapshot,
  (snapshot: Snapshot, { id, reason }: StepInput & { readonly reason?: string }, context): Done => {
    const { task, step } = stepOf(snapshot.file.tasks, id);
    const data = { task: task.id, step: id, status: "cancelled", reason };
    const why = checkReason(reason, `step cancel ${id}`);
    if (step.status === "cancelled")
      return { text: `${id} is cancelled already.`, data: { ...data, changed: false } };
    const question = askFirst(context, {
      question: `Cancel the step ${id} of ${task.id} (${task.title})?`,
      facts: [`It is ${step.status}.`, `Why: ${why}`],
      whole: `bloom step show ${id}`,
    });
    if (question) return question;
    const run = snapshot.runs.get(task.id);
    const checked = run && !isOver(run) ? { ...run, checked: [...run.checked, id] } : null;
    const open = task.steps.filter((each) => each.id !== id && isOpenStep(each)).map((each) => each.id);
    return {
      text: `${id} is cancelled. ${open.length === 0 ? "No other step is open." : `Still open in ${task.id}: ${open.join(", ")}.`}`,
      data: { ...data, changed: true, open },
      edits: [set(step, "cancel_reason", why), set(step, "status", "cancelled")],
      changes: checked ? runChanges(checked, snapshot, []) : [],
      events: [{ type: "step:cancelled", taskId: task.id, stepId: id, reason: why }],
    };
  },
);

/** `step start ID` */
export const stepStart = changing(loadTasks, ({ file }, { id }: StepInput, { now }) => {
  const { task, step, stepIndex } = stepOf(file.tasks, id);
  const data = { task: task.id, step: id, status: "in_progress" };
  if (step.status === "in_progress") return { text: `${id} is in progress already.`, data };
  const over = cancelledStep(step, task);
  if (over) return over;
  if (step.status === "done")
    return {
      text: `${id} is done; a done step cannot start again.`,
      data: { ...data, status: "done" },
      refused: true,
    };
  return {
    text: `${id} is in progress.`,
    data,
    edits: [...workStarts(step, now.time), ...workStarts(task, now.time)],
    events: [{ type: "step:started", taskId: task.id, stepId: id, stepIndex, totalSteps: task.steps.length }],
  };
});

/** `step show ID` */
export const stepShow = readOnly(loadTasks, ({ file }, { id }: StepInput) => {
  const { task, step } = stepOf(file.tasks, id);
  const info = stepInfoOf(task, step);
  const lines = [
    `${step.id}  ${step.status}  (step ${info.stepIndex + 1} of ${info.totalSteps} of ${task.id}: ${task.title})`,
    "",
    step.instruction.trim(),
    ...(info.acceptanceCriteria.length > 0
      ? ["", "Accepted when:", ...info.acceptanceCriteria.map((each) => `- ${each.replaceAll("\n", "\n  ")}`)]
      : []),
  ];
  return { text: lines.join("\n"), data: { task: task.id, step, stepInfo: info } };
});

/** `step list [TASK]` */
export const stepList = readOnly(loadTasks, ({ file }, { task: id }: { readonly task?: string }) => {
  const tasks: readonly Task[] =
    id === undefined ? eachTask(file.tasks).map(({ task }) => task) : [taskOf(file.tasks, id)];
  const rows = tasks.flatMap((task) => task.steps.map((step) => ({ task: task.id, ...step })));
  const text = rows
    .map((row) => `${row.status.padEnd(11)}  ${row.id}  ${row.instruction.trim().split("\n")[0]}`)
    .join("\n");
  return { text: text === "" ? "No steps." : text, data: { steps: rows } };
});
