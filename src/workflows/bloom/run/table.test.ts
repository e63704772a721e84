import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { agreesWithXState } from "../../../../test/rig/xstate-oracle.ts";
import { check } from "../../../engine/check.ts";
import { decide } from "../../../engine/decide.ts";
import { PERFORMED } from "../commands/perform.ts";
import { BLOOM, bloomWith, REPLIES } from "./table.ts";

describe("The table of a task", () => {
  it("is proved: one rule for every configuration, event and facts, no trap, nothing unreachable", () => {
    promise("table.shipped");
    const report = check({ workflow: BLOOM, replies: Object.keys(REPLIES) });
    expect(report.violations).toEqual([]);
    expect(report.counts.states).toBe(15);
  });

  it("reaches pushing, merging and pull requests only once everything is committed", () => {
    const out = new Set(["pushing", "merging", "opening_pr", "cleaning"]);
    const into = BLOOM.rules.filter((row) => typeof row.to === "string" && out.has(row.to));
    expect(into.length).toBeGreaterThan(8);
    for (const row of into)
      expect(
        row.from.every((state) => out.has(state) || state === "committing" || state === "waiting_for_human"),
      ).toBe(true);
  });

  it("takes no agent at its word that was refused something, or changed nothing, and left its step open", () => {
    promise("bloom.refusals");
    const position = { state: "working", variables: { awaits: "nothing", approved: false } };
    const facts = { unmarked: "assume", tries_left: true };
    const rowAfter = (in_doubt: boolean, more = {}) =>
      decide(BLOOM, position, "step_unmarked", { ...facts, in_doubt, ...more }).rule.id;
    expect(rowAfter(false)).toBe("step.assumed_done");
    expect(rowAfter(true)).toBe("step.asked_to_mark");
    expect(rowAfter(true, { tries_left: false })).toBe("step.unmarked_blocks");
  });

  it("agrees with XState in every world", () => {
    expect(agreesWithXState(BLOOM).decisions).toBeGreaterThan(500);
  });

  it("has no command that nobody performs", () => {
    const { rules } = bloomWith({
      reviewing: { description: "A life's own state.", writes: "none", forbids: [] },
    });
    const wanted = new Set(rules.flatMap((row) => (row.commands ?? []).map(({ type }) => type)));
    // `run` starts an agent of the life: its own rows have it.
    expect([...wanted, "run"].sort()).toEqual([...PERFORMED].sort());
  });
});
