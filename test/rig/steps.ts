/** Steps of a run's log, each made on the one before. */
import { hashOfStep, type Step } from "../../src/runtime/run-log/step.ts";

/** Another step on `before`: a move of that event, or the beginning without one. */
export function stepOn(
  before: Step | undefined,
  run: string,
  event: string | undefined,
  more: Partial<Step> = {},
): Step {
  const seq = (before?.seq ?? 0) + 1;
  return {
    ...{ v: 1, run, seq, prev: before ? hashOfStep(before) : null },
    time: `2026-01-01T00:00:${String(seq - 1).padStart(2, "0")}.000Z`,
    ...{ machine: run.split(":")[0] ?? "", from: "a", to: "b", set: {}, by: { channel: "mcp" } },
    ...(event === undefined ? { kind: "begun" } : { kind: "moved", event, rule: event }),
    ...more,
  };
}

/** A chain of moves by these events on `before`. */
export function chainOf(run: string, events: readonly string[], before: readonly Step[] = []): Step[] {
  const steps = [...before];
  for (const event of events) steps.push(stepOn(steps.at(-1), run, event));
  return steps;
}
