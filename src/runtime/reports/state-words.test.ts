import { describe, expect, it } from "vitest";
import { PawlError } from "../../core/error.ts";
import type { RunOverview } from "../transaction/transaction.ts";
import { type Phase, phaseOf, stateWords } from "./state-words.ts";
import { unreadableRun } from "./unreadable-run.ts";

const RUN = {
  ...{ run: "a:1", title: "One", state: "s", next: "go on", since: "2026-01-01T00:00:00.000Z" },
  awaits: "assistant",
} as const satisfies RunOverview;

describe("a run's phase", () => {
  it.each<[Phase, string, Partial<RunOverview>]>([
    ["working", "an assistant is next", {}],
    ["working", "an agent is next", { awaits: "agent", questions: [] }],
    ["yours", "a person is next", { awaits: "human", since: null }],
    ["yours", "it cannot be read", { problem: { message: "", fix: "" } }],
    ["yours", "its agent asks", { questions: [{ id: "1", text: "?", since: "", command: "" }] }],
    ["open", "it has not begun", { since: null }],
    ["waiting", "nobody is next, and something is", { awaits: "nobody" }],
    ["done", "nothing is next", { awaits: "nobody", next: "nothing" }],
    ["done", "nobody is next, and nothing is", { awaits: "nobody", next: "" }],
  ])("is %s if %s", (phase, _, more) => {
    expect(phaseOf({ ...RUN, ...more })).toBe(phase);
  });
});

describe("a state's name in words", () => {
  it.each([
    ["target_red", "waits for its target"],
    ["waiting_for_human", "waits for you"],
    ["in_review_2", "in review 2"],
    ["drafting", "drafting"],
    ["In Review", "In Review"],
    ["IN_REVIEW", "IN_REVIEW"],
    ["_odd", "_odd"],
    ["odd_", "odd_"],
    ["in_review now", "in_review now"],
    ["toString", "toString"],
  ])("%s", (state, words) => {
    expect(stateWords(state)).toBe(words);
  });
});

describe("a run that cannot be read", () => {
  it("waits for a person, with the error and how to mend it", () => {
    const thrown = new PawlError("state-tampered", "It was edited.", "Put it back.");
    expect(unreadableRun("a:1", "One", thrown, { command: "pawl repair" })).toEqual({
      ...{ run: "a:1", title: "One", state: "unreadable", awaits: "human", next: "", since: null },
      command: "pawl repair",
      problem: { code: "state-tampered", message: "It was edited.", fix: "Put it back." },
    });
  });
});
