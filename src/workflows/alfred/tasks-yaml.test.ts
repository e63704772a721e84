import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkHasPlan, type ExportedTask, findFiled, placeTask } from "./tasks-yaml.ts";

const TASK: ExportedTask = {
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
    { id: "TS-01.S-2", instruction: "Call", acceptance_criteria: [] },
  ],
};

const stepsIn = (text: string) =>
  parse(text)
    .tasks.find(({ id }: { id: string }) => id === "TS-01")
    .steps.map(({ id }: { id: string }) => id);

function placed(text: string | null): string {
  return placeTask(text, TASK, "tasks.yaml");
}

test("without a file, it is created", () => {
  const text = placed(null);
  expect(parse(text).tasks[0]).toMatchObject({
    ...TASK,
    status: "todo",
    steps: [TASK.steps[0], { id: "TS-01.S-2" }],
  });
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
  const after = placed(before);
  expect(stepsIn(after)).toEqual(["TS-01.S-1", "TS-01.S-2"]);
  const lines = before.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("tasks:"));
  for (const line of lines) expect(after).toContain(line);
  const kept = after.split("\n").filter((line) => lines.includes(line));
  expect(kept).toEqual(lines);
  const filed = findFiled(after, "TS-01", "tasks.yaml");
  expect(filed && checkHasPlan(filed, TASK, () => false, "tasks.yaml")).toBeUndefined();
  if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
});

test("a task that is there without steps gets them, and keeps the rest", () => {
  const before =
    "tasks:\n  - id: TS-01 # mine\n    title: own title\n    status: ready_for_agent\n    # why\n  - id: B\n    title: b\n";
  const after = placed(before);
  expect(stepsIn(after)).toHaveLength(2);
  expect(parse(after).tasks[0]).toMatchObject({ title: "own title", status: "ready_for_agent" });
  expect(after).toContain("  - id: TS-01 # mine\n    title: own title\n");
  expect(after).toContain("  - id: B\n    title: b\n");
});

const has = (status: string, ...ids: readonly string[]) => {
  const steps = ids.map((id) => `      - id: ${id}\n        instruction: i\n`).join("");
  const text = `tasks:\n  - id: TS-01\n    title: t\n    status: ${status}\n    steps:\n${steps}`;
  const filed = findFiled(text, "TS-01", "tasks.yaml");
  if (!filed) throw new Error("the task was not found");
  return () => checkHasPlan(filed, TASK, (id) => id.includes("rework"), "tasks.yaml");
};

test("other steps are never replaced", () => {
  for (const ids of [["X"], ["TS-01.S-1"], ["TS-01.S-2", "TS-01.S-1"], ["TS-01.S-1", "TS-01.S-2", "X"]])
    expect(has("todo", ...ids)).toThrow(`has steps already, other than the plan's: ${ids.join(", ")}.`);
  expect(has("done", "TS-01.S-1", "TS-01.rework-1")).toThrow(/other than the plan's/);
});

test("a person's steps may stand beside the plan's once it is done, and so may reworks", () => {
  expect(has("done", "X", "TS-01.S-1", "TS-01.S-2")).not.toThrow();
  expect(has("ready_for_agent", "TS-01.S-1", "TS-01.S-2", "X", "TS-01.rework-1")).not.toThrow();
});

test("a file that cannot be read, or not be added to, is an error with its place", () => {
  expect(() => placeTask("tasks:\n  - id: [\n", TASK, "tasks.yaml")).toThrow(
    /tasks\.yaml cannot be used: line \d+, column \d+/,
  );
  expect(() => placeTask("tasks: [{id: A, title: a}]\n", TASK, "tasks.yaml")).toThrow(/a list in brackets/);
  expect(() => placeTask("- a\n", TASK, "tasks.yaml")).toThrow(/expected a mapping/);
  expect(() => placeTask("tasks: {}\n", TASK, "tasks.yaml")).toThrow(/expected a list/);
  expect(() => placeTask("tasks:\n  - *none\n", TASK, "tasks.yaml")).toThrow(
    /tasks\.yaml cannot be used: .*none/,
  );
});
