/** The project's tasks in the order in which they should be done, with the reasons. */

import type { View } from "../../../core/ports/store.ts";
import { naturalOrder } from "../../../core/text/natural-order.ts";
import { loadTaskIds } from "./load.ts";
import { taskPath } from "./paths.ts";
import { loadState } from "./resolve-run.ts";
import { NEXT_TOOL, type RunTool, type TaskStatus } from "./status.ts";
import { PRIORITIES, type Priority, parseTask } from "./task-file.ts";

export interface ListedTask {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: Priority | null;
  readonly dependencies: readonly string[];
  readonly activeTool: RunTool | null;
}

export interface Listing {
  readonly tasks: readonly ListedTask[];
  /** Unreadable tasks, with the reason. */
  readonly problems: readonly { readonly id: string; readonly problem: string }[];
}

/** Lists every task. An unreadable one is reported and does not hide the others. */
export async function loadListing(view: View): Promise<Listing> {
  const tasks: ListedTask[] = [];
  const problems: { id: string; problem: string }[] = [];
  for (const id of await loadTaskIds(view)) {
    try {
      const path = taskPath(id);
      const task = parseTask((await view.read(path)) ?? "", path);
      const state = await loadState(view, id);
      tasks.push({
        id,
        title: task.title,
        status: state.task_status,
        priority: task.priority,
        dependencies: task.dependencies,
        activeTool: state.active_tool_state?.tool_name ?? null,
      });
    } catch (thrown) {
      problems.push({ id, problem: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return { tasks, problems };
}

export interface Ranked {
  readonly task: ListedTask;
  readonly why: string;
}

export interface Ranking {
  /** Best first. */
  readonly ready: readonly Ranked[];
  readonly blocked: readonly { readonly task: ListedTask; readonly waitsFor: readonly string[] }[];
  readonly done: number;
}

/**
 * In progress first, then ready, then by priority, then by number; a task that waits for another is not
 * ready.
 */
export function rank(tasks: readonly ListedTask[]): Ranking {
  const done = new Set(tasks.filter(({ status }) => status === "done").map(({ id }) => id));
  const open = tasks.filter(({ status }) => status !== "done");
  const waits = (task: ListedTask) => task.dependencies.filter((id) => !done.has(id));
  const isBlocked = (task: ListedTask) => waits(task).length > 0 && stageOf(task) !== "in progress";
  const ready = open.filter((task) => !isBlocked(task)).sort(byRank);
  return {
    ready: ready.map((task) => ({ task, why: reasonFor(task) })),
    blocked: open.filter(isBlocked).map((task) => ({ task, waitsFor: waits(task) })),
    done: done.size,
  };
}

const STAGES = ["in progress", "ready", "new"] as const;
type Stage = (typeof STAGES)[number];

const READY: readonly TaskStatus[] = [
  "spec_completed",
  "tasks_created",
  "ready_for_development",
  "ready_for_review",
  "ready_for_testing",
  "ready_for_finalization",
];

function stageOf({ activeTool, status }: ListedTask): Stage {
  if (activeTool !== null) return "in progress";
  if (status === "new") return "new";
  return READY.includes(status) ? "ready" : "in progress";
}

function byRank(one: ListedTask, other: ListedTask): number {
  return (
    STAGES.indexOf(stageOf(one)) - STAGES.indexOf(stageOf(other)) ||
    priorityOf(one) - priorityOf(other) ||
    naturalOrder(one.id, other.id)
  );
}

/** A task without a priority counts as medium. */
const priorityOf = ({ priority }: ListedTask): number => PRIORITIES.indexOf(priority ?? "medium");

function reasonFor(task: ListedTask): string {
  const { activeTool, dependencies, priority, status } = task;
  const stage = stageOf(task);
  const begun = activeTool ? `${activeTool} is active on it` : `its status is ${status}`;
  const words = [
    stage === "in progress"
      ? `it is in progress (${begun})`
      : stage === "ready"
        ? `it is ready (${begun})`
        : "it is new",
  ];
  if (priority) words.push(`its priority is ${priority}`);
  if (dependencies.length > 0) words.push(`what it depends on is done (${dependencies.join(", ")})`);
  return words.join(", ");
}

export const toolFor = ({ activeTool, status }: ListedTask): RunTool | null =>
  activeTool ?? NEXT_TOOL[status];
