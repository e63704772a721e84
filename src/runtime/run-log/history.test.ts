import { describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import { lastVerdicts, verdictWords } from "../reports/verdicts.ts";
import {
  brokenLinks,
  type Chained,
  checkFaults,
  configurationWords,
  differences,
  headOf,
  isSame,
  isTakenOver,
  replayFaults,
  storedTable,
  type TableStep,
} from "./history.ts";

const step = (row: string, event: string, from: string, to: string): TableStep => ({ row, event, from, to });
const OPENED = [step("opens", "push", "closed", "open"), step("closes", "push", "open", "closed")];
const begun = { state: "closed", kept: { pushes: 0 }, at: 0, begins: true };

describe("a run's history", () => {
  it("is a chain: each step is made on the hash of the one before", async () => {
    expect(await headOf([])).toBeNull();
    const first = { ...OPENED[0], prev: null };
    const second = { ...OPENED[1], prev: await headOf([first]) };
    expect(await brokenLinks([first, second])).toEqual([]);
    expect(await brokenLinks([{ ...first, row: "holds" }, second])).toEqual([
      "step 2 of its history is not made on the 1 before it",
    ]);
    expect(await brokenLinks([second], "move")).toEqual([
      "move 1 of its history is not made on the 0 before it",
    ]);
    expect(await brokenLinks([second], "move", second.prev)).toEqual([]);
    const unlinked = OPENED as unknown as readonly Chained[];
    expect(await brokenLinks(unlinked)).toEqual(["step 1 of its history is not made on the 0 before it"]);
  });

  it("is replayed through the table, from its origin to where the run stands", () => {
    const faults = (
      steps: readonly TableStep[],
      recordedState: { state: string; pushes: number },
      origin = begun,
    ) =>
      replayFaults(door, origin, steps, {
        state: recordedState.state,
        variables: { pushes: recordedState.pushes },
      });
    expect(faults(OPENED, { state: "closed", pushes: 1 })).toEqual([]);
    expect(faults(OPENED, { state: "closed", pushes: 2 })).toEqual([
      "found closed with pushes = 2; its history leads to closed with pushes = 1",
    ]);
    expect(faults(OPENED, { state: "open", pushes: 1 })).toHaveLength(1);
    expect(faults([], { state: "closed", pushes: 1 }, { ...begun, kept: { pushes: 1 } })).toEqual([
      "it did not begin where a run of the table begins",
    ]);
    const taken = { ...begun, state: "open", kept: { pushes: 1 }, at: 1, begins: false };
    expect(faults(OPENED, { state: "closed", pushes: 1 }, taken)).toEqual([]);
    expect(faults([...OPENED, ...OPENED.slice(1)], { state: "closed", pushes: 1 }, taken)).toEqual([
      "step 3 of its history (push) does not lead on from closed",
    ]);
    const starts = { ...door, starts: [{ pushes: 1 }, { pushes: 2 }] };
    const second = { ...begun, kept: { pushes: 2 } };
    expect(replayFaults(starts, second, [], { state: "closed", variables: { pushes: 2 } })).toEqual([]);
  });

  it.each([
    ["a row that is not there", step("lifts", "push", "closed", "open")],
    ["another beginning", step("opens", "push", "open", "open")],
    ["another beginning than the rule's", step("opens", "push", "gone", "open")],
    ["another end", step("opens", "push", "closed", "gone")],
    ["a rule for other variables", step("worn", "remove", "closed", "gone")],
  ])("is at fault with a step of %s", (_, wrong) => {
    expect(replayFaults(door, begun, [wrong], { state: "gone", variables: { pushes: 0 } }, "move")).toEqual([
      `move 1 of its history (${wrong.event}) does not lead on from closed`,
    ]);
  });
});

describe("a step by which a person took a run over", () => {
  const taken = step("taken_over", "taken_over", "closed", "closed");
  const faults = (...steps: readonly TableStep[]) =>
    replayFaults(door, begun, steps, { state: "closed", variables: { pushes: 0 } });

  it("moves nothing where the run stands", () => {
    expect(isTakenOver(taken)).toBe(true);
    expect(faults(taken, taken)).toEqual([]);
    expect(
      replayFaults(door, begun, [taken, ...OPENED], { state: "closed", variables: { pushes: 1 } }),
    ).toEqual([]);
  });

  it.each([
    ["has another row", { ...taken, row: "opens" }],
    ["has another event", { ...taken, event: "push" }],
    ["leads elsewhere", { ...taken, to: "open" }],
    ["comes from elsewhere", { ...taken, from: "open", to: "open" }],
  ])("is none that %s", (_, other) => {
    expect(faults(other)).toEqual([`step 1 of its history (${other.event}) does not lead on from closed`]);
  });
});

describe("a table", () => {
  it("is kept with its rules as rows, and without what only scopes a run", () => {
    const { rules, ...rest } = door;
    expect(storedTable(door)).toEqual({ ...rest, rows: rules });
  });
});

describe("two positions", () => {
  it("are the same in state and in all variables", () => {
    const at = (state: string, variables = {}) => ({ state, variables });
    expect(isSame(at("a", { x: 1, y: 2 }), at("a", { y: 2, x: 1 }))).toBe(true);
    expect(isSame(at("a"), at("b"))).toBe(false);
    expect(isSame(at("a", { x: 1 }), at("a", { x: 2 }))).toBe(false);
    expect(isSame(at("a", { x: 1 }), at("a"))).toBe(false);
    expect(isSame(at("a"), at("a", { x: 1 }))).toBe(false);
  });

  it("are told in words", () => {
    expect(configurationWords({ state: "a", variables: {} })).toBe("a");
    expect(configurationWords({ state: "a", variables: { x: 1, y: null } })).toBe("a with x = 1, y = null");
  });
});

describe("what differs between a file and its history", () => {
  it("is told by its path, whatever the order of keys", () => {
    expect(differences({ a: 1, b: { c: [1], d: 2 } }, { b: { d: 2, c: [1] }, a: 1 })).toEqual([]);
    expect(differences({ a: 1, b: { c: [1] } }, { a: 2, b: { c: [2], d: null } })).toEqual([
      "a: found 1, its history leads to 2",
      "b.c: found [1], its history leads to [2]",
      "b.d: found nothing, its history leads to null",
    ]);
    for (const other of [null, [1], "x"])
      expect(differences({ a: 1 }, other, "all")).toEqual([
        `all: found {"a":1}, its history leads to ${JSON.stringify(other)}`,
      ]);
    expect(differences(null, { a: 1 })).toHaveLength(1);
    expect(differences([1], [1])).toEqual([]);
    expect(differences("x".repeat(300), 1)).toEqual([`: found "${"x".repeat(199)}, its history leads to 1`]);
  });

  it("holds the run", () => {
    expect(() => checkFaults("a.json", "run's", [])).not.toThrow();
    expect(() => checkFaults("a.json", "run's", ["one", "two"])).toThrow(
      expect.objectContaining({
        code: "state-tampered",
        message:
          "a.json does not follow from the run's own history: one; two. The run is held until a person decides.",
        fix: "Put the file back as it was; or, if the edit is your own, accept it in a terminal with `pawl repair`.",
      }),
    );
  });
});

describe("the verdicts of persons", () => {
  const verdict = (gate: string, what: string) =>
    ({ gate, what, strength: "terminal", time: "2026-01-31T09:30:15.250Z" }) as const;

  it("are told with their time and strength", () => {
    expect(verdictWords(verdict("in_review", "in_review: approve"))).toMatch(
      /^2026-01-31T09:30:15\.250Z {2}in_review: approve \(.+\)$/,
    );
  });

  it("count by the last one at each gate", () => {
    const all = [verdict("a", "1"), verdict("b", "2"), verdict("a", "3"), verdict("c", "4")];
    expect(lastVerdicts(all).map(({ what }) => what)).toEqual(["2", "3", "4"]);
    expect(lastVerdicts([])).toEqual([]);
  });
});
