import { describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import { stepOn } from "../../../test/rig/steps.ts";
import { projectPath } from "../../core/path.ts";
import { fromStored, hashOfTable, toStored } from "./history.ts";
import type { Commit, RunKind, RunLaw } from "./kind.ts";
import type { Json } from "./patch.ts";
import { branchFaults, chainFault, checkBranch, logFaults } from "./replay.ts";
import { hashOfDocument, type Line, type Step } from "./step.ts";
import type { RunBranch } from "./team-records.ts";

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

  it("begin if a run of the table begins", () => {
    const begun = { ...BEGUN, set: { pushes: 1 } };
    expect(faults([begun], "closed", 1)).toEqual(["step 1 of its log (begun) does not lead on from "]);
  });

  it("begin in one of the table's starts", () => {
    const starts = { ...door, starts: [{ pushes: 0 }, { pushes: 1 }] };
    const kind: RunKind = { ...KIND, tableOf: () => starts };
    const begun = { ...BEGUN, set: { pushes: 1 }, table: hashOfTable(starts) };
    expect(branchFaults(kind, [begun], { state: "closed", variables: { pushes: 1 } })).toEqual([]);
  });

  it("do not lead on without an event or a rule", () => {
    const { event: _, ...noEvent } = opened(BEGUN);
    const { rule: __, ...noRule } = opened(BEGUN);
    for (const step of [noEvent, noRule]) expect(faults([BEGUN, step], "open", 1)).toHaveLength(1);
  });

  it("hold a branch that others recorded if they do not lead to its state", () => {
    const path = projectPath(".alfred/records/door/front/1.jsonl");
    const branch = (pushes: number): RunBranch<ReturnType<typeof toStored>> => ({
      ...{ head: "", steps: [BEGUN, OPENED] },
      recorded: { path, recordedState: toStored({ state: "open", variables: { pushes } }) },
    });
    expect(fromStored(toStored({ state: "open", variables: { pushes: 1 } }))).toEqual({
      ...{ state: "open", variables: { pushes: 1 } },
    });
    expect(() => checkBranch(KIND, branch(1))).not.toThrow();
    expect(() => checkBranch(KIND, branch(2))).toThrow(
      expect.objectContaining({
        code: "records-invalid",
        message: expect.stringContaining("found open with pushes = 2"),
      }),
    );
    expect(() => checkBranch(KIND, { ...branch(2), recorded: null })).not.toThrow();
  });

  it("are not replayed under another table than their own", () => {
    const begun = { ...BEGUN, table: "0".repeat(64) };
    const step = opened(begun, { rule: "lifts" });
    expect(faults([begun, step], "open", 1)).toEqual([]);
  });
});

describe("a whole log under a law of its workflow", () => {
  const RUN_OF = "count:1";
  /** Each step adds its event's number to what was before. */
  function lawOf(commits: Commit[] = []): RunLaw {
    return {
      first: 0,
      after(before, { event = "0" }, commit) {
        commits.push(commit);
        return event === "9" ? { fault: "nine is too many" } : Number(before) + Number(event);
      },
    };
  }
  const kindOf = (law: RunLaw): RunKind => ({ ...KIND, tableOf: () => null, law });
  const move = (before: Step | undefined, event: string) => stepOn(before, RUN_OF, event);
  const line = (step: Step | null, document?: Json, seq = step?.seq): Line =>
    ({
      ...{ id: "", step },
      ...(document === undefined
        ? {}
        : {
            local: {
              document: hashOfDocument(JSON.stringify(document)),
              ...{ patch: { all: document }, checkpoint: { seq }, events: [] },
            },
          }),
    }) as unknown as Line;
  const one = move(undefined, "1");
  const two = move(one, "2");
  const three = move(two, "3");

  it("follows it, through several steps of one commit and lines without a step", () => {
    const commits: Commit[] = [];
    const lines = [line(one), line(two, 3), line(null, 3, 2), line(three, 6)];
    expect(logFaults(kindOf(lawOf(commits)), lines)).toEqual([]);
    expect(commits).toEqual([
      { decides: 3, isFirst: true, isLast: false },
      { decides: 3, isFirst: false, isLast: true },
      { decides: 6, isFirst: true, isLast: true },
    ]);
  });

  it("begins a new life only if there was no state before", () => {
    const commits: Commit[] = [];
    const patched = { ...line(two, { n: 3 }) };
    const local = { ...patched.local, patch: { set: { n: 3 } } } as Line["local"];
    const law: RunLaw = {
      first: null,
      after(_, __, commit) {
        commits.push(commit);
        return commit.decides;
      },
    };
    const cutOff = line(three);
    logFaults(kindOf(law), [line(one, { n: 1 }), { ...patched, local } as Line, cutOff]);
    expect(commits.slice(1)).toEqual([
      { decides: { n: 3 }, isFirst: false, isLast: true },
      { decides: null, isFirst: false, isLast: false },
    ]);
  });

  it("does not follow if the law refuses a step, or leads elsewhere than was written", () => {
    expect(logFaults(kindOf(lawOf()), [line(one, 1), line(move(one, "9"), 10)])).toEqual([
      "step 2 of its log cannot be: nine is too many",
    ]);
    expect(logFaults(kindOf(lawOf()), [line(one, 1), line(two, 4)])).toEqual([
      "step 2 of its log does not lead to what was written after it",
    ]);
    const objects: RunLaw = { first: null, after: () => ({ n: 1 }) };
    expect(logFaults(kindOf(objects), [line(one, { n: 1 })])).toEqual([]);
    const nothing: RunLaw = { first: null, after: () => null };
    expect(logFaults(kindOf(nothing), [line(one, null)])).toEqual([]);
  });

  it("does not follow if its documents are others than their hashes", () => {
    const changed = { ...line(two, 3) };
    const local = { ...changed.local, patch: { all: 7 } } as Line["local"];
    expect(
      logFaults({ ...KIND, tableOf: () => null }, [line(one, 1), { ...changed, local } as Line]),
    ).toEqual(["what its log says of the state after step 2 is not what was written"]);
  });

  it("begins anew with a person's decision", () => {
    const accepted: Step = { ...stepOn(two, RUN_OF, "5"), kind: "accepted" };
    const wrong = [line({ ...one, seq: 7 }, 5), line(accepted, 5), line(stepOn(accepted, RUN_OF, "1"), 6)];
    expect(logFaults({ ...KIND, tableOf: () => null }, wrong)).toEqual([]);
  });
});
