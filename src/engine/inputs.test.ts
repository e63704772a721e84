import { describe, expect, it } from "vitest";
import { rule } from "../../test/rig/lockable.ts";
import { asksAlways, canMatter, completed, neededFacts } from "./inputs.ts";
import type { Facts, Workflow } from "./workflow.ts";

const flag = { description: "", values: [true, false] };

/** Green goes, red stays; whether somebody stands in the way is asked for by the rule that goes alone. */
const crossing: Workflow = {
  name: "crossing",
  title: "A crossing",
  states: { waiting: { description: "" }, across: { description: "", final: true } },
  initial: "waiting",
  events: { walk: { description: "" }, look: { description: "" } },
  facts: {
    light: { description: "", values: ["red", "green"] },
    clear: flag,
    hurry: { ...flag, initial: false },
    rain: flag,
  },
  rules: [
    rule({
      id: "goes",
      from: ["waiting"],
      on: "walk",
      when: [{ light: ["green"], clear: [true], hurry: [false] }],
      to: "across",
    }),
    rule({
      id: "runs",
      from: ["waiting"],
      on: "walk",
      when: [{ hurry: [true], clear: [true, false] }],
      to: "across",
    }),
    rule({
      id: "stays",
      from: ["waiting"],
      on: "walk",
      when: [
        { light: ["red"], hurry: [false] },
        { light: ["green"], clear: [false], hurry: [false] },
      ],
      to: "same",
      outcome: "no-effect",
    }),
    rule({ id: "looks", from: ["waiting"], on: "look", to: "same", outcome: "shown" }),
  ],
  goals: ["across"],
};

const matters = (name: string, known: Facts, hurry = false, event = "walk") =>
  canMatter(crossing, { state: "waiting", variables: { hurry } }, event, known, name);

describe("the facts that a decision needs", () => {
  it("are those that the rules of the state and event mention", () => {
    const waiting = { state: "waiting", variables: { hurry: false } };
    expect(neededFacts(crossing, waiting, "walk")).toEqual(["light", "clear"]);
    expect(neededFacts(crossing, waiting, "look")).toEqual([]);
    expect(neededFacts(crossing, { ...waiting, state: "across" }, "walk")).toEqual([]);
  });

  it("can matter as long as several rules are left and one of them asks", () => {
    expect(matters("light", {})).toBe(true);
    expect(matters("clear", {})).toBe(true);
    expect(matters("rain", {})).toBe(false);
    expect(matters("clear", { light: "green" })).toBe(true);
  });

  it("matter to the only rule that is left if it asks in each of its boxes", () => {
    // Only "stays" is left, and one of its boxes does not ask.
    expect(matters("clear", { light: "red" })).toBe(false);
    // Only "runs" is left, by the variable.
    expect(matters("clear", {}, true)).toBe(true);
    expect(matters("light", {}, true)).toBe(false);
    expect(matters("light", {}, false, "look")).toBe(false);
  });

  it("can matter if one box of one of several rules asks", () => {
    const value = { description: "", values: [1, 2] };
    const go = (id: string, when: readonly Record<string, readonly number[]>[]) =>
      rule({ id, from: ["waiting"], on: "walk", when, to: "across" });
    const rules = [go("first", [{ x: [1] }]), go("second", [{ y: [1] }, { x: [2], z: [2] }])];
    const table = { ...crossing, facts: { x: value, y: value, z: value }, rules };
    const asks = (name: string, known: Facts) =>
      canMatter(table, { state: "waiting", variables: {} }, "walk", known, name);
    expect(["x", "y", "z"].map((name) => asks(name, {}))).toEqual([true, true, true]);
    // By its first box the second rule is still left, and by its second box it asks.
    expect(asks("z", { x: 1 })).toBe(true);
    // Nothing is left.
    expect(asks("z", { x: 3, y: 3 })).toBe(false);
  });

  it("are asked for always if a rule has boxes and each of them names the fact", () => {
    const asking = (when?: readonly Record<string, readonly boolean[]>[]) =>
      asksAlways({ ...rule({ id: "r", from: [], on: "e", to: "same" }), ...(when ? { when } : {}) }, "clear");
    expect(asking()).toBe(false);
    expect(asking([])).toBe(false);
    expect(asking([{ clear: [true] }])).toBe(true);
    expect(asking([{ clear: [true] }, { rain: [true] }])).toBe(false);
  });

  it("are completed by their first value, and those that were observed stay as they are", () => {
    expect(completed(crossing, ["light", "clear"], { clear: false, more: 1 })).toEqual({
      light: "red",
      clear: false,
      more: 1,
    });
    expect(completed(crossing, ["nothing"], {})).toEqual({ nothing: null });
  });
});
