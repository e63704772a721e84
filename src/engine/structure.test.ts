import { describe, expect, it } from "vitest";
import { door, violationsOf, withRule } from "../../test/rig/lockable.ts";
import { promise } from "../../test/rig/promise.ts";
import type { Violation } from "./violation.ts";
import type { State, Workflow } from "./workflow.ts";

describe("check, of a table's structure, refuses", () => {
  it.each<[string, string, Workflow, Pick<Violation, "message"> & Partial<Violation>]>([
    [
      "a name that a diagram cannot show",
      "name-invalid",
      { ...door, events: { ...door.events, "go.on": { description: "" } } },
      {
        message:
          'The event "go.on" needs another name: expected a letter, then letters, digits, _ : or -, and not "same".',
      },
    ],
    [
      "a state called same",
      "name-invalid",
      { ...door, states: { ...door.states, same: { description: "" } } },
      {
        message:
          'The state "same" needs another name: expected a letter, then letters, digits, _ : or -, and not "same".',
      },
    ],
    [
      "an initial state that is none",
      "state-unknown",
      { ...door, initial: "nowhere" },
      { message: 'The initial state "nowhere" is not a state; expected one of closed, open, gone.' },
    ],
    [
      "no goal at all",
      "list-invalid",
      { ...door, goals: [] },
      { message: "The workflow has no goal; expected at least one state that a run should come to." },
    ],
    [
      "an id used twice",
      "id-repeated",
      withRule("worn", { id: "fine" }),
      { message: 'Several rules have the id "fine"; expected each once.', rules: ["fine"] },
    ],
    [
      "a rule from nowhere",
      "list-invalid",
      withRule("worn", { from: [] }),
      { message: 'The rule "worn" must list its source states, each once; found none.', rules: ["worn"] },
    ],
    [
      "a source state that is none",
      "state-unknown",
      withRule("worn", { from: ["closed", "shut"] }),
      { message: 'The rule "worn" is from "shut", which is not a state.', rules: ["worn"], state: "shut" },
    ],
    [
      "a property of every object as a state",
      "state-unknown",
      withRule("worn", { from: ["closed", "constructor"] }),
      {
        message: 'The rule "worn" is from "constructor", which is not a state.',
        rules: ["worn"],
        state: "constructor",
      },
    ],
    [
      "a rule from a final state",
      "state-final",
      withRule("worn", { from: ["closed", "gone"] }),
      { message: 'The rule "worn" is from "gone", where the run has ended.', rules: ["worn"], state: "gone" },
    ],
    [
      "an event that is none",
      "event-unknown",
      withRule("worn", { on: "lift" }),
      {
        message: 'The rule "worn" is on "lift"; expected one of push, remove.',
        rules: ["worn"],
        event: "lift",
      },
    ],
    [
      "a fact that is none",
      "fact-unknown",
      withRule("worn", { when: [{ colour: ["red"] }] }),
      { message: 'The rule "worn" mentions "colour", which is not a fact.', rules: ["worn"] },
    ],
    [
      "a value that is none",
      "value-unknown",
      withRule("worn", { when: [{ pushes: [2, 3] }] }),
      { message: 'The rule "worn" asks for pushes = 3; expected one of 0, 1, 2.', rules: ["worn"] },
    ],
    [
      "a box without a value",
      "list-invalid",
      withRule("worn", { when: [{ pushes: [] }] }),
      { message: 'The rule "worn" must list values of "pushes", each once; found none.', rules: ["worn"] },
    ],
    [
      "a rule without a box",
      "list-invalid",
      withRule("worn", { when: [] }),
      {
        message:
          'The rule "worn" has an empty list of boxes and can never apply; leave `when` out for every combination.',
        rules: ["worn"],
      },
    ],
    [
      "a target that is none",
      "state-unknown",
      withRule("worn", { to: "nowhere" }),
      {
        message: 'The rule "worn" leads to "nowhere", which is not a state.',
        rules: ["worn"],
        state: "nowhere",
      },
    ],
    [
      "a target in a map that is none",
      "state-unknown",
      withRule("worn", { to: { closed: "nowhere" } }),
      {
        message: 'The rule "worn" leads to "nowhere", which is not a state.',
        rules: ["worn"],
        state: "nowhere",
      },
    ],
    [
      "a map that leaves a source state out",
      "map-incomplete",
      withRule("worn", { to: {} }),
      {
        message: 'The rule "worn" does not say its to for the source state "closed".',
        rules: ["worn"],
        state: "closed",
      },
    ],
    [
      "a map that names another state",
      "map-incomplete",
      withRule("worn", { to: { closed: "gone", open: "gone" } }),
      {
        message: 'The rule "worn" gives its to for "open", which is not one of its source states.',
        rules: ["worn"],
        state: "open",
      },
    ],
    [
      "a setting of no fact",
      "fact-unknown",
      withRule("worn", { set: { colour: "red" } }),
      { message: 'The rule "worn" sets "colour", which is not a fact.', rules: ["worn"] },
    ],
    [
      "a setting of an input",
      "input-set",
      withRule("worn", { set: { locked: true } }),
      {
        message:
          'The rule "worn" sets "locked", which is an input; only variables (with `initial`) can be set.',
        rules: ["worn"],
      },
    ],
    [
      "a setting out of range",
      "value-unknown",
      withRule("worn", { set: { pushes: 9 } }),
      { message: 'The rule "worn" sets pushes to 9; expected one of 0, 1, 2.', rules: ["worn"] },
    ],
    [
      "a setting out of range in a map",
      "value-unknown",
      withRule("worn", { set: { pushes: { of: { closed: 9 } } } }),
      { message: 'The rule "worn" sets pushes to 9; expected one of 0, 1, 2.', rules: ["worn"] },
    ],
    [
      "a setting that leaves a source state out",
      "map-incomplete",
      withRule("worn", { set: { pushes: { of: {} } } }),
      {
        message: 'The rule "worn" does not say its value of pushes for the source state "closed".',
        rules: ["worn"],
        state: "closed",
      },
    ],
    [
      "a step that is no whole number",
      "value-unknown",
      withRule("worn", { set: { pushes: { add: 0.5 } } }),
      { message: 'The rule "worn" adds 0.5 to "pushes"; expected a whole number.', rules: ["worn"] },
    ],
    [
      "a start of an input",
      "start-invalid",
      { ...door, starts: [{ locked: true }] },
      { message: 'A start gives "locked" a value; expected a variable.' },
    ],
    [
      "a start out of range",
      "value-unknown",
      { ...door, starts: [{ pushes: 7 }] },
      { message: 'A start gives "pushes" the value 7; expected one of 0, 1, 2.' },
    ],
    [
      "an empty list of starts",
      "list-invalid",
      { ...door, starts: [] },
      { message: "The list of starts is empty; leave it out, or say with what a run may begin." },
    ],
    [
      "a fact that begins out of range",
      "value-unknown",
      withFact({ values: [0, 1, 2], initial: 9 }),
      { message: 'The fact "pushes" begins as 9; expected one of 0, 1, 2.' },
    ],
    [
      "a fact without values",
      "list-invalid",
      { ...door, facts: { ...door.facts, none: { description: "", values: [] } } },
      { message: 'The fact "none" must list its values, each once; found none.' },
    ],
    [
      "a fact that is called as a word of every object",
      "start-invalid",
      { ...door, starts: [{ constructor: 1 }] } as unknown as Workflow,
      { message: 'A start gives "constructor" a value; expected a variable.' },
    ],
    [
      "a name that begins with a number, or is empty",
      "name-invalid",
      { ...door, name: "" },
      {
        message:
          'The workflow "" needs another name: expected a letter, then letters, digits, _ : or -, and not "same".',
      },
    ],
    [
      "a source state twice",
      "list-invalid",
      withRule("worn", { from: ["closed", "closed"] }),
      {
        message: 'The rule "worn" must list its source states, each once; found closed, closed.',
        rules: ["worn"],
      },
    ],
    [
      "a fact with a value twice",
      "list-invalid",
      withFact({ values: [0, 1, 2, 2], initial: 0 }),
      { message: 'The fact "pushes" must list its values, each once; found 0, 1, 2, 2.' },
    ],
    [
      "a state without a scope beside one that has it",
      "scope-missing",
      withScopes({ open: { writes: "worktree" } }),
      {
        message:
          'The state "closed" does not say what it writes, as others do; expected one of none, plan, worktree, all.',
        state: "closed",
      },
    ],
    [
      "a state that only forbids",
      "scope-missing",
      withScopes({ closed: { writes: "none" }, open: { forbids: ["push"] } }),
      {
        message:
          'The state "open" does not say what it writes, as others do; expected one of none, plan, worktree, all.',
        state: "open",
      },
    ],
    [
      "a scope that is none",
      "value-unknown",
      withScopes({ closed: { writes: "everything" }, open: { writes: "none" } }),
      {
        message: 'The state "closed" writes "everything"; expected one of none, plan, worktree, all.',
        state: "closed",
      },
    ],
    [
      "an act of git that is none",
      "value-unknown",
      withScopes({ closed: { writes: "all", forbids: ["pull"] }, open: { writes: "none" } }),
      { message: 'The state "closed" forbids "pull"; expected one of commit, push.', state: "closed" },
    ],
    [
      "an act of git that is forbidden twice",
      "list-invalid",
      withScopes({ closed: { writes: "all", forbids: ["push", "push"] }, open: { writes: "none" } }),
      {
        message: 'The state "closed" must list what it forbids, each once; found push, push.',
        state: "closed",
      },
    ],
  ])("%s", (_, kind, workflow, violation) => {
    promise("scope.every-state");
    const found = violationsOf(workflow).filter((each) => each.kind === kind);
    expect(found).toEqual([{ kind, rules: [], ...violation }]);
  });

  function withScopes(scopes: Readonly<Record<string, object>>): Workflow {
    const states = Object.entries(door.states).map(([name, state]) => [name, { ...state, ...scopes[name] }]);
    return { ...door, states: Object.fromEntries(states) };
  }

  function withFact(pushes: Omit<Workflow["facts"][string], "description">): Workflow {
    return { ...door, facts: { ...door.facts, pushes: { description: "", ...pushes } } };
  }
});

describe("check, of a table's scopes, accepts", () => {
  const scope = { writes: "plan", forbids: [] } as const;
  const { closed, gone, open } = door.states as Record<"closed" | "gone" | "open", State>;

  it("none at all, one for every state, and a state without one if the run is over", () => {
    promise("scope.every-state");
    expect(violationsOf(door)).toEqual([]);
    const states = { closed: { ...closed, ...scope }, open: { ...open, writes: "none" as const } };
    expect(violationsOf({ ...door, states: { ...states, gone } })).toEqual([]);
    expect(violationsOf({ ...door, states: { ...states, gone: { ...gone, ...scope } } })).toEqual([]);
  });
});
