import { describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import { lastVerdicts, verdictWords } from "../reports/verdicts.ts";
import { checkFaults, configurationWords, differences, isSame, storedTable } from "./history.ts";

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

  it("are shown in words", () => {
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
