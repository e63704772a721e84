import { describe, expect, it } from "vitest";
import { door, row, violationsOf, withRow } from "../../test/rig/lockable.ts";
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
        worlds: 7,
        rows: 6,
        replies: 1,
      },
      violations: [],
    });
  });

  it("shows a gap by its state, event and facts, and by the rows that lead there", () => {
    expect(violationsOf(withRow("fine", { when: [{ pushes: [0] }] }))).toEqual([
      {
        kind: "no-row",
        message: 'No row applies to "remove" in state "closed" with pushes = 1; expected exactly one.',
        state: "closed",
        event: "remove",
        facts: { pushes: 1 },
        times: 1,
        rows: [],
        path: ["opens", "closes"],
      },
    ]);
  });

  it("shows an overlap by the rows that apply, and counts the other worlds of the same overlap", () => {
    const [found, ...others] = violationsOf(withRow("fine", { when: [{ pushes: [0, 1, 2] }] }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      kind: "several-rows",
      facts: { pushes: 2 },
      rows: ["worn", "fine"],
      times: 1,
    });
    const [wide] = violationsOf({
      ...door,
      rows: [...door.rows, row({ id: "also", from: ["closed"], on: "remove", to: "gone" })],
    });
    expect(wide?.message).toBe(
      '2 rows apply (fine, also) to "remove" in state "closed" with pushes = 0, and in 1 more world; expected exactly one.',
    );
  });

  it("reports all that is wrong, not the first of it", () => {
    const broken = { ...withRow("fine", { when: [{ pushes: [0] }] }), goals: ["gone", "nowhere"] };
    const rows = broken.rows.filter(({ id }) => id !== "closes");
    expect(violationsOf({ ...broken, rows }, ["unsaid"]).map(({ kind }) => kind)).toEqual([
      "state-unknown",
      "no-row",
      "row-unreached",
      "reply-missing",
      "reply-unused",
    ]);
  });

  it("finds the state and the rows that no run comes to", () => {
    const found = violationsOf({
      ...door,
      states: { ...door.states, attic: { description: "" } },
      rows: [
        ...door.rows,
        row({ id: "up", from: ["attic"], on: "push", to: "closed" }),
        row({ id: "down", from: ["attic"], on: "remove", to: "gone" }),
      ],
    });
    expect(found.map(({ kind, state, rows }) => [kind, state, rows])).toEqual([
      ["state-unreached", "attic", []],
      ["row-unreached", undefined, ["up"]],
      ["row-unreached", undefined, ["down"]],
    ]);
  });

  it("finds the configuration that no way leads out of, though its state has ways out", () => {
    const found = violationsOf({
      ...withRow("opens", { when: [{ locked: [false], pushes: [0, 1] }] }),
      rows: [
        row({
          id: "opens",
          from: ["closed"],
          on: "push",
          when: [{ pushes: [0], locked: [false] }],
          to: "open",
          set: { pushes: { add: 1 } },
        }),
        row({
          id: "stuck",
          from: ["closed"],
          on: "push",
          when: [{ pushes: [1, 2], locked: [false] }],
          to: "same",
          set: { pushes: 2 },
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
        row({ id: "worn", from: ["closed"], on: "remove", when: [{ pushes: [0] }], to: "gone" }),
        row({
          id: "fine",
          from: ["closed"],
          on: "remove",
          when: [{ pushes: [1, 2] }],
          to: "same",
          outcome: "no-effect",
        }),
        row({ id: "taken", from: ["open"], on: "remove", to: "gone" }),
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
        rows: [],
        path: ["opens", "closes"],
      },
    ]);
  });

  it("calls a final state that is no goal a trap", () => {
    const found = violationsOf({
      ...withRow("taken", { to: "lost" }),
      states: { ...door.states, lost: { description: "", final: true } },
    });
    expect(found.map(({ kind, state }) => [kind, state])).toEqual([["trap", "lost"]]);
  });

  it("follows every start", () => {
    const found = violationsOf({ ...door, starts: [{}, { pushes: 2 }] });
    expect(found).toEqual([]);
    expect(
      check({ workflow: { ...door, starts: [{ pushes: 2 }] }, replies: ["said"] }).violations,
    ).toMatchObject([{ kind: "row-unreached", rows: ["fine"] }]);
  });

  it("takes a row that mentions no known fact for one that never applies", () => {
    const found = violationsOf(withRow("taken", { when: [{ colour: ["red"] }] }));
    expect(found.map(({ kind, state }) => [kind, state])).toEqual([
      ["fact-unknown", undefined],
      ["no-row", "open"],
      ["row-unreached", undefined],
    ]);
  });

  it("follows no row out of a final state", () => {
    const found = violationsOf({
      ...door,
      states: { ...door.states, attic: { description: "", final: true } },
      rows: [...door.rows, row({ id: "rise", from: ["gone"], on: "push", to: "attic" })],
    });
    expect(found.map(({ kind, state }) => [kind, state])).toEqual([
      ["state-final", "gone"],
      ["state-unreached", "attic"],
      ["row-unreached", undefined],
    ]);
  });

  it("matches rows and replies both ways", () => {
    expect(violationsOf(withRow("opens", { reply: "unheard" }), ["said", "unused"])).toMatchObject([
      { kind: "reply-missing", rows: ["opens"], message: 'The reply "unheard" of opens does not exist.' },
      { kind: "reply-unused", message: 'The reply "unused" belongs to no row.' },
    ]);
  });
});

describe("check, of a row that is blocked, without effect or only shown", () => {
  it.each([
    ["leads to another state", { to: "open" }],
    ["leads to another state", { to: { closed: "open" } }],
    ["sets facts", { set: { pushes: 0 } }],
    ["has commands", { commands: [{ type: "ring" }] }],
  ])("refuses it where it %s", (what, change) => {
    const found = violationsOf(withRow("holds", change)).filter(({ kind }) => kind === "effect-unexpected");
    expect(found).toEqual([
      {
        kind: "effect-unexpected",
        message: `The row "holds" is "blocked", which changes nothing, and yet ${what}.`,
        rows: ["holds"],
      },
    ]);
  });

  it("takes a map that leads back to where it came from", () => {
    expect(violationsOf(withRow("holds", { to: { closed: "closed" } }))).toEqual([]);
  });
});

describe("check, of a table that is too large to enumerate", () => {
  const facts = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [`f${index}`, { description: "", values: [0, 1, 2] }]),
  );

  it("judges worlds without number where few facts matter at a time", () => {
    const names = Object.keys(facts);
    const rows = names.map((name, index) =>
      row({
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
      rows,
    };
    const { counts, violations } = check({ workflow: table, replies: ["said"] });
    expect(counts.worlds).toBe(3 ** 24);
    expect(violations).toMatchObject([{ kind: "no-row", times: 1, facts: { f0: 0, f23: 0 } }]);
  });

  it("says which facts of which state and event are too many, and ends", () => {
    const rows = Object.keys(facts).map((name) =>
      row({ id: `any-${name}`, from: ["closed"], on: "push", when: [{ [name]: [1] }], to: "gone" }),
    );
    const table = {
      ...door,
      states: { closed: { description: "" }, gone: { description: "", final: true as const } },
      events: { push: { description: "" } },
      facts,
      rows,
    };
    const found = check({ workflow: table, replies: ["said"] }).violations.find(
      ({ kind }) => kind === "too-many-worlds",
    );
    expect(found).toMatchObject({ state: "closed", event: "push" });
    expect(found?.message).toContain("f0 (3 values), f1 (3 values)");
  });

  it("says which kept facts make too many configurations", () => {
    const kept = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `k${index}`,
        { description: "", values: [0, 1, 2], initial: 0 },
      ]),
    );
    const rows = Object.keys(kept).map((name) =>
      row({ id: `up-${name}`, from: ["closed"], on: name, to: "same", set: { [name]: { add: 1 } } }),
    );
    const table = {
      ...door,
      facts: kept,
      rows,
      events: Object.fromEntries(Object.keys(kept).map((name) => [name, { description: "" }])),
    };
    const found = check({ workflow: table, replies: ["said"] }).violations.find(
      ({ kind }) => kind === "too-many-configurations",
    );
    expect(found?.message).toContain("k0 (3 values), k1 (3 values)");
  });
});
