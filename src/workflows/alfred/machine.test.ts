import { expect, test } from "vitest";
import { agreesWithXState } from "../../../test/rig/xstate-oracle.ts";
import { check } from "../../engine/check.ts";
import { decide, initialPosition } from "../../engine/decide.ts";
import type { Position } from "../../engine/workflow.ts";
import { DEFINITIONS, definitionOf } from "./definitions.ts";
import { machineOf, tableOf } from "./machine.ts";

test.each(DEFINITIONS.map((definition) => [definition.name, definition] as const))(
  "the table of %s is proved",
  (_, definition) => {
    const report = check(tableOf(definition));
    expect(report.violations).toEqual([]);
    expect(report.counts.worlds).toBeGreaterThan(0);
  },
);

test.each(DEFINITIONS.map((definition) => [definition.name, definition] as const))(
  "XState decides as the table of %s does",
  (_, definition) => {
    const { workflow } = machineOf(definition);
    expect(agreesWithXState(workflow).decisions).toBeGreaterThan(workflow.rows.length);
  },
);

const plan = machineOf(definitionOf("plan_task"));
const start = () => initialPosition(plan.workflow, { review_policy: "ai" });
const after = (position: Position, trigger: string) => decide(plan.workflow, position, trigger, {}).after;

test("plan_task: test_initial_state", () => {
  expect(start().state).toBe("contextualize");
});

test("plan_task: test_full_success_flow", () => {
  const flow = [
    ["contextualize", "review_context", "strategize"],
    ["strategize", "review_strategy", "design"],
    ["design", "review_design", "generate_slots"],
    ["generate_slots", "review_plan", "verified"],
  ] as const;
  let position = start();
  for (const [work, review, next] of flow) {
    position = after(position, `submit_${work}`);
    expect(position.state).toBe(review);
    position = after(position, "request_revision");
    expect(position.state).toBe(work);
    position = after(after(position, `submit_${work}`), "ai_approve");
    expect(position.state).toBe(next);
  }
});

test("plan_task: test_rejection_at_design_review", () => {
  let position = start();
  for (const work of ["contextualize", "strategize"])
    position = after(after(position, `submit_${work}`), "ai_approve");
  position = after(after(position, "submit_design"), "request_revision");
  expect(position.state).toBe("design");
});

test("plan_task: ai_approve fires exactly once per review, on the last approval of the policy", () => {
  let position = after(initialPosition(plan.workflow), "submit_contextualize");
  expect(position).toMatchObject({ state: "review_context", kept: { review_stage: "ai" } });
  expect(decide(plan.workflow, position, "ai_approve", {}).row.outcome).toBe("blocked");
  position = after(position, plan.approveEvent(position));
  expect(position).toMatchObject({ state: "review_context", kept: { review_stage: "human" } });
  expect(plan.approveEvent(position)).toBe("ai_approve");
  expect(after(position, "ai_approve").state).toBe("strategize");
});
