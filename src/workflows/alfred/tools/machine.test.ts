import { expect, test } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { agreesWithXState } from "../../../../test/rig/xstate-oracle.ts";
import { check } from "../../../engine/check.ts";
import { decide, initialConfiguration } from "../../../engine/decide.ts";
import type { Configuration } from "../../../engine/workflow.ts";
import { DEFINITIONS, definitionOf } from "./definitions.ts";
import { machineOf, tableOf } from "./machine.ts";

test.each(DEFINITIONS.map((definition) => [definition.name, definition] as const))(
  "the table of %s is proved",
  (_, definition) => {
    const report = check(tableOf(definition));
    expect(report.violations).toEqual([]);
    expect(report.counts.combinations).toBeGreaterThan(0);
  },
);

test.each(DEFINITIONS.map((definition) => [definition.name, definition] as const))(
  "XState decides as the table of %s does",
  (_, definition) => {
    const { workflow } = machineOf(definition);
    expect(agreesWithXState(workflow).decisions).toBeGreaterThan(workflow.rules.length);
  },
);

const plan = machineOf(definitionOf("plan_task"));
const start = () => initialConfiguration(plan.workflow, { review_policy: "ai" });
const after = (configuration: Configuration, trigger: string) =>
  decide(plan.workflow, configuration, trigger, {}).after;

test("plan_task: test_initial_state", () => {
  promise("alfred.plan");
  expect(start().state).toBe("contextualize");
});

test("plan_task: test_full_success_flow", () => {
  promise("alfred.plan");
  const flow = [
    ["contextualize", "review_context", "strategize"],
    ["strategize", "review_strategy", "design"],
    ["design", "review_design", "generate_slots"],
    ["generate_slots", "review_plan", "verified"],
  ] as const;
  let configuration = start();
  for (const [work, review, next] of flow) {
    configuration = after(configuration, `submit_${work}`);
    expect(configuration.state).toBe(review);
    configuration = after(configuration, "request_revision");
    expect(configuration.state).toBe(work);
    configuration = after(after(configuration, `submit_${work}`), "ai_approve");
    expect(configuration.state).toBe(next);
  }
});

test("plan_task: test_rejection_at_design_review", () => {
  promise("alfred.plan");
  let configuration = start();
  for (const work of ["contextualize", "strategize"])
    configuration = after(after(configuration, `submit_${work}`), "ai_approve");
  configuration = after(after(configuration, "submit_design"), "request_revision");
  expect(configuration.state).toBe("design");
});

test("plan_task: ai_approve fires exactly once per review, on the last approval of the policy", () => {
  let configuration = after(initialConfiguration(plan.workflow), "submit_contextualize");
  expect(configuration).toMatchObject({ state: "review_context", variables: { review_stage: "ai" } });
  expect(decide(plan.workflow, configuration, "ai_approve", {}).rule.outcome).toBe("blocked");
  configuration = after(configuration, plan.approveEvent(configuration));
  expect(configuration).toMatchObject({ state: "review_context", variables: { review_stage: "human" } });
  expect(plan.approveEvent(configuration)).toBe("ai_approve");
  expect(after(configuration, "ai_approve").state).toBe("strategize");
});
