import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { tasksText } from "../../test/rig/tasks-texts.ts";
import { fileOf, type ParsedFile, textOf } from "./entries.ts";
import { parseTasks } from "./parse.ts";
import { readTasks } from "./read.ts";
import { split } from "./split.ts";

const parsed = (text: string, known: ParsedFile | null = null): ParsedFile => {
  const result = readTasks(text, known);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.parsed;
};

/** Every item with its offsets in the whole text. */
function offsetsOf({ entries, head }: ParsedFile): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let start = head.length;
  for (const { offsets, text } of entries) {
    for (const item of offsets) {
      const keys = Object.entries(item.keys).map(
        ([name, { keyStart, keyEnd, start: from, end, ...rest }]) => [
          name,
          { ...rest, at: [keyStart, keyEnd, from, end].map((offset) => offset + start) },
        ],
      );
      found[item.id] = { ...item, keys: Object.fromEntries(keys) };
    }
    start += text.length;
  }
  return found;
}

/** What the entries say, beside what the text parsed as a whole says. */
function expectWhole(text: string, read: ReturnType<typeof readTasks>): void {
  const whole = parseTasks(text);
  if (!whole.ok || !read.ok) {
    expect(read).toEqual(whole);
    return;
  }
  const { git, tasks } = whole.file;
  const { offsets } = whole;
  const one = { head: "", tail: "", git, entries: [{ text, tasks, offsets }] };
  expect(textOf(read.parsed)).toBe(text);
  expect(fileOf(read.parsed)).toEqual({ git, tasks });
  expect(offsetsOf(read.parsed)).toEqual(offsetsOf(one));
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

describe("tasks.yaml by its entries", () => {
  it("says what the whole text says, whatever stands in it", () => {
    promise("bloom.one-task");
    let cut = 0;
    fc.assert(
      fc.property(mixed, (text) => {
        const read = readTasks(text, null);
        if (read.ok && read.parsed.head !== "") cut += 1;
        expectWhole(text, read);
      }),
      { numRuns: 300 },
    );
    expect(cut).toBeGreaterThan(50);
  });

  it("says the same if entries are known from another text", () => {
    promise("bloom.one-task");
    fc.assert(
      fc.property(mixed, mixed, (before, text) => {
        const known = readTasks(before, null);
        expectWhole(text, readTasks(text, known.ok ? known.parsed : null));
      }),
      { numRuns: 150 },
    );
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
        let known: ParsedFile | null = null;
        for (const [at, line] of changes) {
          const key = line.slice(0, line.indexOf(":"));
          const before = tasks[at] ?? [];
          tasks[at] = [...before.filter((each) => !each.slice(2).startsWith(`${key}:`)), `  ${line}`];
          if (key === "id") tasks[at] = [`- ${line}`, ...before.slice(1)];
          const text = `tasks:\n${tasks.flat().join("\n")}\n`;
          const read = readTasks(text, known);
          expectWhole(text, read);
          if (read.ok) known = read.parsed;
          else problems += 1;
        }
      }),
      { numRuns: 300 },
    );
    expect(problems).toBeGreaterThan(50);
  });

  it("parses of a thousand tasks the one that changed", () => {
    promise("bloom.one-task");
    const tasks = Array.from({ length: 1_000 }, (_, n) => `  - id: T${n}\n    title: t ${n} # mine\n`);
    const text = `# ours\ntasks:\n${tasks.join("")}\ngit: {}\n`;
    const before = parsed(text);
    const after = parsed(text.replace("t 500 #", "another #"), before);
    const fresh = after.entries.filter((entry) => !before.entries.includes(entry));
    expect(fresh).toHaveLength(1);
    expect(fresh[0]?.tasks[0]).toMatchObject({ id: "T500", title: "another" });
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
    expect(readTasks(changed, parsed("tasks:\n  - id: B\n    title: x\n"))).toEqual(parseTasks(changed));
  });

  it("finds a problem between tasks of which only one changed, with its line", () => {
    const before = parsed("tasks:\n- {id: A, title: a}\n- {id: B, title: b}\n");
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
    expect(parsed(text)).toMatchObject({ head: "", entries: [{ text }] });
    expectWhole(text, readTasks(text, null));
  });

  it.each(["- id: B\n  title: b\n", "- b\n", " more\n", "\n- id: B\n  title: b\n"])(
    "says the same if a last line that had no end goes on with %j",
    (more) => {
      const before = "tasks:\n- id: A\n  title: a";
      const known = readTasks(before, null);
      const text = `${before}${more}`;
      expectWhole(text, readTasks(text, known.ok ? known.parsed : null));
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
