import { describe, expect, it } from "vitest";
import { rule } from "../../../test/rig/lockable.ts";
import type { GateRecord } from "../../core/gate-record.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { linkFaults, replayTable, type SignedGate } from "./gate-replay.ts";

/** A release that is written, reviewed by a signed gate, and published; a second gate decides whether it stays. */
const table: Workflow = {
  name: "release",
  title: "A release",
  states: {
    drafting: { description: "" },
    in_review: { description: "" },
    published: { description: "" },
    kept: { description: "", final: true },
    dropped: { description: "", final: true },
  },
  initial: "drafting",
  events: Object.fromEntries(
    ["submit", "approve", "reject", "drop", "archive"].map((name) => [name, { description: "" }]),
  ),
  facts: { tries: { description: "", values: [0, 1, 2], initial: 0 } },
  starts: [{ tries: 0 }, { tries: 1 }],
  rules: [
    rule({ id: "submits", from: ["drafting"], on: "submit", to: "in_review", set: { tries: { add: 1 } } }),
    rule({ id: "approves", from: ["in_review"], on: "approve", to: "published" }),
    rule({ id: "rejects", from: ["in_review"], on: "reject", to: "drafting" }),
    rule({ id: "drops", from: ["drafting"], on: "drop", to: "dropped" }),
    rule({ id: "archives", from: ["published"], on: "archive", to: "kept" }),
    rule({ id: "stays", from: ["published"], on: "approve", to: "same", outcome: "no-effect" }),
  ],
  goals: ["kept"],
};

const GATES: Readonly<Record<string, GateRecord["verdict"]>> = { approve: "approve", reject: "reject" };
/** Every verdict in review is signed. */
const signed: SignedGate = ({ event, from }) => {
  const verdict = GATES[event];
  return from === "in_review" && verdict !== undefined ? { gate: "release.in_review", verdict } : null;
};

const step = (event: string, id: string, from: string, to: string) => ({ event, rule: id, from, to });
const SUBMIT = step("submit", "submits", "drafting", "in_review");
const APPROVE = step("approve", "approves", "in_review", "published");
const REJECT = step("reject", "rejects", "in_review", "drafting");
const DROP = step("drop", "drops", "drafting", "dropped");

function record(
  seq: number,
  move: ReturnType<typeof step>,
  steps: readonly object[],
  more: object = {},
): GateRecord {
  const verdict = move.event === "reject" ? "reject" : "approve";
  return {
    ...{ seq, gate: "release.in_review", verdict, steps, start: seq === 1 ? { tries: 0 } : null },
    ...move,
    ...more,
  } as unknown as GateRecord;
}
const replay = (...records: readonly GateRecord[]) => replayTable(table, records, signed);

const FIRST = record(1, REJECT, [SUBMIT]);
const SECOND = record(2, APPROVE, [REJECT, SUBMIT]);

describe("the records of a run's gates", () => {
  it("are its life, if their steps lead on from one another", () => {
    expect(replay(record(1, APPROVE, [SUBMIT]))).toEqual({ faults: [], isFinal: [true] });
    expect(replay(FIRST)).toEqual({ faults: [], isFinal: [false] });
    expect(replay(FIRST, SECOND)).toEqual({ faults: [], isFinal: [false, true] });
  });

  it("begin if a run of the table begins", () => {
    const begun = (start: object | null) => replay(record(1, REJECT, [SUBMIT], { start }), SECOND);
    expect(begun({ tries: 1 }).faults).toEqual([]);
    for (const start of [{ tries: 2 }, {}, null, { tries: 0, other: 1 }])
      expect(begun(start)).toEqual({
        faults: ["it did not begin where a run of the table begins"],
        isFinal: [false, false],
      });
    expect(replay()).toEqual({ faults: ["it did not begin where a run of the table begins"], isFinal: [] });
  });

  it("are at fault from where a step does not lead on", () => {
    const found = replay(FIRST, record(2, APPROVE, [REJECT]), record(3, APPROVE, [APPROVE]));
    expect(found).toEqual({
      faults: ['the step "approve" in "in_review" does not lead on from drafting'],
      isFinal: [false, false, false],
    });
    const wrong = { ...SUBMIT, rule: "approves" };
    expect(replay(record(1, REJECT, [wrong])).faults).toEqual([
      'the step "submit" in "drafting" does not lead on from drafting',
    ]);
  });

  it("keep the faults that were found before that", () => {
    const { faults } = replay(FIRST, record(2, APPROVE, [SUBMIT]));
    expect(faults).toEqual([
      "record 2 does not begin with the verdict of record 1",
      'the step "approve" in "in_review" does not lead on from drafting',
    ]);
  });

  it("are at fault if a signed gate was passed between them", () => {
    expect(replay(record(1, APPROVE, [SUBMIT, REJECT, SUBMIT]))).toEqual({
      faults: ['the step "reject" in "in_review" passed release.in_review without a record'],
      isFinal: [true],
    });
    // What the record before is about was recorded.
    expect(replay(FIRST, SECOND).faults).toEqual([]);
  });

  it("have no move if a life begins, and none if a person goes on from others' steps", () => {
    const begun = { ...step("start", "start", "", "drafting"), kind: "begun" };
    const adopted = { ...step("adopted", "adopted", "in_review", "in_review"), kind: "adopted" };
    expect(replay(record(1, APPROVE, [begun, SUBMIT, adopted]))).toEqual({ faults: [], isFinal: [true] });
    expect(replay(FIRST, record(2, APPROVE, [REJECT, adopted, SUBMIT])).faults).toEqual([]);
    // A life's beginning in the middle is a step that does not lead on.
    expect(replay(record(1, APPROVE, [SUBMIT, begun])).faults).toHaveLength(1);
    expect(replay(FIRST, record(2, APPROVE, [{ ...REJECT, kind: "begun" }, SUBMIT])).faults).toEqual([]);
  });

  it("are at fault if no gate is signed", () => {
    expect(replay(record(1, DROP, []))).toEqual({
      faults: ['record 1 is of the step "drop" in "drafting", at which no gate is signed'],
      isFinal: [false],
    });
  });

  it.each([
    [{ gate: "release.other" }, "approve at release.other"],
    [{ verdict: "reject" }, "reject at release.in_review"],
  ])("are at fault if they say another gate or verdict than their move: %o", (more, says) => {
    expect(replay(record(1, APPROVE, [SUBMIT], more)).faults).toEqual([
      `record 1 says ${says}, but its move is approve at release.in_review`,
    ]);
  });

  it("are final from where the goal is reached without another signed gate", () => {
    expect(replay(record(1, APPROVE, [SUBMIT])).isFinal).toEqual([true]);
    // From drafting, each way to a goal leads through the gate.
    expect(replay(FIRST).isFinal).toEqual([false]);
    const unsigned = replayTable(table, [FIRST], (move) => (move.event === "reject" ? signed(move) : null));
    expect(unsigned.isFinal).toEqual([true]);
    const goals = replayTable({ ...table, goals: ["kept", "dropped"] }, [FIRST], signed);
    expect(goals.isFinal).toEqual([true]);
    const there = { ...table, goals: ["drafting"] };
    expect(replayTable(there, [FIRST], signed).isFinal).toEqual([true]);
  });

  it("may pass a gate's event if it changes nothing", () => {
    const all: SignedGate = (move) =>
      move.event === "approve" ? { gate: "release.in_review", verdict: "approve" } : signed(move);
    expect(replayTable(table, [record(1, APPROVE, [SUBMIT])], all).isFinal).toEqual([true]);
  });
});

describe("two records in a row", () => {
  it("are linked by the verdict of the first", () => {
    expect(linkFaults(undefined, SECOND)).toEqual([]);
    expect(linkFaults(FIRST, SECOND)).toEqual([]);
    const fault = ["record 2 does not begin with the verdict of record 1"];
    for (const change of [{ event: "x" }, { rule: "x" }, { from: "x" }, { to: "x" }])
      expect(linkFaults(FIRST, record(2, APPROVE, [{ ...REJECT, ...change }, SUBMIT]))).toEqual(fault);
    expect(linkFaults(FIRST, record(2, APPROVE, []))).toEqual(fault);
  });
});
