import { describe, expect, it } from "vitest";
import { keptWords } from "./counter.ts";
import { decide } from "./decide.ts";
import type { Position, Setting, Workflow } from "./workflow.ts";

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
  rows: [
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

describe("A counter among the kept facts", () => {
  it("says at its last value that it may be more, and only there", () => {
    let position: Position = { state: "open", kept: { rounds: 0, mood: "kind" } };
    const shown: string[] = [];
    for (let round = 0; round < 4; round++) {
      shown.push(keptWords(WORKFLOW, "rounds", position.kept.rounds ?? null));
      position = decide(WORKFLOW, position, "reject", {}).after;
    }
    expect(shown).toEqual(["0", "1", "2 or more", "2 or more"]);
    expect(keptWords(WORKFLOW, "mood", "grim")).toBe("grim");
    expect(keptWords(WORKFLOW, "none", "grim")).toBe("grim");
    const counting = (rounds: Setting) => ({
      ...WORKFLOW,
      rows: WORKFLOW.rows.map((row) => (row.id === "r" ? { ...row, set: { rounds } } : row)),
    });
    for (const setting of [{ add: -1 }, { add: 0 }, null, 2, { of: { open: 2 } }])
      expect(keptWords(counting(setting), "rounds", 2)).toBe("2");
  });
});
