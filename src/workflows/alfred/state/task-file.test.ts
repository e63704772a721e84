import fc from "fast-check";
import { expect, test } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { SIZES } from "../../../core/settings.ts";
import { PRIORITIES, parseTask, renderTask, type Task } from "./task-file.ts";

const SOURCE = `# TASK: TS-01

## Title
Limit *the*
rate

## Context
Too many requests.

### A deeper heading

\`\`\`md
## Not a section
\`\`\`

## Implementation Details

## Acceptance Criteria
1. one
   more
   - nested
2) two

* [ ] three
## Priority
High
## Size
Light
## Dependencies
- A-1
- B.2
## Files to Modify
x.py
`;

test("a task is read as a markdown parser sees it", () => {
  expect(parseTask(SOURCE, "x")).toEqual({
    task_id: "TS-01",
    title: "Limit *the* rate",
    context: "Too many requests.\n\n### A deeper heading\n\n```md\n## Not a section\n```",
    implementation_details: "",
    acceptance_criteria: ["one\nmore\n- nested", "two", "[ ] three"],
    ac_verification: [],
    dev_notes: "",
    priority: "high",
    size: "light",
    dependencies: ["A-1", "B.2"],
    other: [{ heading: "Files to Modify", text: "x.py" }],
  });
});

test("line ends and a byte order mark make no difference", () => {
  expect(parseTask(`\uFEFF${SOURCE.replaceAll("\n", "\r\n")}`, "x")).toEqual(parseTask(SOURCE, "x"));
});

test("what is read and written again is the same task", () => {
  const task = parseTask(SOURCE, "x");
  expect(parseTask(renderTask(task), "y")).toEqual(task);
});

const word = fc.constantFrom("a", "**b**", "`c`", "# d", "1.", "-", "*", "> e", "{{ f }}", "\\", "---", "é");
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `x ${words.join(" ")}`);
const paragraph = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n"));
const fence = line.map((text) => `\`\`\`\n## ${text}\n\n- ${text}\n\`\`\``);
const section = fc
  .array(
    fc.oneof(
      paragraph,
      fence,
      line.map((text) => `### ${text}`),
    ),
    { maxLength: 4 },
  )
  .map((blocks) => blocks.join("\n\n"));
const items = fc.array(
  fc.oneof(
    line,
    fc.tuple(line, fence).map((parts) => parts.join("\n\n")),
  ),
  { maxLength: 4 },
);
const id = fc.stringMatching(/^[A-Z][A-Z0-9]{0,4}-[0-9]{1,4}$/);

const tasks: fc.Arbitrary<Task> = fc.record({
  task_id: id,
  title: line,
  context: section,
  implementation_details: section,
  acceptance_criteria: items,
  ac_verification: items,
  dev_notes: section,
  priority: fc.constantFrom(null, ...PRIORITIES),
  size: fc.constantFrom(null, ...SIZES),
  dependencies: fc.uniqueArray(id, { maxLength: 3 }),
  other: fc.constantFrom([], [{ heading: "Unit Tests", text: "- t" }]),
});

test("any task that is written is read back as it was", () => {
  promise("alfred.task-grammar");
  fc.assert(
    fc.property(tasks, (task) => {
      expect(parseTask(renderTask(task), "x")).toEqual(task);
    }),
    { numRuns: 200 },
  );
});

test("a text that would be read as another section is refused, not written", () => {
  const task = { ...parseTask(SOURCE, "x"), context: "a\n\n## Dev Notes\n\nb" };
  expect(() => renderTask(task)).toThrow(/its context would be read back/);
  expect(() => renderTask({ ...task, context: "```\nnever closed" })).toThrow();
});

const FAULTS: readonly [string, string, RegExp][] = [
  ["no heading", "hello", /expected a first heading "# TASK: <id>", found no heading/],
  ["another first heading", "# Task list\n", /line 1: expected the first heading to be/],
  ["a hostile id", "# TASK: ../x\n", /line 1: expected a task id.*found "\.\.\/x"/],
  ["a missing section", "# TASK: A-1\n## Title\nt\n", /expected a section "## Context", found none/],
  [
    "a section twice",
    "# TASK: A-1\n## Title\nt\n## Title\nu\n",
    /line 4: the section "Title" is there twice/,
  ],
  ["prose for a list", "# TASK: A-1\n## Acceptance Criteria\nx\n", /line 3: expected a list.*a paragraph/],
  ["an unknown priority", "# TASK: A-1\n## Priority\nurgent\n", /found "urgent"/],
  ["an empty title", "# TASK: A-1\n## Title\n", /expected text under "## Title"/],
];

test.each(FAULTS)("it tells of %s", (_, text, message) => {
  expect(() => parseTask(text, "x")).toThrow(message);
});

test("every fault is told at once, and the fix shows the grammar", () => {
  try {
    parseTask("# TASK: A-1\n## Priority\nurgent\n", "x");
    expect.unreachable();
  } catch (thrown) {
    const { code, fix, message } = thrown as { code: string; fix: string; message: string };
    expect(code).toBe("task-invalid");
    expect(message.match(/^- /gm)).toHaveLength(5);
    expect(fix).toContain("## Acceptance Criteria");
  }
});
