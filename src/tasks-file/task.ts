import type { Criterion } from "../core/criterion.ts";
import type { Budget } from "../scheduler/budget.ts";

/**
 * The vocabulary of tasks.yaml. Unknown keys are a person's own: they are kept in the file and never read.
 */
export const TASK_STATUSES = [
  "todo",
  "ready_for_agent",
  "assigned",
  "in_progress",
  "done_pending_merge",
  "done",
  "blocked",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const STEP_STATUSES = ["pending", "in_progress", "done", "cancelled"] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export interface TasksFile {
  readonly git: GitSettings;
  readonly tasks: readonly Task[];
}

export interface GitSettings {
  readonly push_to_remote: boolean;
  readonly auto_cleanup_merged: boolean;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly phase?: number | undefined;
  readonly depends_on: readonly string[];
  /** A repository's name, or a path inside the project; `.` is the project's own. */
  readonly repo?: string | undefined;
  readonly branch?: string | undefined;
  readonly base_branch?: string | undefined;
  readonly merge_into?: string | undefined;
  readonly open_pr?: boolean | undefined;
  /** The group of workers for it. */
  readonly agent_name?: string | undefined;
  /** The provider: `claude`, `codex`, `scripted`, … */
  readonly agent?: string | undefined;
  /** The workflow that extends Bloom's table for it; `bloom`: none, whatever pawl.yaml says. */
  readonly life?: string | undefined;
  readonly instructions?: string | undefined;
  readonly acceptance_criteria: readonly Criterion[];
  readonly verify?: readonly string[] | undefined;
  readonly steps: readonly Step[];
  readonly subtasks: readonly Task[];
  readonly checkpoint?: boolean | undefined;
  readonly ai_notes: readonly string[];
  readonly budget?: Budget | undefined;
  readonly session_id?: string | undefined;
  readonly session_provider?: string | undefined;
  readonly started_at?: string | undefined;
  readonly completed_at?: string | undefined;
  /** The reason of its cancellation. */
  readonly cancel_reason?: string | undefined;
}

export interface Step {
  readonly id: string;
  readonly instruction: string;
  readonly status: StepStatus;
  readonly acceptance_criteria: readonly Criterion[];
  readonly verify?: readonly string[] | undefined;
  readonly started_at?: string | undefined;
  readonly completed_at?: string | undefined;
  readonly cancel_reason?: string | undefined;
}

export interface PlacedTask {
  readonly task: Task;
  readonly parent: Task | null;
}

/** Data derived from a list of tasks, which never changes. */
interface ListIndex {
  readonly placed: readonly PlacedTask[];
  readonly byId: ReadonlyMap<string, PlacedTask>;
}

const indexes = new WeakMap<readonly Task[], ListIndex>();

/** Every task with its parent (null at the top), parents before their subtasks. */
export function eachTask(tasks: readonly Task[]): readonly PlacedTask[] {
  return indexOf(tasks).placed;
}

function indexOf(tasks: readonly Task[]): ListIndex {
  const cached = indexes.get(tasks);
  if (cached) return cached;
  const placed: PlacedTask[] = [];
  walk(tasks, null, placed);
  const index = { placed, byId: new Map(placed.map((each) => [each.task.id, each] as const)) };
  indexes.set(tasks, index);
  return index;
}

function walk(tasks: readonly Task[], parent: Task | null, placed: PlacedTask[]): void {
  for (const task of tasks) {
    placed.push({ task, parent });
    walk(task.subtasks, task, placed);
  }
}

/** The ids of all tasks and steps, which share one set. */
export function idsIn(tasks: readonly Task[]): Set<string> {
  return new Set(eachTask(tasks).flatMap(({ task }) => [task.id, ...task.steps.map(({ id }) => id)]));
}

/** The task of that id, with its parent. */
export function placedTask(tasks: readonly Task[], id: string): PlacedTask | undefined {
  return indexOf(tasks).byId.get(id);
}

/** The existing tasks with these ids, each once, in the order of the file. */
export function placedTasks(tasks: readonly Task[], ids: Iterable<string>): readonly PlacedTask[] {
  const wanted = new Set(ids);
  return wanted.size === 0 ? [] : eachTask(tasks).filter(({ task }) => wanted.has(task.id));
}

export function findTask(tasks: readonly Task[], id: string): Task | null {
  return placedTask(tasks, id)?.task ?? null;
}

/**
 * Whether it has work of its own for an agent. A title alone is an instruction, but not a parent's (its
 * subtasks are the work) nor a checkpoint's (it is a gate).
 */
export function hasOwnWork(task: Task): boolean {
  if (task.steps.length > 0 || (task.instructions ?? "").trim() !== "") return true;
  return task.subtasks.length === 0 && task.checkpoint !== true;
}

/** Whether the status of a task or a step is neither done nor cancelled. */
export function isOpenStatus(status: string): boolean {
  return status !== "done" && status !== "cancelled";
}

export function isOpenStep({ status }: Pick<Step, "status">): boolean {
  return isOpenStatus(status);
}

/** The criteria of the whole task: its own, then those of its steps, but for cancelled ones. */
export function criteriaOf({ acceptance_criteria, steps }: Task): readonly Criterion[] {
  const left = steps.filter(({ status }) => status !== "cancelled");
  return [...acceptance_criteria, ...left.flatMap((step) => step.acceptance_criteria)];
}

/** The branch for the task's commits, if it has a repository. */
export function branchOf(task: Task): string {
  return task.branch ?? `bloom/${task.id}`;
}
