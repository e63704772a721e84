import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { planTask, repliesOf, startTask } from "../../test/rig/review-machines.ts";
import { check } from "./check.ts";
import { decide, initialConfiguration } from "./decide.ts";
import { renderTable } from "./diagram.ts";
import { makeReviewMachine, REVIEW_POLICIES, type ReviewPlan, reviewersOf, reviewPolicy } from "./review.ts";
import type { Configuration, Rule, Workflow } from "./workflow.ts";

function applyEvents(
  workflow: Workflow,
  configuration: Configuration,
  ...events: readonly string[]
): Configuration {
  return events.reduce((at, event) => decide(workflow, at, event, {}).after, configuration);
}

function startWith(workflow: Workflow, review_policy: string): Configuration {
  return initialConfiguration(workflow, { review_policy });
}

function checked(workflow: Workflow) {
  return check({ workflow, replies: repliesOf(workflow) });
}

describe("start_task, whose work states share their review states", () => {
  const { workflow } = startTask;

  it("is proved", () => {
    promise("table.shipped");
    expect(checked(workflow)).toEqual({
      workflow: "start_task",
      counts: {
        states: 6,
        events: 4,
        pairs: 20,
        configurations: 23,
        combinations: 36,
        rules: 24,
        replies: 7,
      },
      violations: [],
    });
  });

  it("goes the seven steps, the work under review being kept beside the state", () => {
    const seen: unknown[] = [];
    let configuration = initialConfiguration(workflow);
    seen.push([configuration.state, configuration.variables.review_source]);
    for (const event of ["submit", "approve", "approve", "submit", "approve", "approve"]) {
      configuration = applyEvents(workflow, configuration, event);
      seen.push([configuration.state, configuration.variables.review_source]);
    }
    expect(seen).toEqual([
      ["initialized", null],
      ["awaiting_ai_review", "git_status_checked"],
      ["awaiting_human_review", "git_status_checked"],
      ["branch_created", null],
      ["awaiting_ai_review", "branch_created"],
      ["awaiting_human_review", "branch_created"],
      ["verified", null],
    ]);
  });

  it.each([
    ["submit,reject", "git_status_checked", null],
    ["submit,approve,reject", "git_status_checked", null],
    ["submit,reject,submit", "awaiting_ai_review", "git_status_checked"],
    ["submit,reject,approve", "awaiting_ai_review", "git_status_checked"],
    ["submit,reject,reject", "git_status_checked", null],
    ["submit,approve,approve,approve", "branch_created", null],
    ["submit,approve,approve,submit,reject", "branch_created", null],
    ["submit,approve,approve,submit,approve,reject", "branch_created", null],
  ])("leads by %s to %s, reviewing %s", (events, state, source) => {
    const configuration = applyEvents(workflow, initialConfiguration(workflow), ...events.split(","));
    expect([configuration.state, configuration.variables.review_source]).toEqual([state, source]);
  });

  it.each([
    ["none", "submit,submit"],
    ["ai", "submit,approve,submit,approve"],
    ["human", "submit,approve,submit,approve"],
    ["ai,human", "submit,approve,approve,submit,approve,approve"],
  ])("asks with the policy %s for these steps: %s", (policy, steps) => {
    const events = steps.split(",");
    expect(applyEvents(workflow, startWith(workflow, policy), ...events).state).toBe("verified");
    expect(applyEvents(workflow, startWith(workflow, policy), ...events.slice(0, -1)).state).not.toBe(
      "verified",
    );
  });

  it("waits for the human alone if the policy asks for the human alone", () => {
    expect(applyEvents(workflow, startWith(workflow, "human"), "submit").state).toBe("awaiting_human_review");
  });

  it("says what is under review and whose turn it is", () => {
    const begin = initialConfiguration(workflow);
    expect(startTask.underReview(begin)).toBeNull();
    expect(startTask.underReview(applyEvents(workflow, begin, "submit"))).toEqual({
      work: "git_status_checked",
      reviewer: "ai",
    });
    expect(startTask.underReview(applyEvents(workflow, begin, "submit", "approve"))?.reviewer).toBe("human");
    expect(startTask.underReview({ ...begin, variables: { review_source: "branch_created" } })).toBeNull();
    expect(
      startTask.underReview({ state: "awaiting_human_review", variables: { review_source: null } }),
    ).toBeNull();
    expect([startTask.submitEvent("x"), startTask.approveEvent(begin), startTask.rejectEvent]).toEqual([
      "submit",
      "approve",
      "reject",
    ]);
    expect(startTask.workOf("initialized")).toBe("git_status_checked");
    expect(startTask.workOf("awaiting_ai_review")).toBeNull();
  });

  it("answers what a state does not take with the blocked reply, and stays", () => {
    const begin = initialConfiguration(workflow);
    const decision = decide(workflow, begin, "approve", {});
    expect(decision.rule).toMatchObject({ outcome: "blocked", reply: "invalid-action" });
    expect(decision.after).toEqual(begin);
  });

  it("shows the state's reply when it is resumed", () => {
    const configuration = applyEvents(workflow, initialConfiguration(workflow), "submit");
    expect(decide(workflow, configuration, "resume", {}).rule).toMatchObject({
      outcome: "shown",
      reply: "awaiting_ai_review",
    });
  });
});

describe("a start_task whose shared review states ignore review_source", () => {
  const { workflow } = startTask;

  it("is refused if both approvals apply, with the state, event, facts and rules that show it", () => {
    promise("table.kept-facts");
    const broken = withRules(workflow, (rule) => ({
      ...rule,
      ...(rule.when ? { when: unguarded(rule) } : {}),
    }));
    const found = checked(broken).violations.find(
      ({ kind, state, event }) =>
        kind === "several-rules" && state === "awaiting_human_review" && event === "approve",
    );
    expect(found).toMatchObject({
      rules: ["approve.git_status_checked.by_human", "approve.branch_created.by_human"],
      path: expect.arrayContaining(["submit.git_status_checked.to_human"]),
    });
    expect(found?.message).toContain(
      "2 rules apply (approve.git_status_checked.by_human, approve.branch_created.by_human)",
    );
  });

  it("is refused if the first approval wins, because the end is never reached", () => {
    const broken = withRules(workflow, (rule) =>
      /^(approve|reject)\.branch_created/.test(rule.id)
        ? null
        : { ...rule, ...(/^(approve|reject)\./.test(rule.id) ? { when: unguarded(rule) } : {}) },
    );
    const { violations } = checked(broken);
    expect(violations.filter(({ kind }) => kind === "several-rules" || kind === "no-rule")).toEqual([]);
    expect(violations.map(({ kind, state }) => `${kind} ${state ?? ""}`)).toEqual(
      expect.arrayContaining(["trap awaiting_human_review", "trap branch_created"]),
    );
  });

  it("is let through by a proof of one rule for everything that does not follow the variables", () => {
    promise("table.kept-facts");
    const forgetful = withRules(workflow, (rule) =>
      rule.id.startsWith("submit.branch_created.to_")
        ? { ...rule, set: { review_source: "git_status_checked" } }
        : rule,
    );
    const naive = checked(unfollowed(forgetful));
    expect(naive.violations).toEqual([]);
    const kinds = checked(forgetful).violations.map(({ kind }) => kind);
    expect(kinds).toContain("trap");
    expect(kinds).toContain("rule-unreached");
  });
});

describe("plan_task, whose work states have review states of their own", () => {
  const { workflow } = planTask;
  const ai = () => startWith(workflow, "ai");

  it("is proved", () => {
    promise("table.shipped");
    expect(checked(workflow)).toEqual({
      workflow: "plan_task",
      counts: {
        states: 9,
        events: 8,
        pairs: 64,
        configurations: 36,
        combinations: 100,
        rules: 41,
        replies: 10,
      },
      violations: [],
    });
  });

  it("starts in contextualize (test_initial_state)", () => {
    expect(initialConfiguration(workflow).state).toBe("contextualize");
  });

  it("goes through all states to verified (test_full_success_flow)", () => {
    let configuration = ai();
    const seen = [configuration.state];
    for (const state of ["contextualize", "strategize", "design", "generate_slots"]) {
      expect(planTask.submitEvent(configuration.state)).toBe(`submit_${state}`);
      for (const event of [`submit_${state}`, "ai_approve"]) {
        configuration = applyEvents(workflow, configuration, event);
        seen.push(configuration.state);
      }
    }
    expect(seen).toEqual([
      "contextualize",
      "review_context",
      "strategize",
      "review_strategy",
      "design",
      "review_design",
      "generate_slots",
      "review_plan",
      "verified",
    ]);
  });

  it("leads back to design when its review is rejected (test_rejection_at_design_review)", () => {
    const reviewing = applyEvents(
      workflow,
      ai(),
      "submit_contextualize",
      "ai_approve",
      "submit_strategize",
      "ai_approve",
      "submit_design",
    );
    expect(reviewing.state).toBe("review_design");
    expect(applyEvents(workflow, reviewing, "request_revision")).toEqual({
      state: "design",
      variables: { review_stage: null, review_policy: "ai" },
    });
  });

  it("has one rule of ai_approve for each review state, and it leads on", () => {
    const rules = workflow.rules.filter(({ on, outcome }) => on === "ai_approve" && outcome === "moved");
    expect(rules.map(({ from, to }) => [from, to])).toEqual([
      [["review_context"], "strategize"],
      [["review_strategy"], "design"],
      [["review_design"], "generate_slots"],
      [["review_plan"], "verified"],
    ]);
  });

  it("keeps the human's turn inside the review state, and takes no early ai_approve", () => {
    const first = applyEvents(workflow, initialConfiguration(workflow), "submit_contextualize");
    expect(first).toEqual({
      state: "review_context",
      variables: { review_stage: "ai", review_policy: "ai,human" },
    });
    expect(decide(workflow, first, "ai_approve", {}).rule.outcome).toBe("blocked");
    expect(planTask.approveEvent(first)).toBe("pass_to_human");
    const second = applyEvents(workflow, first, "pass_to_human");
    expect(second).toEqual({
      state: "review_context",
      variables: { review_stage: "human", review_policy: "ai,human" },
    });
    expect(decide(workflow, second, "pass_to_human", {}).rule.outcome).toBe("blocked");
    expect(planTask.approveEvent(second)).toBe("ai_approve");
    expect(applyEvents(workflow, second, "ai_approve").state).toBe("strategize");
  });

  it.each(REVIEW_POLICIES)("never blocks the approval that it asks for, with the policy %s", (policy) => {
    let configuration = startWith(workflow, policy);
    let approvals = 0;
    for (let steps = 0; configuration.state !== "verified" && steps < 20; steps++) {
      const event = planTask.underReview(configuration)
        ? planTask.approveEvent(configuration)
        : planTask.submitEvent(configuration.state);
      if (planTask.underReview(configuration)) approvals++;
      const decision = decide(workflow, configuration, event, {});
      expect(decision.rule.outcome).toBe("moved");
      configuration = decision.after;
    }
    expect(configuration.state).toBe("verified");
    expect(approvals).toBe(4 * reviewersOf(policy).length);
  });

  it("says what is under review and whose turn it is, and nothing if no review runs", () => {
    const begin = ai();
    expect(planTask.underReview(begin)).toBeNull();
    expect(planTask.underReview({ state: "design", variables: { review_stage: "ai" } })).toBeNull();
    expect(planTask.underReview({ state: "review_design", variables: { review_stage: null } })).toBeNull();
    const first = applyEvents(workflow, initialConfiguration(workflow), "submit_contextualize");
    expect(planTask.underReview(first)).toEqual({ work: "contextualize", reviewer: "ai" });
    const second = applyEvents(workflow, first, "pass_to_human");
    expect(planTask.underReview(second)).toEqual({ work: "contextualize", reviewer: "human" });
    expect(planTask.approveEvent(begin)).toBe("ai_approve");
    expect(planTask.rejectEvent).toBe("request_revision");
    expect([planTask.workOf("design"), planTask.workOf("review_design")]).toEqual(["design", null]);
    expect(planTask.submitEvent("review_design")).toBe("submit_review_design");
  });

  it("does not take the submission of another state", () => {
    expect(decide(workflow, ai(), "submit_design", {}).rule.reply).toBe("invalid-action");
  });
});

describe("a review plan", () => {
  const state = (name: string) => ({ state: name, description: name });
  const plan = { name: "odd", title: "odd", final: state("done") };

  const own = { ...state("one"), review: state("two") };

  it.each<[string, Partial<ReviewPlan>, string, string]>([
    ["a state twice", { work: [state("done")] }, '"done" is named twice', "Name each state once."],
    [
      "a shared review state as work",
      { work: [state("awaiting_ai_review")] },
      '"awaiting_ai_review" is named twice',
      "Name each state once.",
    ],
    [
      "an entry twice",
      { work: [{ ...state("one"), entry: state("one") }] },
      '"one" is named twice',
      "Name each state once.",
    ],
    [
      "a review state twice",
      { shape: "named", work: [own, { ...state("three"), review: state("two") }] },
      '"two" is named twice',
      "Name each state once.",
    ],
    ["no work", { work: [] }, "it has no work state", "Give it at least one."],
    [
      "a work state without its review",
      { shape: "named", work: [state("one")] },
      'the work state "one" has no review state',
      "Give it `review`.",
    ],
    [
      "a review state that is not shared",
      { work: [own] },
      '"one" has a review state of its own',
      "Drop it, or use the named shape.",
    ],
    [
      "work that is submitted by an approval",
      { shape: "named", work: [{ ...own, resubmits: true }] },
      '"one" re-submits on approval',
      "Drop it, or use the shared shape.",
    ],
  ])("is refused with %s", (_, change, what, fix) => {
    const made = () => makeReviewMachine({ ...plan, shape: "shared", ...change } as ReviewPlan);
    const message = `No review cycle can be made of odd: ${what}.`;
    expect(made).toThrow(expect.objectContaining({ code: "workflow-invalid", message, fix }));
  });

  it("may name its states as the other shape names its review states", () => {
    const work = [{ ...state("awaiting_ai_review"), review: state("two") }];
    expect(makeReviewMachine({ ...plan, shape: "named", work }).workflow.initial).toBe("awaiting_ai_review");
  });

  it("leads to the entry of the work that follows, and back to the work itself", () => {
    const work = [
      { ...state("one"), entry: state("before-one") },
      { ...state("two"), entry: state("before-two") },
    ];
    const { workflow, workOf } = makeReviewMachine({ ...plan, shape: "shared", work });
    expect(checked(workflow).violations).toEqual([]);
    const second = applyEvents(workflow, startWith(workflow, "ai"), "submit", "approve");
    expect(second.state).toBe("before-two");
    expect(workOf("before-two")).toBe("two");
    expect(applyEvents(workflow, second, "submit", "reject").state).toBe("two");
  });

  it("takes the four review policies, and no other", () => {
    expect(REVIEW_POLICIES.map((policy) => reviewPolicy(reviewersOf(policy)))).toEqual(REVIEW_POLICIES);
    expect(() => reviewPolicy(["human", "ai"])).toThrow(
      expect.objectContaining({
        code: "config-invalid",
        message: "The reviewers [human, ai] are no review policy; expected [ai], [human], [ai, human] or [].",
        fix: "Correct `reviews` in the configuration.",
      }),
    );
  });
});

describe("a review machine as a table", () => {
  it.each([
    ["with shared review states", "review-shared.md", startTask.workflow],
    ["with a review state for each work state", "review-named.md", planTask.workflow],
  ])("%s is the one in test/fixtures", (_, file, workflow) => {
    const page = new URL(`../../test/fixtures/${file}`, import.meta.url);
    expect(renderTable(workflow)).toBe(readFileSync(page, "utf8"));
  });
});

function withRules(workflow: Workflow, change: (rule: Rule) => Rule | null): Workflow {
  return { ...workflow, rules: workflow.rules.flatMap((rule) => change(rule) ?? []) };
}

/** The rule's boxes without what they ask of review_source. */
function unguarded(rule: Rule) {
  return (rule.when ?? []).map(({ review_source: _, ...box }) => box);
}

/** The default policy's part of start_task, with the work under review taken as it comes, whatever was set before. */
function unfollowed(workflow: Workflow): Workflow {
  const { starts: _, facts, ...rest } = workflow;
  const source = facts.review_source?.values.filter((value) => value !== null) ?? [];
  const rules = workflow.rules.flatMap(({ set: _, when, ...rule }): readonly Rule[] => {
    if (when === undefined) return [rule];
    const boxes = when.filter(({ review_policy: policy }) => !policy || policy.includes("ai,human"));
    return boxes.length === 0 ? [] : [{ ...rule, when: boxes.map(({ review_policy: _, ...box }) => box) }];
  });
  return { ...rest, facts: { review_source: { description: "", values: source } }, rules };
}
