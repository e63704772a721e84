/** The costs of the task's agent runs, by step or by purpose. */
import type { ReviewCost } from "../../runtime/review/model.ts";
import { type RunUsage, totalOf, withRun } from "../../scheduler/costs.ts";
import type { Task } from "../../tasks-file/task.ts";
import type { Purpose, RunCost, TaskRun } from "./run/task-run.ts";

export interface EndedRun extends RunUsage {
  readonly purpose: Purpose;
  readonly step: string | null;
}

/** The costs with one more run added. */
export function withCost(
  { costs }: Pick<TaskRun, "costs">,
  task: Pick<Task, "steps">,
  { purpose, step: on, ...ended }: EndedRun,
): readonly RunCost[] {
  // A repair counts toward the step that was verified.
  const step =
    purpose === "repair" ? (task.steps.findLast(({ status }) => status === "done")?.id ?? null) : on;
  const isSame = (each: RunCost) => each.step === step && (step !== null || each.purpose === purpose);
  const existing = costs.find(isSame);
  const cost: RunCost = { step, purpose: existing?.purpose ?? purpose, ...withRun(existing, ended) };
  return [...costs.filter((each) => each !== existing), cost];
}

const MINUTE = 60_000;

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
  return { ...totalOf(costs), tries, steps: isAll ? [] : lines };
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
  rework: "for what a person asked for",
  order: "for what its life asked",
};

function lineOf(name: string, { milliseconds, runs, tokens, usd }: RunCost): ReviewCost["steps"][number] {
  return { name, usd, tokens, minutes: Math.round(milliseconds / MINUTE), tries: runs };
}

function minutesBetween(from: string | undefined, to: string | undefined): number | null {
  const minutes = (Date.parse(to ?? "") - Date.parse(from ?? "")) / MINUTE;
  return Number.isNaN(minutes) ? null : Math.max(0, Math.round(minutes));
}
