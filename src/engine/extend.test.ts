import { describe, expect, it } from "vitest";
import { type Extension, extend, type OwnRow } from "./extend.ts";
import type { Rule, Workflow } from "./workflow.ts";

const rule = (given: Pick<Rule, "id" | "from" | "on"> & Partial<Rule>): Rule => ({
  to: "same",
  outcome: "moved",
  reply: "said",
  ...given,
});

const SENDS = rule({ id: "sends", from: ["draft"], on: "send", when: [{ big: [false] }], to: "sent" });
const REFUSES = rule({
  id: "refuses",
  from: ["draft"],
  on: "send",
  when: [{ big: [true] }],
  outcome: "blocked",
});
const RECALLS = rule({
  id: "recalls",
  from: ["draft", "sent"],
  on: "recall",
  to: "draft",
  set: { tries: 0 },
});

const POST: Workflow = {
  name: "post",
  title: "A letter",
  states: {
    draft: { description: "It is being written." },
    sent: { description: "It is under way." },
    read: { description: "It was read.", final: true },
  },
  initial: "draft",
  events: { send: { description: "It goes off." }, recall: { description: "It comes back." } },
  facts: {
    big: { description: "It weighs much.", values: [true, false] },
    tries: { description: "How often it went off.", values: [0, 1, 2], initial: 0 },
  },
  rules: [SENDS, REFUSES, RECALLS],
  goals: ["read"],
};

const OWN: Omit<Extension, "rows"> = {
  events: { resend: { description: "It goes off again." } },
  facts: {
    fast: { description: "It is urgent.", values: [true, false] },
    seals: { description: "Its seals.", values: [0, 1], initial: 0 },
  },
};

const extended = (...rows: readonly OwnRow[]) => extend(POST, { ...OWN, rows });
const rulesWith = (...rows: readonly OwnRow[]) => {
  const { faults, table } = extended(...rows);
  expect(faults).toEqual([]);
  return table.rules;
};
const faultsOf = (...rows: readonly OwnRow[]) => extended(...rows).faults;

describe("A table laid over another", () => {
  it("has the events and facts of both, and the base's rules if it has no rows", () => {
    const { faults, table } = extended();
    expect(faults).toEqual([]);
    expect(table).toEqual({
      ...POST,
      events: { ...POST.events, ...OWN.events },
      facts: { ...POST.facts, ...OWN.facts },
    });
  });

  it("decides by its own row in the row's combinations, if the base's rule is gone", () => {
    const own = rule({ id: "own", from: ["draft"], on: "send", when: [{ big: [false] }], to: "read" });
    expect(rulesWith(own)).toEqual([REFUSES, RECALLS, own]);
  });

  it("takes all combinations of a state by a row without any", () => {
    const own = rule({ id: "own", from: ["draft"], on: "send", to: "read" });
    expect(rulesWith(own)).toEqual([RECALLS, own]);
  });

  it("leaves a rule as it is on another event, in other states, or in other combinations", () => {
    const own = [
      rule({ id: "one", from: ["draft"], on: "resend" }),
      rule({ id: "two", from: ["sent"], on: "send" }),
      rule({ id: "three", from: ["read"], on: "recall" }),
    ];
    const rules = rulesWith(...own);
    expect(rules).toEqual([...POST.rules, ...own]);
    for (const [at, each] of POST.rules.entries()) expect(rules[at]).toBe(each);
  });

  it("keeps the rule in the states that the row does not name, under its id", () => {
    const own = rule({ id: "own", from: ["sent"], on: "recall", to: "read" });
    expect(rulesWith(own)).toEqual([SENDS, REFUSES, { ...RECALLS, from: ["draft"] }, own]);
  });

  it("keeps the rest of the combinations: in all of its states under the rule's id, in some under one of their own", () => {
    const when = [{ fast: [true] }];
    const rest = [{ fast: [false] }];
    const all = rule({ id: "all", from: ["draft", "sent"], on: "recall", when });
    expect(rulesWith(all)).toEqual([SENDS, REFUSES, { ...RECALLS, when: rest }, all]);
    const some = rule({ id: "some", from: ["sent"], on: "recall", when });
    expect(rulesWith(some)).toEqual([
      SENDS,
      REFUSES,
      { ...RECALLS, from: ["draft"] },
      { ...RECALLS, id: "recalls.sent", from: ["sent"], when: rest },
      some,
    ]);
  });

  it("cuts every box of a row out of every box of a rule, and one row after the other", () => {
    const when = [{ fast: [true] }, { tries: [2] }];
    const first = rule({ id: "first", from: ["draft", "sent"], on: "recall", when });
    const second = rule({ id: "second", from: ["draft", "sent"], on: "recall", when: [{ tries: [1] }] });
    expect(rulesWith(first, second)).toEqual([
      SENDS,
      REFUSES,
      { ...RECALLS, when: [{ fast: [false], tries: [0] }] },
      first,
      second,
    ]);
  });
});

describe("A row that decides as the base did (`as`)", () => {
  const taken = (when: Rule["when"]) =>
    rule({ id: "own", from: ["draft"], on: "send", ...(when && { when }), to: "read" });

  it("is the rule that a row of the file has cut, on its own event and in its own states", () => {
    const own = taken([{ big: [false] }]);
    const like = { id: "like", from: ["sent"], on: "resend", as: "send" };
    expect(rulesWith(own, like)).toEqual([
      REFUSES,
      RECALLS,
      own,
      { ...SENDS, id: "like", from: ["sent"], on: "resend" },
    ]);
  });

  it("needs no combinations if the rule had none", () => {
    const own = rule({ id: "own", from: ["sent"], on: "recall", to: "read" });
    const like = { id: "like", from: ["sent"], on: "resend", as: "recall" };
    const { when: _, ...always } = { ...RECALLS, id: "like", from: ["sent"], on: "resend" };
    expect(rulesWith(own, like).at(-1)).toEqual(always);
  });

  it("is one row for each rule that was cut, each with the rule's name", () => {
    const own = taken(undefined);
    const like = { id: "like", from: ["sent"], on: "resend", as: "send" };
    expect(rulesWith(own, like)).toEqual([
      RECALLS,
      own,
      { ...SENDS, id: "like.sends", from: ["sent"], on: "resend" },
      { ...REFUSES, id: "like.refuses", from: ["sent"], on: "resend" },
    ]);
  });

  it("applies in the combinations of both, and not at all if there are none", () => {
    const own = taken(undefined);
    const like = {
      id: "like",
      from: ["sent"],
      on: "resend",
      as: "send",
      when: [{ big: [true], fast: [true] }],
    };
    expect(rulesWith(own, like)).toEqual([
      RECALLS,
      own,
      { ...REFUSES, id: "like.refuses", from: ["sent"], on: "resend", when: like.when },
    ]);
  });

  it("takes its combinations out of the base's rules, too, and is not like its own cuts", () => {
    const own = taken([{ big: [false] }]);
    const like = { id: "like", from: ["draft"], on: "recall", as: "send" };
    const again = { id: "again", from: ["sent"], on: "resend", as: "recall" };
    const { faults, table } = extended(own, like, again);
    expect(table.rules).toEqual([
      REFUSES,
      { ...RECALLS, from: ["sent"] },
      own,
      { ...SENDS, id: "like", from: ["draft"], on: "recall" },
    ]);
    expect(faults.map(({ row }) => row)).toEqual(["again"]);
  });

  it("is a fault if no row has taken the event, or if the base has none of the name", () => {
    const like = (as: string) => ({ id: "like", from: ["sent"], on: "resend", as });
    const faultOf = (as: string) => faultsOf(like(as));
    expect(faultOf("send")).toEqual([
      {
        row: "like",
        message:
          "rule like: `as: send` decides as post did before a row of this file took that event: no row takes it.",
      },
    ]);
    expect(faultOf("sent")).toEqual([
      { row: "like", message: "rule like: `as: sent`: expected an event of post, such as send." },
    ]);
    expect(faultOf("mumble")).toEqual([
      { row: "like", message: "rule like: `as: mumble`: expected an event of post." },
    ]);
  });
});

describe("A row that sets more if a rule of the base applies (`of`)", () => {
  it("adds its variables to the rule's", () => {
    expect(rulesWith({ id: "recalls", of: "base", set: { seals: 1 } })).toEqual([
      SENDS,
      REFUSES,
      { ...RECALLS, set: { tries: 0, seals: 1 } },
    ]);
  });

  it("holds also for what another row leaves of the rule", () => {
    const own = rule({ id: "own", from: ["sent"], on: "recall", to: "read" });
    expect(rulesWith(own, { id: "recalls", of: "base", set: { seals: 1 } })).toEqual([
      SENDS,
      REFUSES,
      { ...RECALLS, from: ["draft"], set: { tries: 0, seals: 1 } },
      own,
    ]);
  });

  it("changes nothing without a variable, or for a rule that the base does not have", () => {
    expect(rulesWith({ id: "recalls", of: "base" })).toEqual(POST.rules);
    expect(rulesWith({ id: "nothing", of: "base", set: { seals: 1 } })).toEqual(POST.rules);
  });

  it("is a fault, and changes nothing, for each variable that is not the file's own", () => {
    const { faults, table } = extended({ id: "recalls", of: "base", set: { tries: 1, seals: 1, other: 0 } });
    expect(faults).toEqual(
      ["tries", "other"].map((name) => ({
        row: "recalls",
        message: `rule recalls: ${name} is no variable of this file.`,
      })),
    );
    expect(table.rules).toEqual(POST.rules);
  });
});
