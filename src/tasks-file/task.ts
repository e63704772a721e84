/**
 * The words of tasks.yaml. Unknown keys are a person's own: they are kept in the file and never looked at.
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
  /** The group of workers that takes it. */
  readonly agent_name?: string | undefined;
  /** The provider: `claude`, `codex`, `scripted`, … */
  readonly agent?: string | undefined;
  readonly instructions?: string | undefined;
  readonly acceptance_criteria: readonly string[];
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
  /** Why it is cancelled. */
  readonly cancel_reason?: string | undefined;
}

export interface Step {
  readonly id: string;
  readonly instruction: string;
  readonly status: StepStatus;
  readonly acceptance_criteria: readonly string[];
  readonly verify?: readonly string[] | undefined;
  readonly started_at?: string | undefined;
  readonly completed_at?: string | undefined;
  readonly cancel_reason?: string | undefined;
}

export interface Budget {
  readonly usd?: number | undefined;
  readonly turns?: number | undefined;
  readonly minutes?: number | undefined;
}

export interface PlacedTask {
  readonly task: Task;
  readonly parent: Task | null;
}

/** What is known of a list of tasks, which is never changed. */
interface Known {
  readonly placed: readonly PlacedTask[];
  /** Where each id stands among them; made when it is asked for. Lists with the same ids in the same places share it. */
  readonly places: { byId: ReadonlyMap<string, number> | null };
  /** Made when it is asked for. */
  open: Open | null;
}

interface Open {
  /** Where those stand that are neither done nor cancelled, in order. */
  readonly places: readonly number[];
  /** How many are cancelled. */
  readonly cancelled: number;
}

const known = new WeakMap<readonly Task[], Known>();

/** Every task with its parent (null at the top), parents before their subtasks. */
export function eachTask(tasks: readonly Task[]): readonly PlacedTask[] {
  return knownOf(tasks).placed;
}

function knownOf(tasks: readonly Task[]): Known {
  const before = known.get(tasks);
  if (before) return before;
  const placed: PlacedTask[] = [];
  walk(tasks, null, placed);
  const found: Known = { placed, places: { byId: null }, open: null };
  known.set(tasks, found);
  return found;
}

function walk(tasks: readonly Task[], parent: Task | null, found: PlacedTask[]): void {
  for (const task of tasks) {
    found.push({ task, parent });
    walk(task.subtasks, task, found);
  }
}

function placesOf({ placed, places }: Known): ReadonlyMap<string, number> {
  places.byId ??= new Map(placed.map(({ task }, at) => [task.id, at] as const));
  return places.byId;
}

/** The task of that id, with its parent. */
export function placedTask(tasks: readonly Task[], id: string): PlacedTask | undefined {
  const all = knownOf(tasks);
  const at = placesOf(all).get(id);
  return at === undefined ? undefined : all.placed[at];
}

/** Those of these ids that there are, each once, in the order of the file. It costs what these cost, not what all do. */
export function placedTasks(tasks: readonly Task[], ids: Iterable<string>): readonly PlacedTask[] {
  const wanted = [...ids];
  if (wanted.length === 0) return [];
  const all = knownOf(tasks);
  const places = placesOf(all);
  const found = new Set(wanted.flatMap((id) => places.get(id) ?? []));
  return [...found].sort((a, b) => a - b).map((at) => all.placed[at] as PlacedTask);
}

/** The tasks that are neither done nor cancelled, in the order of the file. It costs what these cost, not what all do. */
export function openTasks(tasks: readonly Task[]): readonly PlacedTask[] {
  const all = knownOf(tasks);
  return openOf(all).places.map((at) => all.placed[at] as PlacedTask);
}

/** How many of all are cancelled. */
export function countCancelled(tasks: readonly Task[]): number {
  return openOf(knownOf(tasks)).cancelled;
}

function openOf(all: Known): Open {
  all.open ??= {
    places: all.placed.flatMap(({ task }, at) => (isOpenStatus(task.status) ? [at] : [])),
    cancelled: all.placed.filter(({ task }) => task.status === "cancelled").length,
  };
  return all.open;
}

/** The same once another task is at that place. */
function openAfter(open: Open, at: number, before: Task, task: Task): Open {
  const { places } = open;
  const changed = Number(task.status === "cancelled") - Number(before.status === "cancelled");
  const cancelled = open.cancelled + changed;
  const isOpen = isOpenStatus(task.status);
  if (isOpen === isOpenStatus(before.status)) return { places, cancelled };
  if (!isOpen) return { places: places.filter((place) => place !== at), cancelled };
  const behind = places.findIndex((place) => place > at);
  return { places: places.toSpliced(behind === -1 ? places.length : behind, 0, at), cancelled };
}

/** Where more tasks change at once, all are looked at again when they are asked for. */
const FEW = 20;

/** The list with other tasks at these places of it, whose ids stay. What is known of the list goes over to it. */
export function withTasks(tasks: readonly Task[], changed: ReadonlyMap<number, Task>): readonly Task[] {
  const fresh = [...tasks];
  for (const [at, task] of changed) fresh[at] = task;
  const before = known.get(tasks);
  const isFlat = (task: Task | undefined) => task?.subtasks.length === 0;
  const isAlike = [...changed].every(([at, task]) => isFlat(task) && task.id === tasks[at]?.id);
  // Without subtasks, each task stands among all where it stands in the list.
  if (before === undefined || before.placed.length !== tasks.length || !isAlike) return fresh;
  const placed = [...before.placed];
  let open = changed.size > FEW ? null : before.open;
  for (const [at, task] of changed) {
    open &&= openAfter(open, at, tasks[at] as Task, task);
    placed[at] = { task, parent: null };
  }
  known.set(fresh, { placed, places: before.places, open });
  return fresh;
}

export function findTask(tasks: readonly Task[], id: string): Task | null {
  if (known.get(tasks)?.places.byId) return placedTask(tasks, id)?.task ?? null;
  for (const task of tasks) {
    const found = task.id === id ? task : findTask(task.subtasks, id);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Work of its own for an agent. A title alone is an instruction, but not a parent's (its subtasks are the work) nor a
 * checkpoint's (it is a gate).
 */
export function hasOwnWork(task: Task): boolean {
  if (task.steps.length > 0 || (task.instructions ?? "").trim() !== "") return true;
  return task.subtasks.length === 0 && task.checkpoint !== true;
}

/** Of a task or a step: it is neither done nor cancelled. */
export function isOpenStatus(status: string): boolean {
  return status !== "done" && status !== "cancelled";
}

export function isOpenStep({ status }: Pick<Step, "status">): boolean {
  return isOpenStatus(status);
}

/** The branch that the task's work is committed on, where it has a repository. */
export function branchOf(task: Task): string {
  return task.branch ?? `bloom/${task.id}`;
}
