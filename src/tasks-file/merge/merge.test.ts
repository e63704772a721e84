import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTasks, type Versions } from "./merge.ts";

const BASE = `# ours
git:
  push_to_remote: false

tasks:
  # the first
  - id: A
    title: a   # title
    status: todo # wait
    steps:
      - id: A1
        instruction: "do" # x
      - id: A2
        instruction: |
          more

  # about B
  - id: B
    title: b
    ai_notes:
      - one

  - {id: C, title: c, status: todo, steps: [{id: C1, instruction: i}, {id: C2, instruction: j}]} # flow
mine: {x: 1}
`;

type Edit = readonly [string | RegExp, string];
const edited = (text: string, ...edits: readonly Edit[]): string =>
  edits.reduce((result, [from, to]) => {
    const next = result.replace(from, () => to);
    if (next === result) throw new Error(`nothing to replace: ${from}`);
    return next;
  }, text);

function merged(versions: Versions): string {
  const result = mergeTasks(versions);
  if (!result.ok) throw new Error(JSON.stringify(result, null, 1));
  return result.text;
}

function conflictsOf(mine: string, theirs: string, base: string | null = BASE) {
  const result = mergeTasks({ base, mine, theirs });
  if (result.ok || !("conflicts" in result)) throw new Error(JSON.stringify(result, null, 1));
  return result.conflicts.map(({ ids, key }) => [...ids, ...(key === null ? [] : [key])].join(" "));
}

/** Each edit leaves its trace, and none is near another. */
const EDITS: readonly Edit[] = [
  ["# ours", "# ours, too"],
  ["push_to_remote: false", "push_to_remote: true"],
  ["  # the first\n", "  # the very first\n"],
  ["title: a   #", "title: 'A'   #"],
  ["status: todo # wait", "status: done # wait"],
  ['instruction: "do" # x', 'instruction: "did" # x'],
  ["          more\n", "          more\n          and more\n"],
  ["  # about B\n", "  - id: N\n    title: n\n\n  # about B\n"],
  ["    title: b\n", "    title: b\n    phase: 2 # late\n"],
  ["      - one\n", "      - one\n      - two\n"],
  ["title: c,", "title: cc,"],
  ["instruction: i}", "instruction: i, status: done}"],
  ["instruction: j}", "instruction: jj}"],
  [" # flow\n", " # flow\n  - id: O\n    title: o\n"],
  ["mine: {x: 1}", "mine: {x: 2}"],
];

describe("Two persons' tasks.yaml merged by task and key", () => {
  it("has every edit of both, whoever made it, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1, 2), { minLength: EDITS.length }), (sides) => {
        const of = (side: number) => edited(BASE, ...EDITS.filter((_, at) => sides[at] === side));
        const all = edited(BASE, ...EDITS.filter((_, at) => sides[at] !== 0));
        expect(merged({ base: BASE, mine: of(1), theirs: of(2) })).toBe(all);
        const crlf = (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`;
        expect(merged({ base: crlf(BASE), mine: crlf(of(1)), theirs: crlf(of(2)) })).toBe(crlf(all));
      }),
      { numRuns: 12 },
    );
  });

  it("is what one side has where the other has what both came from", () => {
    const text = fc.string({ maxLength: 60 });
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(merged({ base, mine: base, theirs: other })).toBe(other);
        expect(merged({ base, mine: other, theirs: base })).toBe(other);
        expect(merged({ base, mine: other, theirs: other })).toBe(other);
      }),
      { numRuns: 50 },
    );
  });

  it("takes a removal where the other side left the task alone, with its comment", () => {
    const mine = edited(BASE, [/ {2}# about B[\s\S]*?(?= {2}- \{)/, ""]);
    const theirs = edited(BASE, ["title: c", "title: C"]);
    expect(merged({ base: BASE, mine, theirs })).toBe(edited(mine, ["title: c", "title: C"]));
    expect(merged({ base: BASE, mine: theirs, theirs: mine })).toBe(edited(mine, ["title: c", "title: C"]));
  });

  it("takes the order of the side that moved something", () => {
    const texts = ["A", "B", "C"].map((id) => `- id: ${id}\n  title: t # ${id}\n`);
    const file = (...order: readonly number[]) => `tasks:\n${order.map((at) => texts[at]).join("")}`;
    const added = `${file(0, 1, 2)}- id: D\n  title: d\n`;
    expect(merged({ base: file(0, 1, 2), mine: file(2, 0, 1), theirs: added })).toBe(
      "tasks:\n- id: C\n  title: t # C\n- id: D\n  title: d\n- id: A\n  title: t # A\n- id: B\n  title: t # B\n",
    );
    expect(
      merged({ base: file(0, 1, 2), mine: edited(added, ["t # A", "u # A"]), theirs: file(1, 0, 2) }),
    ).toBe(edited(`${file(1, 0, 2)}- id: D\n  title: d\n`, ["t # A", "u # A"]));
    const both = { base: file(0, 1, 2), mine: file(2, 0, 1), theirs: file(1, 0, 2) };
    expect(conflictsOf(both.mine, both.theirs, both.base)).toEqual(["order"]);
    for (const side of ["mine", "theirs"] as const)
      expect(mergeTasks(both, () => side)).toEqual({ ok: true, text: both[side] });
  });

  it("keeps what both added behind one another", () => {
    const base = "tasks:\n- id: A\n  title: a\n";
    const mine = `${base}- id: M\n  title: m\n`;
    const theirs = `${base}- id: T\n  title: t`;
    expect(merged({ base, mine, theirs })).toBe(`${theirs}\n- id: M\n  title: m`);
    const kept = "tasks:\n- id: T\n  title: t\n  instructions: |+\n    the end\n\n";
    expect(merged({ base: null, mine: "tasks:\n- id: T\n  title: t", theirs: kept })).toBe(kept);
    const none = "tasks: [] # none yet\n";
    expect(merged({ base: none, mine: "tasks:\n- id: M\n  title: m\n", theirs })).toBe(
      `${theirs}\n- id: M\n  title: m`,
    );
  });

  it.each<[string, Edit, Edit, string]>([
    ["a value", ["title: b", "title: x"], ["title: b", "title: y"], "B title"],
    ["a step's value", ['"do"', '"x"'], ['"do"', '"y"'], "A A1 instruction"],
    [
      "a status that the loop wrote meanwhile",
      ["todo # wait", "blocked # wait"],
      ["todo # wait", "done # wait"],
      "A status",
    ],
    ["a task that one removed", [/ {2}# about B[\s\S]*?(?= {2}- \{)/, ""], ["title: b", "title: y"], "B"],
    ["a step that one removed", [/ {6}- id: A1\n.*\n/, ""], ['"do"', '"y"'], "A A1"],
    ["a key that one removed", ["    status: todo # wait\n", ""], ["todo # wait", "done # wait"], "A status"],
    [
      "what both added under one id",
      ["mine:", "  - {id: N, title: x}\nmine:"],
      ["mine:", "  - {id: N, title: y}\nmine:"],
      "N title",
    ],
    ["a comment", ["# wait", "# x"], ["# wait", "# y"], "A status"],
    ["a comment above a task", ["# about B", "# x"], ["# about B", "# y"], "B comment above B"],
    ["what is about the file", ["x: 1", "x: 2"], ["x: 1", "x: 3"], "mine"],
    ["a value in brackets", ["title: c", "title: x"], ["title: c", "title: y"], "C title"],
  ])("names a conflict over %s", (_, mine, theirs, name) => {
    expect(conflictsOf(edited(BASE, mine), edited(BASE, theirs))).toEqual([name]);
    const versions = { base: BASE, mine: edited(BASE, mine), theirs: edited(BASE, theirs) };
    const settled = (side: "mine" | "theirs") => mergeTasks(versions, () => side);
    expect(settled("theirs")).toEqual({ ok: true, text: versions.theirs });
    expect(settled("mine")).toEqual({ ok: true, text: versions.mine });
  });

  it("keeps a comment on a value that the other side changed", () => {
    const mine = edited(BASE, ["# wait", "# for Ann"]);
    const theirs = edited(BASE, ["todo # wait", '"done" # wait']);
    expect(merged({ base: BASE, mine, theirs })).toBe(edited(mine, ["todo", '"done"']));
  });

  it("merges what a formatter moved to another column", () => {
    const mine = BASE.replace(/^ {2}(?=.)/gm, "").replace("push_to", "  push_to");
    const theirs = edited(BASE, ["title: b", "title: y"], ["todo # wait", "done # wait"], ['"do"', '"did"']);
    const result = merged({ base: BASE, mine, theirs });
    expect(result).toBe(
      edited(mine, ["title: b", "title: y"], ["todo # wait", "done # wait"], ['"do"', '"did"']),
    );
  });

  it("refuses what is no file of tasks any more when it is put together", () => {
    const mine = edited(BASE, ["title: b", "title: b\n    depends_on: [C]"]);
    const theirs = edited(BASE, [/ {2}- \{id: C.*\n/, ""]);
    expect(mergeTasks({ base: BASE, mine, theirs })).toMatchObject({
      ok: false,
      in: "together",
      problems: [{ message: expect.stringContaining("B depends on C") }],
    });
    const twice = edited(BASE, ["id: A2", "id: B"]);
    expect(mergeTasks({ base: BASE, mine: twice, theirs })).toMatchObject({ ok: false, in: "mine" });
  });

  it("takes the loop's word for where a task is if nobody knows what both came from", () => {
    const mine = edited(BASE, ["mine: {x: 1}", "  - id: N\n    title: n\nmine: {x: 1}"]);
    const theirs = edited(BASE, ["todo # wait", "done # wait"]);
    expect(merged({ base: null, mine, theirs })).toBe(edited(mine, ["todo # wait", "done # wait"]));
    expect(conflictsOf(edited(BASE, ["title: b", "title: x"]), theirs, null)).toEqual(["B title"]);
  });

  it("knows a comment below a text that keeps its blank lines as the comment that others have there", () => {
    const base = "tasks:\n- {id: A, title: a}\n# end\n";
    const kept = "- id: N\n  title: n\n  ai_notes:\n    - |+\n      kept\n\n\n";
    const mine = edited(base, ["# end\n", `${kept}# end\n`]);
    expect(merged({ base: null, mine, theirs: base })).toBe(mine);
    expect(merged({ base, mine, theirs: edited(base, ["# end", "# new end"]) })).toBe(
      edited(mine, ["# end", "# new end"]),
    );
    const above = edited(mine, ["# end\n", "# about B\n- {id: B, title: b}\n"]);
    const theirs = edited(base, ["# end\n", "# about B\n- {id: B, title: b}\n"]);
    expect(merged({ base: null, mine: above, theirs })).toBe(above);
  });

  it("never changes what an anchor stands for, unless a side did", () => {
    const base =
      "all: &all [npm test]\ntasks:\n- id: A\n  title: a\n  verify: *all\n- id: B\n  title: b\n  verify: *all\n";
    const mine = edited(base, ["title: a", "title: x"]);
    const theirs = edited(base, ["title: b", "title: y"]);
    expect(merged({ base, mine, theirs })).toBe(edited(mine, ["title: b", "title: y"]));
    expect(conflictsOf(mine, edited(base, ["npm test", "npm run all"]), base)).toEqual(["layout"]);
    const list = "tasks: [{id: A, title: a}, {id: B, title: b}]\n";
    expect(conflictsOf(edited(list, ["a}", "x}"]), edited(list, ["b}", "y}"]), list)).toEqual(["layout"]);
  });
});
