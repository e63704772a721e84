import { describe, expect, it } from "vitest";
import { checkPromises, type TablePromise } from "./promises.ts";
import type { Rule, Workflow } from "./workflow.ts";

const rule = (id: string, from: string, to: string, more: Partial<Rule> = {}): Rule => ({
  ...{ id, from: [from], on: "go", to, outcome: "moved", reply: "said" },
  ...more,
});

const CHECKS = rule("checks", "written", "checked", { on: "check" });
const SHIPS = rule("ships", "checked", "shipped", { when: [{ remote: [true] }] });
const KEEPS = rule("keeps", "checked", "kept", { when: [{ remote: [false] }] });

const WORK: Workflow = {
  name: "work",
  title: "Work",
  states: Object.fromEntries(
    ["written", "checked", "kept", "shipped"].map((name) => [name, { description: name }]),
  ),
  initial: "written",
  events: { check: { description: "It is checked." }, go: { description: "It goes on." } },
  facts: {
    remote: { description: "There is a remote.", values: [true, false] },
    tests: { description: "It has tests.", values: [true, false] },
    clean: { description: "Nothing is left.", values: [true, false] },
  },
  rules: [CHECKS, SHIPS, KEEPS],
  goals: ["shipped"],
};

const CHECKED: TablePromise = {
  no: ["shipped", "kept"],
  without: { state: "checked" },
  says: "nothing ends that is not checked",
};

const broken = (promises: readonly TablePromise[], ...more: readonly Rule[]) =>
  checkPromises({ ...WORK, rules: [...WORK.rules, ...more] }, promises, ["remote", "tests"]);

describe("What a table promises to those that extend it", () => {
  it("holds if each way leads through the state, or takes the event", () => {
    expect(broken([CHECKED, { ...CHECKED, without: { event: "check" } }])).toEqual([]);
  });

  it("is broken by a way around the state, with the way and the setting in which it is open", () => {
    const jumps = rule("jumps", "written", "shipped", { when: [{ remote: [true], tests: [false] }] });
    expect(broken([CHECKED], jumps)).toEqual([
      {
        kind: "promise-broken",
        message:
          "Its table promises that nothing ends that is not checked; here a run reaches shipped all the same.",
        state: "shipped",
        rules: ["jumps"],
        path: ["jumps"],
        facts: { remote: true, tests: false },
      },
    ]);
  });

  it("is broken by a way without the event, and says each promise once", () => {
    const promise: TablePromise = { ...CHECKED, without: { event: "check" } };
    const skips = rule("skips", "written", "checked");
    expect(broken([promise, CHECKED, promise], skips)).toEqual(
      [0, 1].map(() => ({
        kind: "promise-broken",
        message:
          "Its table promises that nothing ends that is not checked; here a run reaches shipped all the same.",
        state: "shipped",
        rules: ["ships"],
        path: ["skips", "ships"],
        facts: { remote: true, tests: true },
      })),
    );
  });

  it("counts only in the settings that it names", () => {
    const jumps = rule("jumps", "written", "kept", { when: [{ remote: [false] }] });
    const when = (remote: boolean) => broken([{ ...CHECKED, when: { remote } }], jumps);
    expect(when(true)).toEqual([]);
    expect(when(false)).toMatchObject([{ state: "kept", facts: { remote: false, tests: true } }]);
  });

  it("is not broken by two rules of which each needs another setting", () => {
    const first = rule("first", "written", "kept", { when: [{ remote: [false] }] });
    const second = rule("second", "kept", "shipped", { when: [{ remote: [true] }] });
    const promise: TablePromise = { ...CHECKED, no: ["shipped"] };
    expect(broken([promise], first, second)).toEqual([]);
    expect(
      checkPromises({ ...WORK, rules: [...WORK.rules, first, second] }, [promise], ["tests"]),
    ).toHaveLength(1);
  });

  it("is broken by a rule of several states or boxes of which one is open, whatever the other inputs are", () => {
    const jumps = rule("jumps", "written", "shipped", {
      from: ["checked", "written"],
      on: "check",
      when: [
        { remote: [false], clean: [true] },
        { remote: [true], tests: [true], clean: [false] },
      ],
    });
    expect(broken([{ ...CHECKED, when: { remote: true } }], jumps)).toMatchObject([
      { path: ["jumps"], facts: { remote: true, tests: true } },
    ]);
  });

  it("holds in a table without settings that stay the same, and of an input that it does not have", () => {
    expect(checkPromises(WORK, [CHECKED], [])).toEqual([]);
    expect(checkPromises(WORK, [CHECKED], ["missing"])).toEqual([]);
  });
});
