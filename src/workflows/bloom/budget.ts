import type { BloomSettings } from "../../base/settings.ts";
import type { Budget, Task } from "./task.ts";
import type { TaskRun } from "./task-run.ts";

/** The task's budget, else the project's, limit by limit. */
export function budgetOf(task: Task, settings: Pick<BloomSettings, "budget">): Budget {
  return { ...settings.budget, ...task.budget };
}

/** The first limit that is reached, or null. */
export function overspent(budget: Budget, spent: TaskRun["spent"]): "usd" | "turns" | "minutes" | null {
  if (budget.usd !== undefined && spent.usd >= budget.usd) return "usd";
  if (budget.turns !== undefined && spent.turns >= budget.turns) return "turns";
  if (budget.minutes !== undefined && spent.milliseconds >= budget.minutes * 60_000) return "minutes";
  return null;
}

export function minutesLeft(budget: Budget, spent: TaskRun["spent"]): number {
  return budget.minutes === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, budget.minutes - spent.milliseconds / 60_000);
}
