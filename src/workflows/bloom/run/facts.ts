/** The inputs of a task's table. */
import type { BloomSettings } from "../../../core/settings.ts";
import type { FactValue } from "../../../engine/workflow.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { hasOwnWork, isOpenStep, type Step, type Task, type TasksFile } from "../../../tasks-file/task.ts";
import { nextAgent, type Resting } from "../agent-rest.ts";
import type { TaskEvent } from "./table.ts";
import type { TaskRun, TryKind } from "./task-run.ts";

/** The failure that comes with the event. */
export const TRIED: Readonly<Partial<Record<TaskEvent, TryKind>>> = {
  agent_failed: "agent",
  step_unmarked: "mark",
  verify_failed: "verify",
  uncommitted: "commit",
  nothing_done: "nothing",
  push_failed: "push",
  merge_conflicted: "merge",
  merge_unverified: "merge",
  merge_failed: "merge",
  pr_failed: "pr",
  git_failed: "git",
};

export interface FactContext {
  readonly task: Task;
  readonly file: TasksFile;
  readonly settings: BloomSettings;
  /** The agents whose accounts are limited or refused, as other tasks know. */
  readonly resting: Resting;
}

/** The inputs of a task for an event on its run; the table asks only for some of them. */
export const INPUTS: Readonly<
  Record<string, (around: FactContext, run: TaskRun, event: TaskEvent) => FactValue>
> = {
  open_work: ({ task }, run) => isOpen(task, run),
  tries_left: ({ settings }, run, event) => triesOf(run, event) + 1 < settings.tries,
  commit_tries_left: ({ settings }, run, event) => triesOf(run, event) < settings.tries,
  // This round is counted already.
  rounds_left: ({ settings }, { returned }) => (returned?.rounds ?? 0) <= settings.pr.rounds,
  unmarked: ({ settings }) => settings.on_unmarked_step,
  in_doubt: (_, { idle = false, refused = [] }) => idle || refused.length > 0,
  next_agent: ({ resting, settings, task }, { rest }) =>
    rest ? nextAgent(task, rest.agent, settings, resting) !== null : false,
  repo: ({ task }) => task.repo !== undefined,
  push: ({ file, task }) => task.repo !== undefined && file.git.push_to_remote,
  target: ({ task: { merge_into, open_pr, repo } }) => {
    if (repo === undefined) return "none";
    if (open_pr === true) return "pr";
    return merge_into === undefined ? "none" : "merge";
  },
  checkpoint: ({ task }) => task.checkpoint === true,
};

function triesOf({ tries }: TaskRun, event: TaskEvent): number {
  const kind = TRIED[event];
  return kind === undefined ? 0 : (tries[kind] ?? 0);
}

/** Whether an agent still has work to do: a step is open, or the task without steps was not done. */
export function isOpen(task: Task, run: Pick<TaskRun, "workDone">): boolean {
  if (task.steps.length > 0) return getCurrentStepForTask(task) !== null;
  if (run.workDone || task.status === "done" || task.status === "done_pending_merge") return false;
  return hasOwnWork(task);
}

/**
 * The steps that are closed and not verified: verifying checks these, whoever marked them and whenever. A step that a
 * person cancels by command counts as checked; one that is only written as cancelled meanwhile does not.
 */
export function unverifiedSteps(task: Task, { checked }: Pick<TaskRun, "checked">): readonly Step[] {
  return task.steps.filter((step) => !isOpenStep(step) && !checked.includes(step.id));
}
