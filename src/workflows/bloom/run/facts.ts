/** The inputs of a task's table. */
import type { BloomSettings } from "../../../core/settings.ts";
import type { FactValue } from "../../../engine/workflow.ts";
import { agentOf, nextAgent, type Rests } from "../../../scheduler/agent-rest.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { hasOwnWork, isOpenStep, type Step, type Task, type TasksFile } from "../../../tasks-file/task.ts";
import type { TaskEvent } from "./table.ts";
import type { TaskRun, TryKind } from "./task-run.ts";

/** The counter that a failure event increments. */
const TRIED: Readonly<Partial<Record<TaskEvent, TryKind>>> = {
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

/** While a remote or forge is away, such a failure counts under `remote`: it is nobody's, and it passes by itself. */
const DELIVERIES: ReadonlySet<TaskEvent> = new Set(["push_failed", "merge_failed", "pr_failed"]);
/** About two hours with the default backoff. */
const REMOTE_TRIES = 30;

/** The counter that this failure of the run increments. */
export function tryKindOf(event: TaskEvent, { away = false }: Pick<TaskRun, "away">): TryKind | undefined {
  return away && DELIVERIES.has(event) ? "remote" : TRIED[event];
}

export interface FactContext {
  readonly task: Task;
  readonly file: TasksFile;
  readonly settings: BloomSettings;
  /** The agents whose accounts are limited or refused now. */
  readonly resting: Rests;
}

/**
 * The inputs of a task's table, by name, for an event on its run. Only those that the table needs are
 * computed.
 */
export const INPUTS: Readonly<
  Record<string, (context: FactContext, run: TaskRun, event: TaskEvent) => FactValue>
> = {
  open_work: ({ task }, run) => isOpen(task, run),
  tries_left: ({ settings }, run, event) => triesOf(run, event) + 1 < triesAllowed(run, event, settings),
  commit_tries_left: ({ settings }, run, event) => triesOf(run, event) < settings.tries,
  // `rounds` already includes the present round.
  rounds_left: ({ settings }, { returned }) => (returned?.rounds ?? 0) <= settings.pr.rounds,
  unmarked: ({ settings }) => settings.on_unmarked_step,
  in_doubt: (_, { idle = false, refused = [] }) => idle || refused.length > 0,
  next_agent: ({ resting, settings, task }, run) =>
    nextAgent(task, agentOf(task, run, settings), settings, resting) !== null,
  repo: ({ task }) => task.repo !== undefined,
  push: ({ file, task }) => task.repo !== undefined && file.git.push_to_remote,
  target: ({ task: { merge_into, open_pr, repo } }) => {
    if (repo === undefined) return "none";
    if (open_pr === true) return "pr";
    return merge_into === undefined ? "none" : "merge";
  },
  checkpoint: ({ task }) => task.checkpoint === true,
};

function triesOf(run: TaskRun, event: TaskEvent): number {
  const kind = tryKindOf(event, run);
  return kind === undefined ? 0 : (run.tries[kind] ?? 0);
}

function triesAllowed(run: TaskRun, event: TaskEvent, { tries }: BloomSettings): number {
  return tryKindOf(event, run) === "remote" ? Math.max(tries, REMOTE_TRIES) : tries;
}

/**
 * Whether an agent still has work to do: a step is open, or the task has no steps and its work is not done.
 */
export function isOpen(task: Task, run: Pick<TaskRun, "workDone">): boolean {
  if (task.steps.length > 0) return getCurrentStepForTask(task) !== null;
  if (run.workDone || task.status === "done" || task.status === "done_pending_merge") return false;
  return hasOwnWork(task);
}

/**
 * The closed steps that are not verified yet, regardless of who marked them and when. A step that a person
 * cancelled by command counts as checked; one whose `cancelled` was only written into the file does not.
 */
export function unverifiedSteps(task: Task, { checked }: Pick<TaskRun, "checked">): readonly Step[] {
  return task.steps.filter((step) => !isOpenStep(step) && !checked.includes(step.id));
}
