import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tasksText } from "../../test/rig/tasks-texts.ts";
import { longText } from "../core/long-text.ts";
import { unpackItem } from "./pack.ts";
import { parseTasks } from "./parse.ts";
import { fileOf, type Parts, textOf } from "./parts.ts";
import { readTasks } from "./read.ts";
import { split, splitLike } from "./split.ts";

const parts = (text: string, known: Parts | null = null): Parts => {
  const result = readTasks(text, known);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.parts;
};

/** Every item with its offsets in the whole text. */
function offsetsOf({ entries, head }: Parts): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let start = head.length;
  for (const { offsets, text } of entries) {
    for (const row of offsets) {
      const item = unpackItem(row);
      const keys = Object.entries(item.keys).map(
        ([name, { keyStart, keyEnd, start: from, end, ...rest }]) => [
          name,
          { ...rest, at: [keyStart, keyEnd, from, end].map((offset) => offset + start) },
        ],
      );
      found[String(row[0])] = { ...item, keys: Object.fromEntries(keys) };
    }
    start += text.length;
  }
  return found;
}

/** What the parts say, beside what the text parsed as a whole says. */
function expectWhole(text: string, read: ReturnType<typeof readTasks>): void {
  const whole = parseTasks(text);
  if (!whole.ok || !read.ok) {
    expect(read).toEqual(whole);
    return;
  }
  const { git, tasks } = whole.file;
  const { offsets } = whole;
  const one = { head: "", tail: "", git, entries: [{ text, tasks, offsets }] };
  expect(textOf(read.parts).whole).toBe(text);
  expect(fileOf(read.parts)).toEqual({ git, tasks });
  expect(offsetsOf(read.parts)).toEqual(offsetsOf(one));
}

/** Tasks that the schema takes: each of the texts with titles and a task's status. */
const titled = tasksText.map(({ text }) =>
  text
    .replaceAll("title", "heading")
    .replaceAll("pending", "todo")
    .replace(/^( *)-( +)id: T\d+.*$/gm, (line, pad, gap) => `${line}\n${pad} ${gap}title: t`)
    .replace(/\{ ?id: T\d/g, "$&, title: t"),
);

/** What a person, or somebody who means harm, may have put between two lines. */
const intruder = fc.constantFrom(
  "  - id: X\n    title: x",
  "- id: X\n  title: x",
  "- {id: X, title: x}",
  "---",
  "...",
  "%YAML 1.1",
  "# - id: Y",
  "git: {push_to_remote: true}",
  "tasks:",
  '"',
  "'",
  "  instructions: |",
  "    instructions: >-",
  "note: |",
  'note: "',
  "    steps:\n      - {id: s, instruction: i}",
  "  subtasks:\n  - {id: Z, title: z}",
  "  x: &a todo",
  "  status: *a",
  "  <<: *a",
  "\t- id: Q",
  "-\tid: Q",
  "-",
  " - a",
  "  {",
  "  ]",
  "\u2028tasks:",
  "",
  "   ",
);

const mixed = titled.chain((text) =>
  fc
    .array(fc.tuple(fc.nat(), intruder), { maxLength: 3 })
    .map((intruders) =>
      intruders
        .reduce((lines, [at, line]) => lines.toSpliced(at % (lines.length + 1), 0, line), text.split("\n"))
        .join("\n"),
    ),
);

describe("tasks.yaml in parts", () => {
  it("says what the whole text says, whatever stands in it", () => {
    let cut = 0;
    fc.assert(
      fc.property(mixed, (text) => {
        const read = readTasks(text, null);
        if (read.ok && read.parts.head !== "") cut += 1;
        expectWhole(text, read);
      }),
      { numRuns: 300 },
    );
    expect(cut).toBeGreaterThan(50);
  });

  it("says the same where parts are known from another text", () => {
    fc.assert(
      fc.property(mixed, mixed, (before, text) => {
        const known = readTasks(before, null);
        expectWhole(text, readTasks(text, known.ok ? known.parts : null));
      }),
      { numRuns: 150 },
    );
  });

  it("says the same of a text in pieces, wherever they are cut", () => {
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    let apart = 0;
    fc.assert(
      fc.property(mixed, mixed, cuts, fc.boolean(), (before, text, places, isLike) => {
        const known = readTasks(isLike ? text : before, null);
        const given = split(text);
        const at = [
          0,
          ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
          text.length,
        ];
        const anywhere = at.slice(1).map((end, index) => text.slice(at[index], end));
        const laid = given && [
          given.head,
          ...given.entries.slice(0, -1),
          `${given.entries.at(-1)}${given.tail}`,
        ];
        for (const pieces of [anywhere, laid ?? []]) {
          if (pieces.join("") !== text) continue;
          const read = readTasks(longText(pieces), known.ok ? known.parts : null);
          if (pieces.length > 1 && read.ok) apart += 1;
          expectWhole(text, read);
        }
      }),
      { numRuns: 200 },
    );
    expect(apart).toBeGreaterThan(20);
  });

  it("says the same after each of several changes, of which most are about work", () => {
    const progress = fc.constantFrom("status: done", "status: blocked", "ai_notes: [n]", "session_id: s");
    const structure = fc.constantFrom(
      "id: A",
      "depends_on: [C]",
      "branch: bloom",
      "open_pr: true",
      "phase: 1",
      "repo: ..",
    );
    const change = fc.tuple(fc.nat(2), fc.oneof({ weight: 3, arbitrary: progress }, structure));
    let problems = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const tasks = ["A", "B", "C"].map((id) => [
          `- id: ${id}`,
          "  title: t",
          "  depends_on: []",
          "  repo: .",
        ]);
        let known: Parts | null = null;
        for (const [at, line] of changes) {
          const key = line.slice(0, line.indexOf(":"));
          const before = tasks[at] ?? [];
          tasks[at] = [...before.filter((each) => !each.slice(2).startsWith(`${key}:`)), `  ${line}`];
          if (key === "id") tasks[at] = [`- ${line}`, ...before.slice(1)];
          const text = `tasks:\n${tasks.flat().join("\n")}\n`;
          const read = readTasks(text, known);
          expectWhole(text, read);
          if (read.ok) known = read.parts;
          else problems += 1;
        }
      }),
      { numRuns: 300 },
    );
    expect(problems).toBeGreaterThan(50);
  });

  it("parses of a thousand tasks the one that changed", () => {
    const tasks = Array.from({ length: 1_000 }, (_, n) => `  - id: T${n}\n    title: t ${n} # mine\n`);
    const text = `# ours\ntasks:\n${tasks.join("")}\ngit: {}\n`;
    const before = parts(text);
    const after = parts(text.replace("t 500 #", "another #"), before);
    const parsed = after.entries.filter((part) => !before.entries.includes(part));
    expect(parsed).toHaveLength(1);
    expect(parsed[0]?.tasks[0]).toMatchObject({ id: "T500", title: "another" });
    expect(after.git).toBe(before.git);
  });

  it.each(["\n", "\r\n"])("places every problem between tasks as the whole text does (%j)", (eol) => {
    const text = [
      "# ours",
      "tasks:",
      "  # the first",
      "  - id: A",
      "    title: é",
      "    depends_on: [nowhere, A2]",
      "    subtasks:",
      "      - {id: A2, title: b, branch: 'a..b'}",
      "  - {id: A, title: c, repo: ../x, steps: [{id: A2, instruction: d}]}",
      "  - id: B",
      "    title: e",
      "    merge_into: m",
      "    depends_on:",
      "      - C",
      "git: {push_to_remote: false}",
      "",
    ].join(eol);
    const whole = parseTasks(text);
    expect(whole).toMatchObject({ ok: false });
    expect(whole.ok ? [] : whole.problems.length).toBeGreaterThan(6);
    expect(readTasks(text, null)).toEqual(whole);
    const changed = text.replace("title: e", "title: f");
    expect(readTasks(changed, parts("tasks:\n  - id: B\n    title: x\n"))).toEqual(parseTasks(changed));
  });

  it("finds a problem between tasks of which only one changed, with its line", () => {
    const before = parts("tasks:\n- {id: A, title: a}\n- {id: B, title: b}\n");
    expect(readTasks("tasks:\n- {id: A, title: a}\n- {id: A, title: b}\n", before)).toMatchObject({
      ok: false,
      problems: [{ line: 3, message: expect.stringContaining("The id A is used twice") }],
    });
  });

  it.each([
    ["a task", "base: &b {status: done}\ntasks:\n- <<: *b\n  id: A\n  title: a\n"],
    [
      "what stands behind the tasks",
      "mine: &b {}\ntasks:\n- {id: A, title: a, mine: &b {push_to_remote: true}}\ngit: *b\n",
    ],
    [
      "one task by an anchor that another has, too",
      "tasks:\n- &a {id: A, title: a}\n- {id: B, title: b, x: &a [], y: *a}\n",
    ],
  ])("parses as a whole what has an alias in %s", (_, text) => {
    expect(parts(text)).toMatchObject({ head: "", entries: [{ text }] });
    expectWhole(text, readTasks(text, null));
  });

  it("is cut by the pieces of another text as without them", () => {
    let like = 0;
    const check = (before: string, text: string) => {
      const pieces = split(before);
      const cut = pieces && splitLike(text, pieces);
      if (cut === null) return;
      like += 1;
      expect(cut).toEqual(split(text));
    };
    const intruded = fc.tuple(titled, fc.array(fc.tuple(fc.nat(), intruder), { maxLength: 2 }), fc.boolean());
    fc.assert(
      fc.property(intruded, mixed, ([text, intruders, isFirst], other) => {
        const lines = text.split("\n");
        for (const [at, line] of intruders) lines.splice(at % (lines.length + 1), isFirst ? 1 : 0, line);
        check(text, lines.join("\n"));
        check(lines.join("\n"), text);
        check(other, text);
      }),
      { numRuns: 500 },
    );
    expect(like).toBeGreaterThan(200);
    const [last, own] = ["tasks:\n- id: A\n  b: 1\nb: 1\n", "tasks:\n- id: A\n  b: 2\nb: 1\n"];
    for (const text of [last.slice(0, -5), own.slice(0, -5), own.replace("\nb", "\n b")]) check(last, text);
    check("tasks:\n- id: A\nb: 1\n", "tasks:\n- id: B\nab: 1\n");
  });

  it.each(["- id: B\n  title: b\n", "- b\n", " more\n", "\n- id: B\n  title: b\n"])(
    "says the same where a last line that had no end goes on with %j",
    (more) => {
      const before = "tasks:\n- id: A\n  title: a";
      const known = readTasks(before, null);
      const text = `${before}${more}`;
      for (const given of [text, longText(["tasks:\n", "- id: A\n  title: a", more])])
        expectWhole(text, readTasks(given, known.ok ? known.parts : null));
    },
  );

  it("is cut at the dashes of its list, with what stands around it", () => {
    const text =
      "# c\ntasks: # t\n\n  # first\n  - id: A\n    text: |\n      - no\n  # of A\n\n  - id: B\nmine: 1\n";
    expect(split(text)).toEqual({
      head: "# c\ntasks: # t\n\n  # first\n",
      entries: ["  - id: A\n    text: |\n      - no\n  # of A\n\n", "  - id: B\n"],
      tail: "mine: 1\n",
    });
    for (const whole of ["tasks: []\n", "tasks: [{id: A}]\n", "tasks:\n", "{tasks: []}\n", "", "- tasks:\n"])
      expect(split(whole)).toBeNull();
  });
});
