import { describe, expect, it } from "vitest";
import { door, violationsOf, withRow } from "../../test/rig/lockable.ts";
import type { Workflow } from "./workflow.ts";

describe("check, of a table's structure, refuses", () => {
  it.each<[string, string, Workflow, string]>([
    [
      "a name that a diagram cannot show",
      "name-invalid",
      { ...door, events: { ...door.events, "go.on": { description: "" } } },
      'The event "go.on" needs another name',
    ],
    [
      "a state called same",
      "name-invalid",
      { ...door, states: { ...door.states, same: { description: "" } } },
      'The state "same" needs another name',
    ],
    [
      "an initial state that is none",
      "state-unknown",
      { ...door, initial: "nowhere" },
      'The initial state "nowhere" is no state',
    ],
    ["no goal at all", "list-invalid", { ...door, goals: [] }, "The workflow has no goal"],
    ["an id used twice", "id-repeated", withRow("worn", { id: "fine" }), 'Several rows have the id "fine"'],
    [
      "a row from nowhere",
      "list-invalid",
      withRow("worn", { from: [] }),
      'The row "worn" must list its source states',
    ],
    [
      "a source state that is none",
      "state-unknown",
      withRow("worn", { from: ["closed", "shut"] }),
      'The row "worn" is from "shut"',
    ],
    [
      "a property of every object as a state",
      "state-unknown",
      withRow("worn", { from: ["closed", "constructor"] }),
      'is from "constructor"',
    ],
    [
      "a row from a final state",
      "state-final",
      withRow("worn", { from: ["closed", "gone"] }),
      'The row "worn" is from "gone", where the run has ended',
    ],
    [
      "an event that is none",
      "event-unknown",
      withRow("worn", { on: "lift" }),
      'The row "worn" is on "lift"; expected one of push, remove',
    ],
    [
      "a fact that is none",
      "fact-unknown",
      withRow("worn", { when: [{ colour: ["red"] }] }),
      'mentions "colour"',
    ],
    [
      "a value that is none",
      "value-unknown",
      withRow("worn", { when: [{ pushes: [2, 3] }] }),
      "asks for pushes = 3; expected one of 0, 1, 2",
    ],
    [
      "a box without a value",
      "list-invalid",
      withRow("worn", { when: [{ pushes: [] }] }),
      'must list values of "pushes"',
    ],
    ["a row without a box", "list-invalid", withRow("worn", { when: [] }), "can never apply"],
    ["a target that is none", "state-unknown", withRow("worn", { to: "nowhere" }), 'leads to "nowhere"'],
    [
      "a target in a map that is none",
      "state-unknown",
      withRow("worn", { to: { closed: "nowhere" } }),
      'leads to "nowhere"',
    ],
    [
      "a map that leaves a source state out",
      "map-incomplete",
      withRow("worn", { to: {} }),
      'does not say its to for the source state "closed"',
    ],
    [
      "a map that names another state",
      "map-incomplete",
      withRow("worn", { to: { closed: "gone", open: "gone" } }),
      'for "open", which is none of its source states',
    ],
    ["a setting of no fact", "fact-unknown", withRow("worn", { set: { colour: "red" } }), 'sets "colour"'],
    [
      "a setting of an observed fact",
      "fact-observed",
      withRow("worn", { set: { locked: true } }),
      'sets "locked", which is observed',
    ],
    ["a setting out of range", "value-unknown", withRow("worn", { set: { pushes: 9 } }), "sets pushes to 9"],
    [
      "a setting out of range in a map",
      "value-unknown",
      withRow("worn", { set: { pushes: { of: { closed: 9 } } } }),
      "sets pushes to 9",
    ],
    [
      "a setting that leaves a source state out",
      "map-incomplete",
      withRow("worn", { set: { pushes: { of: {} } } }),
      "does not say its value of pushes",
    ],
    [
      "a step that is no whole number",
      "value-unknown",
      withRow("worn", { set: { pushes: { add: 0.5 } } }),
      "adds 0.5",
    ],
    [
      "a start of an observed fact",
      "start-invalid",
      { ...door, starts: [{ locked: true }] },
      'A start gives "locked" a value',
    ],
    [
      "a start out of range",
      "value-unknown",
      { ...door, starts: [{ pushes: 7 }] },
      'A start gives "pushes" the value 7',
    ],
    ["an empty list of starts", "list-invalid", { ...door, starts: [] }, "The list of starts is empty"],
    [
      "a fact that begins out of range",
      "value-unknown",
      withFact({ values: [0, 1, 2], initial: 9 }),
      'The fact "pushes" begins as 9',
    ],
    [
      "a fact without values",
      "list-invalid",
      { ...door, facts: { ...door.facts, none: { description: "", values: [] } } },
      'The fact "none" must list its values',
    ],
    [
      "a fact with a value twice",
      "list-invalid",
      withFact({ values: [0, 1, 2, 2], initial: 0 }),
      "found 0, 1, 2, 2",
    ],
  ])("%s", (_, kind, workflow, message) => {
    const found = violationsOf(workflow).filter((each) => each.kind === kind);
    expect(found.map((each) => each.message).join("\n")).toContain(message);
  });

  function withFact(pushes: Omit<Workflow["facts"][string], "description">): Workflow {
    return { ...door, facts: { ...door.facts, pushes: { description: "", ...pushes } } };
  }
});
