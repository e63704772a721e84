import { describe, expect, it } from "vitest";
import { checkPromises } from "../../../engine/promises.ts";
import type { Rule } from "../../../engine/workflow.ts";
import { BLOOM, EXTENSIBLE } from "./table.ts";

const withRule = (rule: Omit<Rule, "outcome" | "reply">) => ({
  ...BLOOM,
  rules: [...BLOOM.rules, { outcome: "moved" as const, reply: "went_on", ...rule }],
});
const broken = (rule: Omit<Rule, "outcome" | "reply">) =>
  checkPromises(withRule(rule), EXTENSIBLE.promises, EXTENSIBLE.fixed).map(({ message, path }) => [
    message,
    path?.at(-1),
  ]);

describe("What Bloom's table promises to those that extend it", () => {
  it("holds in the table itself, in every setting of a task", () => {
    expect(checkPromises(BLOOM, EXTENSIBLE.promises, EXTENSIBLE.fixed)).toEqual([]);
  });

  it("is broken by a way past committing, with the rule that opens it", () => {
    expect(broken({ id: "jumps", from: ["verifying"], on: "verify_passed", to: "pushing" })).toEqual(
      [
        "Its table promises that nothing leaves the workspace that is not committed; here a run reaches pushing all the same.",
        "Its table promises that no checkpoint leaves the workspace that no person approved; here a run reaches pushing all the same.",
      ].map((message) => [message, "jumps"]),
    );
  });

  it("is broken by work that is committed without a check", () => {
    const [first] = broken({ id: "skips", from: ["working"], on: "step_done", to: "committing" });
    expect(first).toEqual([
      expect.stringContaining("nothing is committed for delivery that is not verified"),
      "skips",
    ]);
  });

  it("is broken by a checkpoint that a rule approves in a person's place", () => {
    const found = broken({
      id: "approves",
      from: ["working"],
      on: "step_done",
      to: "working",
      set: { approved: true },
    });
    expect(found).toEqual([
      [
        expect.stringContaining("no checkpoint leaves the workspace that no person approved"),
        expect.any(String),
      ],
    ]);
  });
});
