import { describe, expect, it } from "vitest";
import { door } from "../../test/rig/lockable.ts";
import {
  applies,
  factOf,
  isFinal,
  pairOf,
  renderBoxes,
  renderFacts,
  renderValue,
  valuesOf,
  variableNames,
} from "./lookup.ts";

describe("the lookup of a table", () => {
  it("has the rules of a state and event with the facts that they mention, and is made once", () => {
    const pair = pairOf(door, "closed", "push");
    expect(pair.rules.map(({ id }) => id)).toEqual(["opens", "holds"]);
    expect([pair.variables, pair.inputs]).toEqual([[], ["locked"]]);
    const removing = pairOf(door, "closed", "remove");
    expect([removing.variables, removing.inputs]).toEqual([["pushes"], []]);
    expect(pairOf(door, "closed", "push")).toBe(pair);
    expect(pairOf(door, "gone", "push")).toEqual({ rules: [], variables: [], inputs: [] });
    // Nothing is kept of names that the table does not have.
    expect(pairOf(door, "attic", "push")).not.toBe(pairOf(door, "attic", "push"));
    expect(pairOf(door, "closed", "sing")).not.toBe(pairOf(door, "closed", "sing"));
    expect(pairOf(door, "attic", "push").rules).toEqual([]);
    expect(variableNames(door)).toEqual(["pushes"]);
  });

  it("takes no property of every object for a fact or a state", () => {
    expect(factOf(door, "constructor")).toBeUndefined();
    expect(valuesOf(door, "constructor")).toEqual([]);
    expect(valuesOf(door, "pushes")).toEqual([0, 1, 2]);
    expect([isFinal(door, "gone"), isFinal(door, "open"), isFinal(door, "nowhere")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("lets a rule apply in some of its boxes, and in none whose fact is not known", () => {
    const rule = { ...door.rules[0], when: [{ locked: [false], pushes: [0] }, { locked: [true] }] } as never;
    expect(applies(rule, { locked: true })).toBe(true);
    expect(applies(rule, { locked: false })).toBe(false);
    expect(applies(rule, { locked: false, pushes: 0 })).toBe(true);
    expect(applies(rule, {})).toBe(false);
  });
});

describe("facts in words", () => {
  it.each([
    ["text", "text"],
    ["a/b.c-d_e:f+1", "a/b.c-d_e:f+1"],
    ["ai,human", '"ai,human"'],
    ["nullable", "nullable"],
    ["null", '"null"'],
    ["or", '"or"'],
    ["1st", '"1st"'],
    ["", '""'],
    [null, "null"],
    [true, "true"],
    [2, "2"],
  ])("show %o as %s", (value, words) => {
    expect(renderValue(value)).toBe(words);
  });

  it("name each fact and its value, or say that any will do", () => {
    expect(renderFacts({ a: 1, b: "x y" })).toBe('a = 1, b = "x y"');
    expect(renderFacts({})).toBe("any facts");
  });

  it("name the boxes, their facts and values", () => {
    expect(renderBoxes(undefined)).toBe("always");
    expect(renderBoxes([{}])).toBe("always");
    expect(renderBoxes([{ a: [1, 2], b: ["x"] }, { c: [null] }])).toBe("a = 1 or 2, b = x; or c = null");
  });
});
