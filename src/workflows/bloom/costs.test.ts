import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { AgentUsage } from "../../core/ports/agents.ts";
import type { Task } from "../../tasks-file/task.ts";
import { costOf, withCost } from "./costs.ts";
import { newRun, type Purpose, type TaskRun } from "./run/task-run.ts";

const step = (id: string, status: "done" | "pending" = "pending") => ({
  id,
  status,
  acceptance_criteria: [],
});
const task = (...steps: readonly object[]) =>
  ({ id: "T1", title: "t", status: "in_progress", steps, ai_notes: [] }) as unknown as Task;

const usage = (usd: number | null, tokens: number | null): AgentUsage => ({
  ...{ usd, turns: null },
  ...{ inputTokens: tokens, outputTokens: tokens === null ? null : 0 },
});

/** A task's run after runs of its agent: what each was for, on which step, and what it cost. */
function ran(
  of: Task,
  ...runs: readonly (readonly [Purpose, string | null, AgentUsage | null, minutes: number])[]
): TaskRun {
  const run = newRun(of, "2026-01-01T00:00:00.000Z");
  let { costs } = run;
  for (const [purpose, step, spent, minutes] of runs)
    costs = withCost({ costs }, of, { purpose, step, usage: spent, milliseconds: minutes * 60_000 });
  return { ...run, costs };
}

describe("What a task has cost", () => {
  it("is summed by step, in the order of the steps, and then by what else its agent ran for", () => {
    promise("review.cost-by-step");
    const of = task(step("one", "done"), step("two"));
    const run = ran(
      of,
      ["step", "one", usage(0.1, 100), 3],
      ["step", "one", usage(0.2, 200), 1],
      ["repair", null, usage(0.05, 50), 2],
      ["resolve", null, usage(0.4, 400), 5],
      ["step", "two", usage(0.25, 30), 1],
    );
    expect(costOf(run, of, 5)).toEqual({
      ...{ usd: 1, tokens: 780, minutes: 12, tries: 5 },
      steps: [
        { name: "one", usd: 0.35, tokens: 350, minutes: 6, tries: 3 },
        { name: "two", usd: 0.25, tokens: 30, minutes: 1, tries: 1 },
        { name: "to resolve conflicts", usd: 0.4, tokens: 400, minutes: 5, tries: 1 },
      ],
    });
  });

  it("is not known if its agent does not report it, and never taken for nothing", () => {
    promise("review.cost-by-step");
    const of = task(step("one"), step("two"));
    const cost = costOf(ran(of, ["step", "one", null, 1], ["step", "two", usage(0.1, null), 1]), of, null);
    expect(cost).toMatchObject({ usd: 0.1, tokens: null, minutes: 2, tries: null });
    expect(cost.steps).toMatchObject([
      { name: "one", usd: null, tokens: null, minutes: 1, tries: 1 },
      { name: "two", usd: 0.1, tokens: null },
    ]);
    const nothing = costOf(ran(of, ["step", "one", null, 1]), of, null);
    expect(nothing).toMatchObject({ usd: null, tokens: null });
  });

  it("of a task without steps has no list beside its sum, unless its agent also ran for something else", () => {
    const of = task();
    expect(costOf(ran(of, ["step", null, usage(1, 1), 1]), of, 1)).toMatchObject({ usd: 1, steps: [] });
    const also = costOf(ran(of, ["step", null, usage(1, 1), 1], ["commit", null, usage(2, 2), 1]), of, 1);
    expect(also.steps.map(({ name, usd }) => [name, usd])).toEqual([
      ["its work", 1],
      ["to commit its work", 2],
    ]);
  });
});
