/**
 * An agent's prompts. Every prompt ends with the exact command that marks the work done. It contains no path:
 * the agent works in its folder, and finds tasks.yaml through its environment.
 */
import { criterionWords } from "../../core/criterion.ts";
import { getCurrentStepForTask, getNextPendingStep } from "../../tasks-file/steps.ts";
import { branchOf, findTask, type Step, type Task } from "../../tasks-file/task.ts";

export interface GitInfo {
  readonly branch: string;
  readonly baseBranch?: string | undefined;
  readonly mergeInto?: string | undefined;
  readonly opensPullRequest?: boolean | undefined;
}

export interface StepInfo {
  readonly stepId: string;
  /** From 0. */
  readonly stepIndex: number;
  readonly totalSteps: number;
  readonly instruction: string;
  readonly acceptanceCriteria: readonly string[];
  readonly isFirstStep: boolean;
  readonly previousSteps: readonly { readonly id: string; readonly instruction: string }[];
}

export interface TaskGetResult {
  readonly taskId: string;
  readonly title: string;
  readonly gitInfo: GitInfo | null;
  readonly prompt: string;
  /** Present if the task has a step that is not done. */
  readonly stepInfo?: StepInfo;
  readonly hasMoreSteps?: boolean;
}

/**
 * The task as an agent gets it: its prompt, and its current step if it has steps. Null if no task has the id.
 */
export function getTaskForAgent(
  tasks: readonly Task[],
  taskId: string,
  taskCli = "bloom",
  fresh?: boolean,
): TaskGetResult | null {
  const task = findTask(tasks, taskId);
  if (!task) return null;
  const gitInfo = gitInfoOf(task);
  const base = { taskId, title: task.title, gitInfo };
  const step = getCurrentStepForTask(task);
  if (!step) return { ...base, prompt: buildTaskPrompt(task, gitInfo, taskCli) };
  return {
    ...base,
    prompt: buildStepPrompt(task, step, gitInfo, taskCli, fresh),
    stepInfo: stepInfoOf(task, step),
    hasMoreSteps: getNextPendingStep(task) !== null,
  };
}

export function gitInfoOf(task: Task): GitInfo | null {
  if (task.repo === undefined) return null;
  return {
    branch: branchOf(task),
    baseBranch: task.base_branch,
    mergeInto: task.merge_into,
    opensPullRequest: task.open_pr,
  };
}

export function stepInfoOf(task: Task, step: Step): StepInfo {
  const stepIndex = task.steps.findIndex(({ id }) => id === step.id);
  return {
    stepId: step.id,
    stepIndex,
    totalSteps: task.steps.length,
    instruction: step.instruction,
    acceptanceCriteria: (step.acceptance_criteria.length > 0 ? step : task).acceptance_criteria.map(
      criterionWords,
    ),
    isFirstStep: stepIndex === 0,
    previousSteps: task.steps
      .slice(0, stepIndex)
      .filter(({ status }) => status !== "cancelled")
      .map(({ id, instruction }) => ({ id, instruction })),
  };
}

/**
 * A step's prompt. A fresh session (by default, at the first step) gets the whole task; a resumed one only
 * the instruction. Both get the list of the earlier steps.
 */
export function buildStepPrompt(
  task: Task,
  step: Step,
  gitInfo: GitInfo | null,
  taskCli: string,
  fresh: boolean = task.steps[0]?.id === step.id,
): string {
  const info = stepInfoOf(task, step);
  const last = task.steps.slice(info.stepIndex + 1).every(({ status }) => status === "cancelled");
  const hasCriteria = step.acceptance_criteria.length > 0;
  return paragraphs(
    ...(fresh ? context(task, gitInfo, hasCriteria) : [continuation(task)]),
    doneSteps(info.previousSteps),
    `## Step ${info.stepIndex + 1} of ${info.totalSteps}: ${step.id}`,
    step.instruction,
    section("Acceptance criteria", info.acceptanceCriteria.map(bullet)),
    fresh ? askInstruction(task, taskCli) : "",
    last
      ? `This is the last step: the task completes with it. When it is done, run this command and end your turn:`
      : `Do this step only. When it is done, run this command and end your turn; the next step follows:`,
    `${taskCli} step done ${step.id}`,
  );
}

/** The prompt of a task without steps: its instructions are the single step. */
export function buildTaskPrompt(task: Task, gitInfo: GitInfo | null, taskCli: string, fresh = true): string {
  return paragraphs(
    ...(fresh ? context(task, gitInfo, false) : [continuation(task)]),
    fresh ? section("Acceptance criteria", criteriaOf(task)) : "",
    fresh ? askInstruction(task, taskCli) : "",
    "When the task is done, run this command and end your turn:",
    `${taskCli} done ${task.id}`,
  );
}

/**
 * The prompt of a purpose other than a step: repair, commit, conflict. A fresh session gets the whole task
 * first.
 */
export function buildPurposePrompt(
  task: Task,
  gitInfo: GitInfo | null,
  purpose: string,
  fresh: boolean,
): string {
  const done = task.steps.filter((step) => step.status === "done");
  return paragraphs(
    ...(fresh ? [...context(task, gitInfo, true), doneSteps(done)] : [continuation(task)]),
    purpose,
    "When that is done, end your turn.",
  );
}

/** What an agent of the task's life knows of the task, before its own prompt. */
export function orderContext(task: Task): string {
  const base = task.merge_into ?? task.base_branch;
  const where =
    task.repo === undefined
      ? ""
      : `The task's work is in this folder, on the branch \`${branchOf(task)}\`${base === undefined ? "" : `; \`git diff ${base}...HEAD\` shows all of it`}.`;
  return paragraphs(
    `# Task ${task.id}: ${task.title}`,
    (task.instructions ?? "").trim(),
    section(
      "Its steps",
      task.steps
        .filter(({ status }) => status !== "cancelled")
        .map(({ id, instruction }) => `- ${id}: ${firstLine(instruction)}`),
    ),
    section("It is accepted when", criteriaOf(task)),
    section("Notes so far", task.ai_notes.map(bullet)),
    where,
  );
}

function continuation(task: Task): string {
  return `Continue task ${task.id}: ${task.title}`;
}

function doneSteps(steps: readonly { readonly id: string; readonly instruction: string }[]): string {
  return section(
    "Steps before this one, all done",
    steps.map(({ id, instruction }) => `- ${id}: ${firstLine(instruction)}`),
  );
}

function context(task: Task, gitInfo: GitInfo | null, withCriteria: boolean): readonly string[] {
  return [
    `# Task ${task.id}: ${task.title}`,
    (task.instructions ?? "").trim(),
    withCriteria ? section("The whole task is accepted when", criteriaOf(task)) : "",
    section("Notes so far", task.ai_notes.map(bullet)),
    gitInfo ? gitRules(gitInfo) : "",
  ];
}

function gitRules(git: GitInfo): string {
  const base = git.baseBranch === undefined ? "" : `, which began at \`${git.baseBranch}\``;
  const next = git.opensPullRequest
    ? "The branch is pushed and its pull request opened for you"
    : git.mergeInto === undefined
      ? "What follows with the branch is done for you"
      : `The branch is merged into \`${git.mergeInto}\` for you`;
  return [
    "## Git",
    "",
    `You work in a workspace of your own, on the branch \`${git.branch}\`${base}. Commit all your work there, in commits that say what and why.`,
    `${next} once everything is done and checked: do not push, merge or switch branches, and change nothing outside this folder.`,
  ].join("\n");
}

function askInstruction(task: Task, taskCli: string): string {
  return `If only a person can decide something, ask with \`${taskCli} ask ${task.id} "your question" --blocking\` and end your turn; you are resumed with the answer. What later steps should know, leave with \`${taskCli} note ${task.id} "your note"\`.`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`## ${title}`, "", ...lines].join("\n");
}

function criteriaOf({ acceptance_criteria }: Task): readonly string[] {
  return acceptance_criteria.map(criterionWords).map(bullet);
}

function bullet(text: string): string {
  return `- ${text.trim().replaceAll("\n", "\n  ")}`;
}

function firstLine(text: string): string {
  const [first = "", ...more] = text.trim().split("\n");
  return more.length > 0 || first.length > 200 ? `${first.slice(0, 200)} …` : first;
}

function paragraphs(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
