import { loadTasks, stepOf, taskOf } from "../../../tasks-file/load.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { stepInfoOf } from "../prompt.ts";
import { completed, durationOf, workStarts } from "./edits.ts";
import { changing, looking } from "./snapshot.ts";

interface StepInput {
  readonly id: string;
}

/** `step done ID`: on a done step it changes nothing. */
export const stepDone = changing(loadTasks, ({ file }, { id }: StepInput, { now }) => {
  const { task, step } = stepOf(file.tasks, id);
  const data = { task: task.id, step: id, status: "done" };
  if (step.status === "done") return { text: `${id} is done already.`, data: { ...data, changed: false } };
  const open = task.steps.filter((each) => each.id !== id && each.status !== "done");
  const next =
    open.length === 0
      ? "It was the last step."
      : `Still open in ${task.id}: ${open.map((each) => each.id).join(", ")}.`;
  return {
    text: `${id} is done. ${next}`,
    data: { ...data, changed: true, open: open.map((each) => each.id) },
    edits: completed(step, now.time),
    happened: [{ type: "step:completed", taskId: task.id, stepId: id, duration: durationOf(step, now.time) }],
  };
});

/** `step start ID` */
export const stepStart = changing(loadTasks, ({ file }, { id }: StepInput, { now }) => {
  const { task, step, stepIndex } = stepOf(file.tasks, id);
  const data = { task: task.id, step: id, status: "in_progress" };
  if (step.status === "in_progress") return { text: `${id} is in progress already.`, data };
  if (step.status === "done")
    return {
      text: `${id} is done; a done step is not begun again.`,
      data: { ...data, status: "done" },
      refused: true,
    };
  return {
    text: `${id} is in progress.`,
    data,
    edits: [...workStarts(step, now.time), ...workStarts(task, now.time)],
    happened: [
      { type: "step:started", taskId: task.id, stepId: id, stepIndex, totalSteps: task.steps.length },
    ],
  };
});

/** `step show ID` */
export const stepShow = looking(loadTasks, ({ file }, { id }: StepInput) => {
  const { task, step } = stepOf(file.tasks, id);
  const info = stepInfoOf(task, step);
  const lines = [
    `${step.id}  ${step.status}  (step ${info.stepIndex + 1} of ${info.totalSteps} of ${task.id}: ${task.title})`,
    "",
    step.instruction.trim(),
    ...(info.acceptanceCriteria.length > 0
      ? ["", "Accepted when:", ...info.acceptanceCriteria.map((each) => `- ${each}`)]
      : []),
  ];
  return { text: lines.join("\n"), data: { task: task.id, step, stepInfo: info } };
});

/** `step list [TASK]` */
export const stepList = looking(loadTasks, ({ file }, { task: id }: { readonly task?: string }) => {
  const tasks: readonly Task[] =
    id === undefined ? eachTask(file.tasks).map(({ task }) => task) : [taskOf(file.tasks, id)];
  const rows = tasks.flatMap((task) => task.steps.map((step) => ({ task: task.id, ...step })));
  const text = rows
    .map((row) => `${row.status.padEnd(11)}  ${row.id}  ${row.instruction.trim().split("\n")[0]}`)
    .join("\n");
  return { text: text === "" ? "No steps." : text, data: { steps: rows } };
});
