import { describe, expect, it } from "vitest";
import { variableWords } from "./counter.ts";
import { decide } from "./decide.ts";
import type { Configuration, Setting, Workflow } from "./workflow.ts";

const WORKFLOW: Workflow = {
  name: "counted",
  title: "Counted",
  initial: "open",
  states: { open: { description: "It is open." }, shut: { description: "It is shut.", final: true } },
  events: { reject: { description: "Again" }, shut: { description: "Enough" } },
  facts: {
    rounds: { description: "How often it was rejected.", values: [0, 1, 2], initial: 0 },
    mood: { description: "How it is meant.", values: ["kind", "grim"], initial: "kind" },
  },
  rules: [
    {
      id: "r",
      from: ["open"],
      on: "reject",
      to: "same",
      set: { rounds: { add: 1 }, mood: "grim" },
      outcome: "moved",
      reply: "r",
    },
    { id: "s", from: ["open"], on: "shut", to: "shut", outcome: "moved", reply: "s" },
  ],
  goals: ["shut"],
};

describe("A counter among the variables", () => {
  it("says at its last value that it may be more, and only there", () => {
    let configuration: Configuration = { state: "open", variables: { rounds: 0, mood: "kind" } };
    const shown: string[] = [];
    for (let round = 0; round < 4; round++) {
      shown.push(variableWords(WORKFLOW, "rounds", configuration.variables.rounds ?? null));
      configuration = decide(WORKFLOW, configuration, "reject", {}).after;
    }
    expect(shown).toEqual(["0", "1", "2 or more", "2 or more"]);
    expect(variableWords(WORKFLOW, "mood", "grim")).toBe("grim");
    expect(variableWords(WORKFLOW, "none", "grim")).toBe("grim");
    const counting = (rounds: Setting) => ({
      ...WORKFLOW,
      rules: WORKFLOW.rules.map((rule) => (rule.id === "r" ? { ...rule, set: { rounds } } : rule)),
    });
    for (const setting of [{ add: -1 }, { add: 0 }, null, 2, { of: { open: 2 } }])
      expect(variableWords(counting(setting), "rounds", 2)).toBe("2");
  });
});
