/** The smallest table that has every kind of thing in it, and what tests change about it. */
import { check, type Violation } from "../../src/engine/check.ts";
import type { Row, Workflow } from "../../src/engine/workflow.ts";

/** A door: closed and open, with a lock that is observed and a counter that is kept. */
export const door: Workflow = {
  name: "door",
  title: "A door",
  states: {
    closed: { description: "" },
    open: { description: "" },
    gone: { description: "", final: true },
  },
  initial: "closed",
  events: { push: { description: "" }, remove: { description: "" } },
  facts: {
    locked: { description: "", values: [true, false] },
    pushes: { description: "", values: [0, 1, 2], initial: 0 },
  },
  rows: [
    row({
      id: "opens",
      from: ["closed"],
      on: "push",
      when: [{ locked: [false] }],
      to: "open",
      set: { pushes: { add: 1 } },
    }),
    row({
      id: "holds",
      from: ["closed"],
      on: "push",
      when: [{ locked: [true] }],
      to: "same",
      outcome: "blocked",
    }),
    row({ id: "closes", from: ["open"], on: "push", to: "closed" }),
    row({ id: "worn", from: ["closed"], on: "remove", when: [{ pushes: [2] }], to: "gone" }),
    row({
      id: "fine",
      from: ["closed"],
      on: "remove",
      when: [{ pushes: [0, 1] }],
      to: "same",
      outcome: "no-effect",
    }),
    row({ id: "taken", from: ["open"], on: "remove", to: "gone" }),
  ],
  goals: ["gone"],
};

export function row(own: Partial<Row> & Pick<Row, "id" | "from" | "on" | "to">): Row {
  return { outcome: "moved", reply: "said", ...own };
}

export function withRow(id: string, change: Partial<Row>): Workflow {
  return { ...door, rows: door.rows.map((each) => (each.id === id ? { ...each, ...change } : each)) };
}

export function violationsOf(
  workflow: Workflow,
  replies: readonly string[] = ["said"],
): readonly Violation[] {
  return check({ workflow, replies }).violations;
}
