import { describe, expect, it } from "vitest";
import { door, rule, violationsOf, withRule } from "../../test/rig/lockable.ts";
import { promise } from "../../test/rig/promise.ts";
import { check } from "./check.ts";

describe("check", () => {
  it("proves a sound table and counts what it looked at", () => {
    expect(check({ workflow: door, replies: ["said"] })).toEqual({
      workflow: "door",
      counts: {
        states: 3,
        events: 2,
        pairs: 4,
        // closed with 0, 1, 2; open with 1, 2; gone with 1, 2
        configurations: 7,
        // closed+push 2, open+push 1, closed+remove 3, open+remove 1
        combinations: 7,
        rules: 6,
        replies: 1,
      },
      violations: [],
    });
  });

  it("shows a gap by its state, event and facts, and by the rules that lead there", () => {
    promise("table.one-row");
    expect(violationsOf(withRule("fine", { when: [{ pushes: [0] }] }))).toEqual([
      {
        kind: "no-rule",
        message: 'No rule applies to "remove" in state "closed" with pushes = 1; expected exactly one.',
        state: "closed",
        event: "remove",
        facts: { pushes: 1 },
        times: 1,
        rules: [],
        path: ["opens", "closes"],
      },
    ]);
  });

  it("shows an overlap by the rules that apply, and counts the other combinations of the same overlap", () => {
    const [found, ...others] = violationsOf(withRule("fine", { when: [{ pushes: [0, 1, 2] }] }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      kind: "several-rules",
      facts: { pushes: 2 },
      rules: ["worn", "fine"],
      times: 1,
    });
    const [wide] = violationsOf({
      ...door,
      rules: [...door.rules, rule({ id: "also", from: ["closed"], on: "remove", to: "gone" })],
    });
    expect(wide?.message).toBe(
      '2 rules apply (fine, also) to "remove" in state "closed" with pushes = 0, and in 1 more combination of inputs; expected exactly one.',
    );
  });

  it("reports all that is wrong, not the first of it", () => {
    promise("table.all-violations");
    const broken = { ...withRule("fine", { when: [{ pushes: [0] }] }), goals: ["gone", "nowhere"] };
    const rules = broken.rules.filter(({ id }) => id !== "closes");
    expect(violationsOf({ ...broken, rules }, ["unsaid"]).map(({ kind }) => kind)).toEqual([
      "state-unknown",
      "no-rule",
      "rule-unreached",
      "reply-missing",
      "reply-unused",
    ]);
  });

  it("finds the state and the rules that no run comes to", () => {
    promise("table.reached");
    const found = violationsOf({
      ...door,
      states: { ...door.states, attic: { description: "" } },
      rules: [
        ...door.rules,
        rule({ id: "up", from: ["attic"], on: "push", to: "closed" }),
        rule({ id: "down", from: ["attic"], on: "remove", to: "gone" }),
      ],
    });
    const never = { when: [{ pushes: [0], locked: [] }], from: ["closed", "open"] };
    expect(violationsOf(withRule("worn", never)).map(({ message }) => message)).toContain(
      'The rule "worn" (on "remove" from closed, open) never applies in any configuration that a run can reach.',
    );
    expect(found).toEqual([
      {
        kind: "state-unreached",
        message: 'No sequence of events leads to the state "attic".',
        state: "attic",
        rules: [],
      },
      ...["up", "down"].map((id, at) => ({
        kind: "rule-unreached",
        message: `The rule "${id}" (on "${["push", "remove"][at]}" from attic) never applies in any configuration that a run can reach.`,
        event: ["push", "remove"][at],
        rules: [id],
      })),
    ]);
  });

  it("finds the configuration that no way leads out of, though its state has ways out", () => {
    promise("table.reached");
    const found = violationsOf({
      ...withRule("opens", { when: [{ locked: [false], pushes: [0, 1] }] }),
      rules: [
        rule({
          id: "opens",
          from: ["closed"],
          on: "push",
          when: [{ pushes: [0], locked: [false] }],
          to: "open",
          set: { pushes: { add: 1 } },
        }),
        rule({
          id: "stuck",
          from: ["closed"],
          on: "push",
          when: [{ pushes: [1, 2], locked: [false] }],
          to: "same",
          set: { pushes: 2 },
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
        rule({ id: "worn", from: ["closed"], on: "remove", when: [{ pushes: [0] }], to: "gone" }),
        rule({
          id: "fine",
          from: ["closed"],
          on: "remove",
          when: [{ pushes: [1, 2] }],
          to: "same",
          outcome: "no-effect",
        }),
        rule({ id: "taken", from: ["open"], on: "remove", to: "gone" }),
      ],
    });
    expect(found).toEqual([
      {
        kind: "trap",
        message:
          'No sequence of events leads from state "closed" with pushes = 1 to a goal (gone), nor from 1 more configuration of that state.',
        state: "closed",
        facts: { pushes: 1 },
        times: 2,
        rules: [],
        path: ["opens", "closes"],
      },
    ]);
  });

  it("calls a final state that is no goal a trap", () => {
    const lost = {
      ...withRule("taken", { to: "lost" }),
      states: { ...door.states, lost: { description: "", final: true as const } },
    };
    const message = (goals: readonly string[]) =>
      violationsOf({ ...lost, goals })
        .filter(({ kind, state }) => kind === "trap" && state === "lost")
        .map((each) => each.message);
    expect(violationsOf(lost).map(({ kind, state }) => [kind, state])).toEqual([["trap", "lost"]]);
    expect(message(["gone", "nowhere"])).toEqual([
      'No sequence of events leads from state "lost" with pushes = 1 to a goal (gone), nor from 1 more configuration of that state.',
    ]);
    expect(message([])).toEqual([
      'No sequence of events leads from state "lost" with pushes = 1 to a goal (none), nor from 1 more configuration of that state.',
    ]);
    const names = violationsOf({
      ...lost,
      goals: ["gone", "attic"],
      states: { ...lost.states, attic: { description: "" } },
    });
    expect(names.find(({ kind }) => kind === "trap")?.message).toContain("to a goal (gone, attic)");
  });

  it("counts in words the configurations of a trap, if there is one and if there are several", () => {
    const values = [0, 1, 2, 3];
    const stuck = (steps: number) =>
      violationsOf({
        ...door,
        facts: { pushes: { description: "", values: values.slice(0, steps), initial: 0 } },
        events: { push: { description: "" } },
        rules: [
          rule({ id: "counts", from: ["closed"], on: "push", to: "same", set: { pushes: { add: 1 } } }),
        ],
        states: { closed: { description: "" }, gone: { description: "", final: true } },
      }).find(({ kind }) => kind === "trap")?.message;
    const words = 'No sequence of events leads from state "closed" with pushes = 0 to a goal (gone)';
    expect(stuck(1)).toBe(`${words}.`);
    expect(stuck(2)).toBe(`${words}, nor from 1 more configuration of that state.`);
    expect(stuck(4)).toBe(`${words}, nor from 3 more configurations of that state.`);
  });

  it("counts in words the combinations of a gap, if there is one and if there are several", () => {
    const gaps = (values: readonly number[]) =>
      violationsOf({
        ...door,
        facts: { ...door.facts, size: { description: "", values: [1, 2, 3, 4] } },
        rules: [
          ...door.rules.filter(({ id }) => id !== "taken"),
          rule({
            id: "taken",
            from: ["open"],
            on: "remove",
            when: [{ size: [1, 2, 3, 4].filter((value) => !values.includes(value)) }],
            to: "gone",
          }),
        ],
      }).map(({ message }) => message);
    const words = 'No rule applies to "remove" in state "open" with size';
    expect(gaps([4])).toEqual([`${words} = 4; expected exactly one.`]);
    expect(gaps([3, 4])).toEqual([
      `${words} = 3, and in 1 more combination of inputs; expected exactly one.`,
    ]);
    expect(gaps([2, 3, 4])).toEqual([
      `${words} = 2, and in 2 more combinations of inputs; expected exactly one.`,
    ]);
  });

  it("follows every start", () => {
    const found = violationsOf({ ...door, starts: [{}, { pushes: 2 }] });
    expect(found).toEqual([]);
    expect(
      check({ workflow: { ...door, starts: [{ pushes: 2 }] }, replies: ["said"] }).violations,
    ).toMatchObject([{ kind: "rule-unreached", rules: ["fine"] }]);
  });

  it("takes a rule that mentions no known fact for one that never applies", () => {
    const found = violationsOf(withRule("taken", { when: [{ colour: ["red"] }] }));
    expect(found.map(({ kind, state }) => [kind, state])).toEqual([
      ["fact-unknown", undefined],
      ["no-rule", "open"],
      ["rule-unreached", undefined],
    ]);
  });

  it("follows no rule out of a final state", () => {
    const found = violationsOf({
      ...door,
      states: { ...door.states, attic: { description: "", final: true } },
      rules: [...door.rules, rule({ id: "rise", from: ["gone"], on: "push", to: "attic" })],
    });
    expect(found.map(({ kind, state }) => [kind, state])).toEqual([
      ["state-final", "gone"],
      ["state-unreached", "attic"],
      ["rule-unreached", undefined],
    ]);
  });

  it("matches rules and replies both ways", () => {
    promise("table.replies");
    expect(violationsOf(withRule("opens", { reply: "unheard" }), ["said", "unused"])).toMatchObject([
      { kind: "reply-missing", rules: ["opens"], message: 'The reply "unheard" of opens does not exist.' },
      { kind: "reply-unused", message: 'The reply "unused" belongs to no rule.', rules: [] },
    ]);
    expect(violationsOf(door, [])[0]?.message).toBe(
      'The reply "said" of opens, holds, closes, worn, fine, taken does not exist.',
    );
  });
});

describe("check, of a rule that is blocked, without effect or only shown", () => {
  it.each([
    ["leads to another state", { to: "open" }],
    ["leads to another state", { to: { closed: "open" } }],
    ["sets facts", { set: { pushes: 0 } }],
    ["has commands", { commands: [{ type: "ring" }] }],
  ])("refuses it if it %s", (what, change) => {
    const found = violationsOf(withRule("holds", change)).filter(({ kind }) => kind === "effect-unexpected");
    expect(found).toEqual([
      {
        kind: "effect-unexpected",
        message: `The rule "holds" is "blocked", which changes nothing, and yet ${what}.`,
        rules: ["holds"],
      },
    ]);
  });

  it("names all that it would change, and from whichever of its states", () => {
    const change = { from: ["closed", "open"], to: { closed: "closed", open: "gone" }, set: { pushes: 0 } };
    const [found] = violationsOf(withRule("holds", change)).filter(
      ({ kind }) => kind === "effect-unexpected",
    );
    expect(found?.message).toBe(
      'The rule "holds" is "blocked", which changes nothing, and yet leads to another state and sets facts.',
    );
  });

  it("takes a map that leads back to where it came from", () => {
    expect(violationsOf(withRule("holds", { to: { closed: "closed" } }))).toEqual([]);
  });
});

describe("check, of a table that is too large to enumerate", () => {
  const facts = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [`f${index}`, { description: "", values: [0, 1, 2] }]),
  );

  it("judges combinations without number if few facts matter at a time", () => {
    const names = Object.keys(facts);
    const rules = names.map((name, index) =>
      rule({
        id: `first-${name}`,
        from: ["closed"],
        on: "push",
        when: [
          Object.fromEntries(names.slice(0, index + 1).map((each) => [each, each === name ? [1, 2] : [0]])),
        ],
        to: "gone",
      }),
    );
    const table = {
      ...door,
      states: { closed: { description: "" }, gone: { description: "", final: true as const } },
      events: { push: { description: "" } },
      facts,
      rules,
    };
    const { counts, violations } = check({ workflow: table, replies: ["said"] });
    expect(counts.combinations).toBe(3 ** 24);
    expect(violations).toMatchObject([{ kind: "no-rule", times: 1, facts: { f0: 0, f23: 0 } }]);
  });

  it("says which facts of which state and event are too many, and ends", () => {
    const rules = Object.keys(facts).map((name) =>
      rule({ id: `any-${name}`, from: ["closed"], on: "push", when: [{ [name]: [1] }], to: "gone" }),
    );
    const table = {
      ...door,
      states: { closed: { description: "" }, gone: { description: "", final: true as const } },
      events: { push: { description: "" } },
      facts,
      rules,
    };
    const found = check({ workflow: table, replies: ["said"] }).violations.find(
      ({ kind }) => kind === "too-many-combinations",
    );
    const sizes = Object.keys(facts).map((name) => `${name} (3 values)`);
    expect(found).toEqual({
      kind: "too-many-combinations",
      message: `The rules for "push" in state "closed" distinguish too many combinations to enumerate them: they mention ${sizes.join(", ")}; expected at most 50000 branches for one state and event, and 1000000 in all.`,
      state: "closed",
      event: "push",
      rules: rules.map(({ id }) => id),
    });
  });

  it("says which variables make too many configurations", () => {
    const variables = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `k${index}`,
        { description: "", values: [0, 1, 2], initial: 0 },
      ]),
    );
    const rules = Object.keys(variables).map((name) =>
      rule({ id: `up-${name}`, from: ["closed"], on: name, to: "same", set: { [name]: { add: 1 } } }),
    );
    const table = {
      ...door,
      facts: variables,
      rules,
      events: Object.fromEntries(Object.keys(variables).map((name) => [name, { description: "" }])),
    };
    const found = check({ workflow: table, replies: ["said"] }).violations.find(
      ({ kind }) => kind === "too-many-configurations",
    );
    const sizes = Object.keys(variables).map((name) => `${name} (3 values)`);
    expect(found).toEqual({
      kind: "too-many-configurations",
      message: `More than 20000 configurations can be reached, too many to follow: the variables are ${sizes.join(", ")}; keep less in the table.`,
      rules: [],
    });
  });
});
