/** How work on a task counts against the caps of pawl.yaml, across all machines. */
import type { Cap, Wanted } from "../../core/ports/leases.ts";
import type { BloomSettings } from "../../core/settings.ts";
import { budgetOf, rounded } from "../../scheduler/budget.ts";
import type { Task } from "../../tasks-file/task.ts";
import { repoOf } from "./execution-context.ts";
import { agentAtWork } from "./run/life.ts";
import type { TaskRun } from "./run/task-run.ts";

export function wantedFor(
  task: Task,
  run: Pick<TaskRun, "life" | "order" | "spent" | "standIn"> | undefined,
  settings: Pick<BloomSettings, "agent" | "budget" | "caps">,
): Wanted {
  const { usd } = budgetOf(task, settings);
  const repository = repoOf(task);
  const agent = agentAtWork(task, run, settings);
  const { agents, repositories, usd_per_day = null } = settings.caps;
  return {
    repository,
    agent,
    usd: usd === undefined ? null : Math.max(0, rounded(usd - (run?.spent.usd ?? 0))),
    caps: { repository: capFor(repositories, repository), agent: capFor(agents, agent), usd: usd_per_day },
  };
}

function capFor(caps: Readonly<Record<string, number>>, name: string | null): number | null {
  return name !== null && Object.hasOwn(caps, name) ? (caps[name] ?? null) : null;
}

export function hasCaps({ agents, repositories, usd_per_day }: BloomSettings["caps"]): boolean {
  return usd_per_day !== undefined || [agents, repositories].some((caps) => Object.keys(caps).length > 0);
}

/** Why tasks wait, for display; null: not worth a message. */
export function wordsOfCap(cap: Cap, { agent, caps, repository }: Wanted): string | null {
  switch (cap) {
    case "repository":
      return `${counted(caps.repository)} at work in ${repository}, the most that \`bloom.caps.repositories\` allows`;
    case "agent":
      return `${counted(caps.agent)} at work with ${agent}, the most that \`bloom.caps.agents\` allows`;
    case "usd":
      return `the day's ${caps.usd} USD (\`bloom.caps.usd_per_day\`, in UTC) are spent, or held for tasks at work`;
    case "draining":
      return null;
  }
}

function counted(most: number | null): string {
  return most === 1 ? "1 task is" : `${most} tasks are`;
}
