import { expect, test } from "vitest";
import { parse } from "yaml";
import { promise } from "../../test/rig/promise.ts";
import { editTasks } from "./edit.ts";

const TASK = {
  id: "TS-01",
  title: 'Limit: the "rate" # now',
  instructions: "First line.\n\n## Second: line\n- {{ x }}",
  acceptance_criteria: ["429 after ten"],
  steps: [
    {
      id: "TS-01.S-1",
      instruction: "Bucket (CREATE a)\n\nWrite it.",
      acceptance_criteria: ["`cat` shows it"],
    },
    { id: "TS-01.S-2", instruction: "Call" },
  ],
};

const stepsIn = (text: string) =>
  parse(text)
    .tasks.find(({ id }: { id: string }) => id === "TS-01")
    .steps.map(({ id }: { id: string }) => id);

function placed(text: string): string {
  return editTasks(text, [{ type: "add-items", into: null, list: "tasks", items: [TASK] }]);
}

test("without a file, it is created", () => {
  const text = placed("");
  expect(parse(text).tasks[0]).toEqual(TASK);
});

const FILES: readonly [string, string][] = [
  [
    "an indented list",
    "# mine\ntasks:\n  - id: A  # first\n    title: a\n\n  - {id: B, title: b}\n\n# the end\n",
  ],
  ["a list at the margin", "git: {push_to_remote: true}\ntasks:\n- id: A\n  title: a\n  custom: [1,   2]\n"],
  [
    "tasks that are not last",
    "tasks:\n    - id: A\n      title: |\n        long\n\n        text\ngit:\n  push_to_remote: false\n",
  ],
  ["no line break at the end", "tasks:\n  - id: A\n    title: a"],
  ["windows line ends", "tasks:\r\n  - id: A\r\n    title: a\r\n"],
  ["an empty list", "tasks: [] # none yet\ngit: {}\n"],
  ["no value", "tasks:\ngit: {}\n"],
  ["no tasks", "git:\n  push_to_remote: true\n"],
  ["dashes in the last task", "tasks:\n  - id: A\n    title: - odd\n".replace("- odd", '"- odd"')],
];

test.each(FILES)("with %s, the rest stays as it is, byte by byte", (_, before) => {
  promise("alfred.loop");
  const after = placed(before);
  expect(stepsIn(after)).toEqual(["TS-01.S-1", "TS-01.S-2"]);
  const lines = before.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("tasks:"));
  for (const line of lines) expect(after).toContain(line);
  const kept = after.split("\n").filter((line) => lines.includes(line));
  expect(kept).toEqual(lines);
  expect(placed(after)).toBe(after);
  if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
});

test("a task that is there without steps gets them, and keeps the rest", () => {
  const before =
    "tasks:\n  - id: TS-01 # mine\n    title: own title\n    status: ready_for_agent\n    # why\n  - id: B\n    title: b\n";
  const after = editTasks(before, [{ type: "add-items", into: "TS-01", list: "steps", items: TASK.steps }]);
  expect(stepsIn(after)).toHaveLength(2);
  expect(parse(after).tasks[0]).toMatchObject({ title: "own title", status: "ready_for_agent" });
  expect(after).toContain("  - id: TS-01 # mine\n    title: own title\n");
  expect(after).toContain("  - id: B\n    title: b\n");
});

test("a file that cannot be read, or not be added to, is an error with its place", () => {
  expect(() => placed("tasks:\n  - id: [\n")).toThrow(/tasks\.yaml cannot be used: line \d+, column \d+/);
  expect(() => placed("- a\n")).toThrow(/expected a mapping/);
  expect(() => placed("tasks: {}\n")).toThrow(/expected a list/);
  expect(() => placed("tasks:\n  - *none\n")).toThrow(/tasks\.yaml cannot be used: .*none/);
});
