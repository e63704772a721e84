/** The smallest table that has every kind of thing in it, and what tests change about it. */
import { check, type Violation } from "../../src/engine/check.ts";
import type { Rule, Workflow } from "../../src/engine/workflow.ts";

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
  rules: [
    rule({
      id: "opens",
      from: ["closed"],
      on: "push",
      when: [{ locked: [false] }],
      to: "open",
      set: { pushes: { add: 1 } },
    }),
    rule({
      id: "holds",
      from: ["closed"],
      on: "push",
      when: [{ locked: [true] }],
      to: "same",
      outcome: "blocked",
    }),
    rule({ id: "closes", from: ["open"], on: "push", to: "closed" }),
    rule({ id: "worn", from: ["closed"], on: "remove", when: [{ pushes: [2] }], to: "gone" }),
    rule({
      id: "fine",
      from: ["closed"],
      on: "remove",
      when: [{ pushes: [0, 1] }],
      to: "same",
      outcome: "no-effect",
    }),
    rule({ id: "taken", from: ["open"], on: "remove", to: "gone" }),
  ],
  goals: ["gone"],
};

export function rule(own: Partial<Rule> & Pick<Rule, "id" | "from" | "on" | "to">): Rule {
  return { outcome: "moved", reply: "said", ...own };
}

export function withRule(id: string, change: Partial<Rule>): Workflow {
  return { ...door, rules: door.rules.map((each) => (each.id === id ? { ...each, ...change } : each)) };
}

export function violationsOf(
  workflow: Workflow,
  replies: readonly string[] = ["said"],
): readonly Violation[] {
  return check({ workflow, replies }).violations;
}
