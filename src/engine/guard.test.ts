import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { door } from "../../test/rig/lockable.ts";
import { planTask, repliesOf, startTask } from "../../test/rig/review-machines.ts";
import { check } from "./check.ts";
import { decide, initialConfiguration } from "./decide.ts";
import { fillBlocked, guard } from "./guard.ts";
import type { Workflow } from "./workflow.ts";

const running = { description: "Whether the checks are done.", values: ["running", "done"] };

function checked(workflow: Workflow, ...replies: readonly string[]) {
  return check({ workflow, replies: [...repliesOf(workflow), ...replies] }).violations;
}

describe("fillBlocked", () => {
  it("gives each state without a rule for an event its blocked rule, and final states none", () => {
    const rules = startTask.workflow.rules.filter(({ outcome }) => outcome === "blocked");
    expect(rules.map(({ id, from, reply }) => [id, from, reply])).toEqual([
      ["blocked.submit", ["awaiting_ai_review", "awaiting_human_review"], "invalid-action"],
      ["blocked.approve", ["initialized", "branch_created"], "invalid-action"],
      ["blocked.reject", ["initialized", "git_status_checked", "branch_created"], "invalid-action"],
    ]);
  });

  it("changes nothing that is complete", () => {
    expect(fillBlocked(startTask.workflow, "x").rules).toEqual(startTask.workflow.rules);
  });
});

describe("refuse", () => {
  it("takes the refused combinations from the rules that move, and leaves the table proved", () => {
    const workflow = guard(startTask.workflow, {
      id: "checks-running",
      on: "approve",
      from: ["awaiting_human_review"],
      when: { checks: ["running"] },
      facts: { checks: running },
      outcome: "shown",
      reply: "checks-running",
    });
    expect(checked(workflow, "checks-running")).toEqual([]);
    const human = {
      state: "awaiting_human_review",
      variables: { review_source: "branch_created", review_policy: "human" },
    };
    expect(decide(workflow, human, "approve", { checks: "running" })).toMatchObject({
      rule: { id: "checks-running", outcome: "shown" },
      after: human,
    });
    expect(decide(workflow, human, "approve", { checks: "done" }).after.state).toBe("verified");
    const ai = {
      state: "awaiting_ai_review",
      variables: { review_source: "branch_created", review_policy: "ai" },
    };
    expect(decide(workflow, ai, "approve", {}).after.state).toBe("verified");
  });

  it("leaves what was blocked before as it was, and can ask for variables", () => {
    const workflow = guard(planTask.workflow, {
      id: "not-a-person",
      on: "ai_approve",
      when: { review_stage: ["human"], caller: ["model"] },
      facts: { caller: { description: "Who asks.", values: ["model", "person"] } },
      reply: "not-a-person",
    });
    expect(checked(workflow, "not-a-person")).toEqual([]);
    const early = decide(workflow, initialConfiguration(workflow), "submit_contextualize", {}).after;
    expect(decide(workflow, early, "ai_approve", { caller: "model" }).rule.reply).toBe("invalid-action");
    const human = {
      state: "review_context",
      variables: { review_stage: "human", review_policy: "ai,human" },
    };
    expect(decide(workflow, human, "ai_approve", { caller: "model" }).rule.reply).toBe("not-a-person");
    expect(decide(workflow, human, "ai_approve", { caller: "person" }).after.state).toBe("strategize");
  });

  it("lets the first of several refusals answer", () => {
    const first = guard(startTask.workflow, {
      id: "one",
      on: "submit",
      when: { a: [true] },
      facts: { a: flag() },
      reply: "one",
    });
    const both = guard(first, {
      id: "two",
      on: "submit",
      when: { b: [true] },
      facts: { b: flag() },
      reply: "two",
    });
    expect(checked(both, "one", "two")).toEqual([]);
    const begin = initialConfiguration(both);
    const reply = (a: boolean, b: boolean) => decide(both, begin, "submit", { a, b }).rule.reply;
    expect([reply(true, true), reply(true, false), reply(false, true), reply(false, false)]).toEqual([
      "one",
      "one",
      "two",
      "awaiting_ai_review",
    ]);
  });

  it("leaves every table proved, whatever box is refused", () => {
    const { workflow } = startTask;
    const box = fc.record(
      {
        review_policy: fc.subarray(["ai", "human", "ai,human", "none"], { minLength: 1, maxLength: 3 }),
        checks: fc.subarray(["running", "done", "failed"], { minLength: 1, maxLength: 2 }),
        tidy: fc.subarray([true, false], { minLength: 1, maxLength: 1 }),
      },
      { requiredKeys: ["checks"] },
    );
    const facts = { checks: { description: "", values: ["running", "done", "failed"] }, tidy: flag() };
    fc.assert(
      fc.property(box, fc.constantFrom("submit", "approve", "reject"), (when, on) => {
        const refused = guard(workflow, { id: "no", on, when, facts, reply: "no" });
        const left = checked(refused, "no").filter(({ kind }) => kind !== "rule-unreached");
        expect(left).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("splits the rules that move in some of the combinations, drops those that move in no other, and keeps the rest", () => {
    const refused = guard(door, { id: "no", on: "remove", when: { pushes: [2] }, reply: "no" });
    const no = { on: "remove", to: "same", outcome: "blocked", reply: "no", when: [{ pushes: [2] }] };
    expect(refused.rules).toEqual([
      ...door.rules.filter(({ id }) => !["worn", "taken"].includes(id)),
      { ...door.rules.find(({ id }) => id === "taken"), when: [{ pushes: [0, 1] }] },
      { id: "no.closed", from: ["closed"], ...no },
      { id: "no.open", from: ["open"], ...no },
    ]);
    const once = guard(door, {
      id: "no",
      on: "remove",
      from: ["open"],
      when: { locked: [true] },
      reply: "no",
    });
    expect(once.rules.slice(-2)).toEqual([
      { ...door.rules.find(({ id }) => id === "taken"), when: [{ locked: [false] }] },
      { ...no, id: "no", from: ["open"], when: [{ locked: [true] }] },
    ]);
  });

  it("leaves a rule alone whose combinations are others", () => {
    const rules = door.rules.map((rule) =>
      rule.id === "taken" ? { ...rule, when: [{ pushes: [0, 1] }] } : rule,
    );
    const refused = guard({ ...door, rules }, { id: "no", on: "remove", when: { pushes: [2] }, reply: "no" });
    expect(refused.rules.find(({ id }) => id === "taken")).toEqual(rules.at(-1));
    expect(refused.rules.map(({ id }) => id)).toEqual(["opens", "holds", "closes", "fine", "taken", "no"]);
  });

  it("refuses what is in both of several boxes, and leaves what is in one of them", () => {
    const boxes = [{ pushes: [0, 1], locked: [true] }, { pushes: [2] }];
    const rules = door.rules.map((rule) => (rule.id === "taken" ? { ...rule, when: boxes } : rule));
    const refused = guard(
      { ...door, rules },
      { id: "no", on: "remove", from: ["open"], when: { pushes: [1, 2], locked: [true] }, reply: "no" },
    );
    expect(refused.rules.slice(-2).map(({ when }) => when)).toEqual([
      [
        { pushes: [0], locked: [true] },
        { pushes: [2], locked: [false] },
      ],
      [
        { pushes: [1], locked: [true] },
        { pushes: [2], locked: [true] },
      ],
    ]);
  });

  it.each([
    ["an event on which nothing moves", { on: "resume" }, 'no rule moves on "resume" in those combinations'],
    ["a fact that there is not", { on: "submit", when: { tea: ["hot"] } }, '"tea" is not a fact'],
    [
      "half of a rule",
      { on: "submit", from: ["initialized"] },
      'the rule "submit.git_status_checked.to_ai" is also from other states than initialized',
    ],
    [
      "a part of a rule",
      { on: "reject", from: ["awaiting_ai_review", "initialized"] },
      'the rule "reject.git_status_checked" is also from other states than awaiting_ai_review',
    ],
  ])("itself refuses %s", (_, refusal, what) => {
    const make = () =>
      guard(startTask.workflow, { id: "no", when: { review_policy: ["ai"] }, reply: "no", ...refusal });
    expect(make).toThrow(
      expect.objectContaining({
        code: "workflow-invalid",
        message: `The refusal "no" cannot be added to start_task: ${what}.`,
        fix: "Correct its event, its source states or its facts.",
      }),
    );
  });
});

function flag() {
  return { description: "", values: [true, false] };
}
