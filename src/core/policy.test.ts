import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { comparePolicies, effectivePolicy, ignoredIn } from "./policy.ts";

const MET = { text: "one", check: "a" };

const TIGHTER: readonly (readonly [string, unknown, unknown])[] = [
  ["alfred.human_review", "relay", "confirm"],
  ["alfred.evidence", "show", "require"],
  ["alfred.reviews.default", ["ai"], ["ai", "human"]],
  ["alfred.checks.test", undefined, "npm test"],
  ["task.verify", ["a"], ["a", "b"]],
  ["task.steps.S1.verify", undefined, ["a"]],
  [
    "task.acceptance_criteria",
    [MET],
    [
      { text: "two", check: "b" },
      { check: "a", text: "one" },
    ],
  ],
  ["task.steps.S1.acceptance_criteria", undefined, [MET]],
  ["task.checkpoint", undefined, true],
  ["task.budget.usd", undefined, 5],
  ["bloom.budget.turns", 10, 5],
  ["bloom.tries", 3, 2],
  ["bloom.caps.usd_per_day", 50, 20],
  ["bloom.caps.repositories.apps/api", undefined, 2],
  ["bloom.permission", "all", "edits"],
  ["bloom.on_unmarked_step", "assume", "block"],
  ["bloom.environment", ["A", "B"], ["A"]],
  ["environment", ["A"], undefined],
  ["definition.gates.publish", undefined, { by: "human" }],
  ["definition.scopes.drafting", undefined, { writes: "none", forbids: [] }],
  ["definition.plan_files", undefined, ["plan.md"]],
];

const LOOSER: readonly (readonly [string, unknown, unknown])[] = [
  ...TIGHTER.map(([path, before, after]) => [path, after, before] as const),
  ["alfred.checks.test", "npm test", "true"],
  ["task.verify", ["a", "b"], ["a", "c"]],
  ["task.acceptance_criteria", [MET], [{ ...MET, check: "true" }]],
  ["task.acceptance_criteria", [MET], [{ ...MET, text: "anything" }]],
  ["task.merge_into", "develop", "main"],
  ["task.agent", "claude", "mine"],
  ["setup.", undefined, { run: ["x"] }],
  ["bloom.permission", "ask", "anything"],
  ["something.new", undefined, 1],
  // A workflow's author gives these names: no rule for a setting of that name is theirs.
  ["definition.rows.verify", undefined, { to: "done" }],
  ["definition.rows.checks.test", undefined, { to: "done" }],
  ["definition.rows.tries", undefined, 1],
  ["definition.states.environment", "open", undefined],
  ["definition.scopes.drafting", { writes: "none", forbids: [] }, { writes: "all", forbids: [] }],
  ["definition.plan_files", ["plan.md"], ["plan.md", "src/**"]],
];

describe("a policy", () => {
  it.each(TIGHTER)("is tightened by %s: %j → %j, which counts at once", (path, before, after) => {
    promise("policy.rules");
    const [pinned, present] = [entry(path, before), entry(path, after)];
    expect(comparePolicies(pinned, present)).toMatchObject([{ path, loosens: false }]);
    expect(effectivePolicy(pinned, present)).toEqual(present);
  });

  it.each(LOOSER)("is loosened by %s: %j → %j, which does not count", (path, before, after) => {
    promise("policy.rules");
    const [pinned, present] = [entry(path, before), entry(path, after)];
    expect(ignoredIn(pinned, present)).toMatchObject([{ path, loosens: true }]);
    expect(effectivePolicy(pinned, present)).toEqual(pinned);
  });

  it("is not changed by the order of its keys", () => {
    expect(comparePolicies({ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } })).toEqual([]);
  });
});

function entry(path: string, value: unknown) {
  return value === undefined ? {} : { [path]: value };
}

it("a tool's own reviewers are compared with the default ones that it had", () => {
  promise("policy.rules");
  const pinned = { "alfred.reviews.default": ["ai", "human"] };
  const present = { ...pinned, "alfred.reviews.plan_task": [] };
  expect(ignoredIn(pinned, present).map(({ path }) => path)).toEqual(["alfred.reviews.plan_task"]);
  expect(ignoredIn(present, pinned)).toEqual([]);
});
