import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { isBackingOff, VIEWS, waitLeft } from "./scheduling-status.ts";
import { BLOOM } from "./table.ts";

const at = (seconds: number) => new Date(Date.parse("2026-01-01T12:00:00Z") + seconds * 1000).toISOString();

describe("backing off", () => {
  const waiting = { state: "working", task: "T1" } as const;
  const run = { ...waiting, after: at(5), wait: 5000 };
  const NONE = new Map();

  it("lasts until its time", () => {
    expect(waitLeft(run, at(0), NONE)).toBe(5000);
    expect(waitLeft(run, at(4), NONE)).toBe(1000);
    expect(isBackingOff(run, at(5), NONE)).toBe(false);
    expect(isBackingOff({ ...waiting, after: null }, at(0), NONE)).toBe(false);
  });

  it("is over if the clock was set back: nothing waits longer than its whole wait", () => {
    promise("bloom.clock-set");
    expect(waitLeft(run, at(-3600), NONE)).toBe(0);
    expect(isBackingOff(run, at(-1), NONE)).toBe(false);
  });

  it("of a run that does not say how long it waits ends within an hour", () => {
    expect(isBackingOff({ ...waiting, after: at(60) }, at(0), NONE)).toBe(true);
    expect(isBackingOff({ ...waiting, after: at(3601) }, at(0), NONE)).toBe(false);
  });
});

describe("A view of how a task stands", () => {
  it("has a name that no state of the table has, and lies over states of the table", () => {
    for (const [name, states] of Object.entries(VIEWS)) {
      expect(Object.keys(BLOOM.states)).not.toContain(name);
      expect(states.size).toBeGreaterThan(0);
      for (const state of states) expect(Object.keys(BLOOM.states)).toContain(state);
    }
  });

  it("is left by no rule: what each state under it takes, the table says", () => {
    expect([...VIEWS.awaiting_merge]).toEqual(["opening_pr"]);
    expect([...VIEWS.backing_off].sort()).toEqual(
      expect.arrayContaining(["committing", "merging", "opening_pr", "pushing", "working"]),
    );
    for (const row of BLOOM.rules)
      for (const view of Object.keys(VIEWS)) expect([...row.from, row.to]).not.toContain(view);
  });
});
