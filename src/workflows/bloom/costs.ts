/** The costs of the task's agent runs, by step or by purpose. */
import type { AgentUsage } from "../../core/ports/agents.ts";
import type { ReviewCost } from "../../runtime/review/model.ts";
import type { Task } from "../../tasks-file/task.ts";
import { rounded } from "./budget.ts";
import type { Purpose, RunCost, TaskRun } from "./run/task-run.ts";

export interface EndedRun {
  readonly purpose: Purpose;
  readonly step: string | null;
  readonly usage: AgentUsage | null;
  readonly milliseconds: number;
}

/** The costs with one more run added. */
export function withCost(
  { costs }: Pick<TaskRun, "costs">,
  task: Pick<Task, "steps">,
  { milliseconds, purpose, step: on, usage }: EndedRun,
): readonly RunCost[] {
  // A repair counts toward the step that was verified.
  const step =
    purpose === "repair" ? (task.steps.findLast(({ status }) => status === "done")?.id ?? null) : on;
  const isSame = (each: RunCost) => each.step === step && (step !== null || each.purpose === purpose);
  const known = costs.find(isSame);
  const cost: RunCost = {
    ...{ step, purpose: known?.purpose ?? purpose, runs: (known?.runs ?? 0) + 1 },
    usd: sum(known?.usd, usage?.usd),
    tokens: sum(known?.tokens, sum(usage?.inputTokens, usage?.outputTokens)),
    milliseconds: (known?.milliseconds ?? 0) + milliseconds,
  };
  return [...costs.filter((each) => each !== known), cost];
}

/** Null: neither value is known. */
function sum(one: number | null = null, other: number | null = null): number | null {
  return one === null && other === null ? null : rounded((one ?? 0) + (other ?? 0));
}

const MINUTE = 60_000;

/** The total so far, without a breakdown by step. */
export function totalOf({ costs }: Pick<TaskRun, "costs">): Omit<ReviewCost, "steps" | "tries"> {
  const all = costs.reduce((total, { milliseconds }) => total + milliseconds, 0);
  return {
    usd: costs.reduce((total: number | null, { usd }) => sum(total, usd), null),
    tokens: costs.reduce((total: number | null, { tokens }) => sum(total, tokens), null),
    minutes: Math.round(all / MINUTE),
  };
}

/**
 * Costs by step, in the order of the steps, then by purpose. `tries`: how often an agent began to work on the
 * task.
 */
export function costOf(
  run: Pick<TaskRun, "costs">,
  { steps }: Pick<Task, "steps">,
  tries: number | null,
): ReviewCost {
  const { costs } = run;
  const ofSteps = steps.map(({ completed_at, id, started_at }) => {
    const cost = costs.find(({ step }) => step === id);
    const minutes = minutesBetween(started_at, completed_at);
    return cost ? lineOf(id, cost) : { name: id, usd: null, tokens: null, tries: null, minutes };
  });
  const others = costs
    .filter(({ step }) => step === null || !steps.some(({ id }) => id === step))
    .map((cost) => lineOf(cost.step ?? PURPOSES[cost.purpose], cost));
  const lines = [...ofSteps, ...others];
  const isAll = steps.length === 0 && lines.length === 1;
  return { ...totalOf(run), tries, steps: isAll ? [] : lines };
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  step: "its work",
  mark: "its work",
  repair: "to fix what was verified",
  commit: "to commit its work",
  resolve: "to resolve conflicts",
  "repair-merge": "to fix the merged result",
  "pull-request": "for what came back on its pull request",
  nothing: "to say why it has nothing to commit",
};

function lineOf(name: string, { milliseconds, runs, tokens, usd }: RunCost): ReviewCost["steps"][number] {
  return { name, usd, tokens, minutes: Math.round(milliseconds / MINUTE), tries: runs };
}

function minutesBetween(from: string | undefined, to: string | undefined): number | null {
  const minutes = (Date.parse(to ?? "") - Date.parse(from ?? "")) / MINUTE;
  return Number.isNaN(minutes) ? null : Math.max(0, Math.round(minutes));
}
