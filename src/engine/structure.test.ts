import { describe, expect, it } from "vitest";
import { door, violationsOf, withRow } from "../../test/rig/lockable.ts";
import type { Violation } from "./violation.ts";
import type { Workflow } from "./workflow.ts";

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
      { message: 'The initial state "nowhere" is no state; expected one of closed, open, gone.' },
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
      withRow("worn", { id: "fine" }),
      { message: 'Several rows have the id "fine"; expected each once.', rows: ["fine"] },
    ],
    [
      "a row from nowhere",
      "list-invalid",
      withRow("worn", { from: [] }),
      { message: 'The row "worn" must list its source states, each once; found none.', rows: ["worn"] },
    ],
    [
      "a source state that is none",
      "state-unknown",
      withRow("worn", { from: ["closed", "shut"] }),
      { message: 'The row "worn" is from "shut", which is no state.', rows: ["worn"], state: "shut" },
    ],
    [
      "a property of every object as a state",
      "state-unknown",
      withRow("worn", { from: ["closed", "constructor"] }),
      {
        message: 'The row "worn" is from "constructor", which is no state.',
        rows: ["worn"],
        state: "constructor",
      },
    ],
    [
      "a row from a final state",
      "state-final",
      withRow("worn", { from: ["closed", "gone"] }),
      { message: 'The row "worn" is from "gone", where the run has ended.', rows: ["worn"], state: "gone" },
    ],
    [
      "an event that is none",
      "event-unknown",
      withRow("worn", { on: "lift" }),
      {
        message: 'The row "worn" is on "lift"; expected one of push, remove.',
        rows: ["worn"],
        event: "lift",
      },
    ],
    [
      "a fact that is none",
      "fact-unknown",
      withRow("worn", { when: [{ colour: ["red"] }] }),
      { message: 'The row "worn" mentions "colour", which is no fact.', rows: ["worn"] },
    ],
    [
      "a value that is none",
      "value-unknown",
      withRow("worn", { when: [{ pushes: [2, 3] }] }),
      { message: 'The row "worn" asks for pushes = 3; expected one of 0, 1, 2.', rows: ["worn"] },
    ],
    [
      "a box without a value",
      "list-invalid",
      withRow("worn", { when: [{ pushes: [] }] }),
      { message: 'The row "worn" must list values of "pushes", each once; found none.', rows: ["worn"] },
    ],
    [
      "a row without a box",
      "list-invalid",
      withRow("worn", { when: [] }),
      {
        message:
          'The row "worn" has an empty list of boxes and can never apply; leave `when` out for every world.',
        rows: ["worn"],
      },
    ],
    [
      "a target that is none",
      "state-unknown",
      withRow("worn", { to: "nowhere" }),
      { message: 'The row "worn" leads to "nowhere", which is no state.', rows: ["worn"], state: "nowhere" },
    ],
    [
      "a target in a map that is none",
      "state-unknown",
      withRow("worn", { to: { closed: "nowhere" } }),
      { message: 'The row "worn" leads to "nowhere", which is no state.', rows: ["worn"], state: "nowhere" },
    ],
    [
      "a map that leaves a source state out",
      "map-incomplete",
      withRow("worn", { to: {} }),
      {
        message: 'The row "worn" does not say its to for the source state "closed".',
        rows: ["worn"],
        state: "closed",
      },
    ],
    [
      "a map that names another state",
      "map-incomplete",
      withRow("worn", { to: { closed: "gone", open: "gone" } }),
      {
        message: 'The row "worn" gives its to for "open", which is none of its source states.',
        rows: ["worn"],
        state: "open",
      },
    ],
    [
      "a setting of no fact",
      "fact-unknown",
      withRow("worn", { set: { colour: "red" } }),
      { message: 'The row "worn" sets "colour", which is no fact.', rows: ["worn"] },
    ],
    [
      "a setting of an observed fact",
      "fact-observed",
      withRow("worn", { set: { locked: true } }),
      {
        message:
          'The row "worn" sets "locked", which is observed; only kept facts (with `initial`) can be set.',
        rows: ["worn"],
      },
    ],
    [
      "a setting out of range",
      "value-unknown",
      withRow("worn", { set: { pushes: 9 } }),
      { message: 'The row "worn" sets pushes to 9; expected one of 0, 1, 2.', rows: ["worn"] },
    ],
    [
      "a setting out of range in a map",
      "value-unknown",
      withRow("worn", { set: { pushes: { of: { closed: 9 } } } }),
      { message: 'The row "worn" sets pushes to 9; expected one of 0, 1, 2.', rows: ["worn"] },
    ],
    [
      "a setting that leaves a source state out",
      "map-incomplete",
      withRow("worn", { set: { pushes: { of: {} } } }),
      {
        message: 'The row "worn" does not say its value of pushes for the source state "closed".',
        rows: ["worn"],
        state: "closed",
      },
    ],
    [
      "a step that is no whole number",
      "value-unknown",
      withRow("worn", { set: { pushes: { add: 0.5 } } }),
      { message: 'The row "worn" adds 0.5 to "pushes"; expected a whole number.', rows: ["worn"] },
    ],
    [
      "a start of an observed fact",
      "start-invalid",
      { ...door, starts: [{ locked: true }] },
      { message: 'A start gives "locked" a value; expected a kept fact.' },
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
      { message: 'A start gives "constructor" a value; expected a kept fact.' },
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
      withRow("worn", { from: ["closed", "closed"] }),
      {
        message: 'The row "worn" must list its source states, each once; found closed, closed.',
        rows: ["worn"],
      },
    ],
    [
      "a fact with a value twice",
      "list-invalid",
      withFact({ values: [0, 1, 2, 2], initial: 0 }),
      { message: 'The fact "pushes" must list its values, each once; found 0, 1, 2, 2.' },
    ],
  ])("%s", (_, kind, workflow, violation) => {
    const found = violationsOf(workflow).filter((each) => each.kind === kind);
    expect(found).toEqual([{ kind, rows: [], ...violation }]);
  });

  function withFact(pushes: Omit<Workflow["facts"][string], "description">): Workflow {
    return { ...door, facts: { ...door.facts, pushes: { description: "", ...pushes } } };
  }
});
