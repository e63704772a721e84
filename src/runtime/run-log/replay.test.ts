import { describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import { stepOn } from "../../../test/rig/steps.ts";
import { hashOfTable } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { branchFaults, chainFault } from "./replay.ts";
import type { Step } from "./step.ts";

const RUN = "door:front";
const KIND: RunKind = {
  tableOf: (machine) => (machine === "door" ? door : null),
  runOf: () => null,
  pathsOf: () => [".pawl/runs/door/front.json" as never],
  at: () => null,
};

const table = hashOfTable(door);
const BEGUN = stepOn(undefined, RUN, undefined, { from: "", to: "closed", set: { pushes: 0 }, table });
const opened = (before: Step, more: Partial<Step> = {}) =>
  stepOn(before, RUN, "push", { rule: "opens", from: "closed", to: "open", set: { pushes: 1 }, ...more });
const OPENED = opened(BEGUN);
const CLOSED = stepOn(OPENED, RUN, "push", { rule: "closes", from: "open", to: "closed" });
const faults = (steps: readonly Step[], state: string, pushes: number) =>
  branchFaults(KIND, steps, { state, variables: { pushes } });

describe("a run's steps", () => {
  it("are a chain: each is made on the hash of the one before", () => {
    expect(chainFault([BEGUN, OPENED, CLOSED])).toBeNull();
    const changed = { ...BEGUN, time: "2026-02-01T00:00:00.000Z" };
    const broken = (number: number) => `step ${number} of its log is not made on the ${number - 1} before it`;
    expect(chainFault([changed, OPENED])).toBe(broken(2));
    expect(chainFault([BEGUN, { ...OPENED, seq: 3 }])).toBe(broken(2));
    expect(chainFault([OPENED])).toBe(broken(1));
    expect(chainFault([OPENED, CLOSED], OPENED)).toBeNull();
  });

  it("lead through the table to what their record says", () => {
    expect(faults([BEGUN, OPENED, CLOSED], "closed", 1)).toEqual([]);
    expect(faults([BEGUN, OPENED], "closed", 1)).toEqual([
      "found closed with pushes = 1; its steps lead to open with pushes = 1",
    ]);
    expect(faults([BEGUN, OPENED, CLOSED], "closed", 2)).toHaveLength(1);
  });

  it.each<[string, Partial<Step>]>([
    ["a rule that is not there", { rule: "lifts" }],
    ["another beginning", { from: "open" }],
    ["another end", { to: "gone" }],
    ["other variables after it", { set: { pushes: 2 } }],
  ])("do not lead on with %s", (_, more) => {
    const step = opened(BEGUN, more);
    expect(faults([BEGUN, step], step.to, 1)).toEqual([
      `step 2 of its log (push) does not lead on from ${step.from}`,
    ]);
  });

  it("begin where a run of the table begins", () => {
    const begun = { ...BEGUN, set: { pushes: 1 } };
    expect(faults([begun], "closed", 1)).toEqual(["step 1 of its log (begun) does not lead on from "]);
  });

  it("are not replayed under another table than their own", () => {
    const begun = { ...BEGUN, table: "0".repeat(64) };
    const step = opened(begun, { rule: "lifts" });
    expect(faults([begun, step], "open", 1)).toEqual([]);
  });
});
