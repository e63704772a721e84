import { describe, expect, it } from "vitest";
import { repliesOf, startTask } from "../../test/rig/review-machines.ts";
import { PawlError } from "../core/error.ts";
import { check } from "./check.ts";
import { decide, initialConfiguration } from "./decide.ts";
import { checkReachable, isReachable, movingEvents, pathTo, reachOf } from "./reach.ts";
import type { Configuration, Rule, Workflow } from "./workflow.ts";

const lamp: Workflow = {
  name: "lamp",
  title: "A lamp",
  states: { off: { description: "" }, on: { description: "" }, broken: { description: "", final: true } },
  initial: "off",
  events: { press: { description: "" }, drop: { description: "" } },
  facts: {
    power: { description: "", values: ["none", "some"] },
    weather: { description: "", values: ["dry", "wet"] },
    presses: { description: "", values: [0, 1, 2], initial: 0 },
    origin: { description: "", values: [null, "table", "floor"], initial: null },
  },
  starts: [{}, { presses: 1 }],
  rules: [
    rule({
      id: "light",
      from: ["off"],
      on: "press",
      when: [{ power: ["some"] }],
      to: "on",
      set: { presses: { add: 1 } },
    }),
    rule({
      id: "dark",
      from: ["off"],
      on: "press",
      when: [{ power: ["none"] }],
      to: "same",
      outcome: "no-effect",
    }),
    rule({ id: "out", from: ["on"], on: "press", to: "off", set: { presses: { add: -2 } } }),
    rule({
      id: "fall",
      from: ["off", "on"],
      on: "drop",
      to: { off: "broken", on: "off" },
      set: { origin: { of: { off: "floor", on: "table" } } },
    }),
  ],
  goals: ["broken"],
};

function rule(own: Partial<Rule> & Pick<Rule, "id" | "from" | "on" | "to">): Rule {
  return { outcome: "moved", reply: "said", ...own };
}

function at(state: string, presses = 0, origin: string | null = null): Configuration {
  return { state, variables: { presses, origin } };
}

function errorOf(work: () => unknown): { code: string; message: string; fix: string } {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof PawlError) return { code: thrown.code, message: thrown.message, fix: thrown.fix };
    throw thrown;
  }
  throw new Error("Nothing was thrown.");
}

describe("decide", () => {
  it("stands on a table that is proved", () => {
    expect(check({ workflow: lamp, replies: ["said"] }).violations).toEqual([]);
  });

  it("answers the one rule that applies, where the run was and where it comes to", () => {
    const before = at("off");
    expect(decide(lamp, before, "press", { power: "some" })).toEqual({
      rule: lamp.rules[0],
      before: { state: "off", variables: { presses: 0, origin: null } },
      after: { state: "on", variables: { presses: 1, origin: null } },
    });
    expect(before).toEqual(at("off"));
  });

  it("asks only for the facts that the rules of that state and event mention", () => {
    expect(decide(lamp, at("on", 1), "press", {}).rule.id).toBe("out");
    expect(decide(lamp, at("off"), "press", { power: "none", weather: "odd", tea: 3 }).rule.id).toBe("dark");
  });

  it("sets a value per source state, and leads each to its own target", () => {
    expect(decide(lamp, at("off"), "drop", {}).after).toEqual(at("broken", 0, "floor"));
    expect(decide(lamp, at("on", 1), "drop", {}).after).toEqual(at("off", 1, "table"));
  });

  it("adds steps along the values, and stays at the last and at the first", () => {
    expect(decide(lamp, at("off", 2), "press", { power: "some" }).after.variables.presses).toBe(2);
    expect(decide(lamp, at("on", 1), "press", {}).after.variables.presses).toBe(0);
  });

  it("refuses a state that the table does not have, and names those that it has", () => {
    expect(errorOf(() => decide(lamp, at("glowing"), "press", {}))).toEqual({
      code: "run-unreachable",
      message: 'The run of lamp is in state "glowing"; expected one of off, on, broken.',
      fix: expect.stringContaining("Correct the run's state file"),
    });
    expect(errorOf(() => decide(lamp, at("constructor"), "press", {})).code).toBe("run-unreachable");
  });

  it.each([
    ["out of range", { presses: 9, origin: null }, "has presses = 9; expected one of 0, 1, 2"],
    ["missing", { presses: 1 }, "has origin = nothing; expected one of null, table, floor"],
    [
      "of no fact",
      { presses: 1, origin: null, colour: "red" },
      'has the variable "colour"; expected only presses, origin',
    ],
    ["of an input", { presses: 1, origin: null, power: "some" }, 'has the variable "power"'],
    ["of every object", { presses: 1, origin: null, toString: 1 } as never, 'has the variable "toString"'],
  ])("refuses a variable that is %s", (_, variables, message) => {
    const error = errorOf(() => decide(lamp, { state: "off", variables }, "press", { power: "some" }));
    expect(error.code).toBe("run-unreachable");
    expect(error.message).toContain(message);
  });

  it("says which variables are expected if a table has none", () => {
    const simple = {
      ...lamp,
      facts: { power: { description: "", values: ["none", "some"] } },
      starts: [{}],
      rules: [],
    };
    const error = errorOf(() => decide(simple, { state: "off", variables: { colour: "red" } }, "press", {}));
    expect(error.message).toBe('The run of lamp has the variable "colour"; expected only none.');
  });

  it("takes no event after the end", () => {
    expect(errorOf(() => decide(lamp, at("broken", 0, "floor"), "press", { power: "some" }))).toMatchObject({
      code: "no-effect",
      message: 'The run of lamp has ended in state "broken"; it takes no "press" any more.',
      fix: "Nothing to do: the run is complete.",
    });
  });

  it("calls an unknown event, a missing observation and one out of range the program's own mistake", () => {
    expect(errorOf(() => decide(lamp, at("off"), "kick", {}))).toMatchObject({
      code: "internal",
      message: 'lamp has no event "kick"; expected one of press, drop.',
      fix: "Report this: what was observed does not fit the workflow's facts.",
    });
    expect(errorOf(() => decide(lamp, at("off"), "toString", {})).code).toBe("internal");
    expect(errorOf(() => decide(lamp, at("off"), "press", {})).message).toBe(
      'lamp was asked about "press" in state "off" with power = nothing; expected one of none, some.',
    );
    expect(errorOf(() => decide(lamp, at("off"), "press", { power: "half" })).message).toContain(
      'power = "half"; expected one of none, some',
    );
  });

  it("names state, event, facts and rules if a table has none or several for them", () => {
    const gap = { ...lamp, rules: lamp.rules.filter(({ id }) => id !== "dark") };
    expect(errorOf(() => decide(gap, at("off"), "press", { power: "none" }))).toEqual({
      code: "workflow-invalid",
      message:
        'lamp: expected exactly one rule for "press" in state "off" with power = none; found that no rule applies.',
      fix: "Correct the table; `pawl check lamp` shows all that is wrong with it.",
    });
    const twice = {
      ...lamp,
      rules: [...lamp.rules, rule({ id: "off", from: ["on"], on: "press", to: "off" })],
    };
    expect(errorOf(() => decide(twice, at("on", 1), "press", {})).message).toContain(
      "the rules out, off apply",
    );
  });

  it("blames the run, not the table, where no run can come", () => {
    const error = errorOf(() =>
      decide(
        startTask.workflow,
        { state: "awaiting_ai_review", variables: { review_source: null, review_policy: "ai" } },
        "approve",
        {},
      ),
    );
    expect(error.code).toBe("run-unreachable");
    expect(error.message).toContain("stands where no sequence of events leads");
    expect(
      check({ workflow: startTask.workflow, replies: repliesOf(startTask.workflow) }).violations,
    ).toEqual([]);
  });
});

describe("initialConfiguration", () => {
  it("is the initial state with the variables' initial values, or those of a start", () => {
    expect(initialConfiguration(lamp)).toEqual(at("off"));
    expect(initialConfiguration(lamp, { presses: 1 })).toEqual(at("off", 1));
  });

  it("refuses a start that the workflow does not declare", () => {
    expect(errorOf(() => initialConfiguration(lamp, { presses: 2 }))).toMatchObject({
      code: "workflow-invalid",
      message:
        "A run of lamp cannot begin with presses = 2; expected one of presses = 0, origin = null; presses = 1, origin = null.",
      fix: "Begin with one of the listed, or add it to the workflow's `starts`.",
    });
    expect(errorOf(() => initialConfiguration(lamp, { colour: "red" })).code).toBe("workflow-invalid");
  });
});

describe("a configuration", () => {
  it("is reachable if some sequence of events leads to it from a start", () => {
    expect(isReachable(lamp, at("on", 2))).toBe(true);
    expect(isReachable(lamp, at("on", 0))).toBe(false);
    expect(isReachable(lamp, at("broken", 0))).toBe(false);
    expect(isReachable(lamp, { state: "off", variables: { presses: 0 } })).toBe(false);
    expect(isReachable(lamp, { state: "off", variables: { presses: 0, origin: null, more: 1 } })).toBe(false);
    expect(isReachable(lamp, at("glowing"))).toBe(false);
  });

  it("is left by the events that some rule moves it by, whatever is observed", () => {
    expect(movingEvents(lamp, at("off"))).toEqual(["press", "drop"]);
    expect(movingEvents(lamp, at("broken"))).toEqual([]);
    const stays = { ...lamp, rules: lamp.rules.filter(({ id }) => id !== "light") };
    expect(movingEvents(stays, at("off"))).toEqual(["drop"]);
    const worn = lamp.rules.map((each) =>
      each.id === "light" ? { ...each, when: [{ presses: [0, 1] }] } : each,
    );
    expect(movingEvents({ ...lamp, rules: worn }, at("off", 2))).toEqual(["drop"]);
  });

  it("is walked to once for each table, by the shortest way of rules", () => {
    const reach = reachOf(lamp);
    expect(reachOf(lamp)).toBe(reach);
    const index = reach.configurations.findIndex(({ configuration }) => configuration.state === "broken");
    expect(pathTo(reach, index).map(({ id }) => id)).toEqual(["fall"]);
    expect(pathTo(reach, 0)).toEqual([]);
    expect(reach.cut).toBe(false);
  });

  it("that no run can come to is an error which says what was expected there", () => {
    expect(() => checkReachable(lamp, at("on", 1))).not.toThrow();
    expect(errorOf(() => checkReachable(lamp, at("broken", 1, null)))).toMatchObject({
      code: "run-unreachable",
      message:
        'The run of lamp is in state "broken" with presses = 1, origin = null, where no sequence of events leads; expected (presses = 0, origin = floor) or (presses = 1, origin = floor) or (presses = 2, origin = floor).',
    });
    expect(errorOf(() => checkReachable(lamp, at("glowing"))).message).toContain(
      "expected one of off, on, broken",
    );
    const attic = { ...lamp, states: { ...lamp.states, attic: { description: "" } } };
    expect(errorOf(() => checkReachable(attic, at("attic"))).message).toBe(
      'The run of lamp is in state "attic" with presses = 0, origin = null, where no sequence of events leads; expected another state.',
    );
    const long = (values: number) => {
      const facts = {
        ...lamp.facts,
        presses: { description: "", values: [0, 1, 2, 3, 4, 5, 6].slice(0, values), initial: 0 },
      };
      const rules = lamp.rules.map((each) => (each.id === "out" ? { ...each, set: {} } : each));
      return errorOf(() => checkReachable({ ...lamp, facts, rules, starts: [{}] }, at("off", 0, "floor")))
        .message;
    };
    expect(long(3)).toMatch(/ or \(presses = 2, origin = table\)\.$/);
    expect(long(7)).toMatch(/ or …\.$/);
  });
});
