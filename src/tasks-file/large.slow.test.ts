/** A tasks.yaml of several megabytes, which nothing parses as a whole, is added to like any other. */
import { describe, expect, it } from "vitest";
import { editTasks } from "./edit.ts";
import { parseTasks } from "./parse.ts";
import { fileOf } from "./parts.ts";
import { readTasks } from "./read.ts";

const words = "a line of a long text that says something\n      ".repeat(120);
const entry = (n: number) =>
  `  # about ${n}\n  - id: B-${n}\n    title: t${n}\n    instructions: |\n      ${words}\n    steps:\n      - {id: B-${n}.s, instruction: do}\n`;
const LARGE = `# ours\ntasks:\n${Array.from({ length: 900 }, (_, n) => entry(n)).join("")}\nmore: 1\n`;

function tasksOf(text: string) {
  const read = readTasks(text, null);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return fileOf(read.parts).tasks;
}

const items = Array.from({ length: 300 }, (_, n) => ({
  ...{ id: `N-${n}`, title: `new: ${n} # x`, instructions: `${words}${"y".repeat(n)}` },
  ...(n > 0 ? { depends_on: [`N-${n - 1}`] } : {}),
}));

describe("A tasks.yaml that is too large to be parsed as a whole", () => {
  it("is one, in these tests", () => {
    expect(LARGE.length).toBeGreaterThan(4_000_000);
    expect(parseTasks(LARGE).ok).toBe(false);
  });

  it("gets tasks at its end, steps, subtasks and values, and every other byte stays", () => {
    const after = editTasks(LARGE, [
      { type: "add-items", into: null, list: "tasks", items: [...items, { id: "B-7", title: "there" }] },
      { type: "add-items", into: "B-5", list: "subtasks", items: [{ id: "B-5.1", title: "below" }] },
      { type: "put", id: "B-899", key: "title", value: "last one" },
      { type: "put", id: "B-3.s", key: "status", value: "done" },
      { type: "add-step", id: "B-4", step: { id: "B-4.2", instruction: "more", acceptance_criteria: [] } },
    ]);
    const before = tasksOf(LARGE);
    const tasks = tasksOf(after);
    expect(tasks.length).toBe(1200);
    expect(tasks.slice(900).map(({ id, instructions, title }) => [id, title, instructions])).toEqual(
      items.map(({ id, instructions, title }) => [id, title, instructions]),
    );
    const changed = tasks.slice(0, 900).flatMap((task, n) => {
      return JSON.stringify(task) === JSON.stringify(before[n]) ? [] : [task.id];
    });
    expect(changed).toEqual(["B-3", "B-4", "B-5", "B-899"]);
    expect(tasks[5]?.subtasks.map(({ id }) => id)).toEqual(["B-5.1"]);
    expect(tasks[4]?.steps.map(({ id }) => id)).toEqual(["B-4.s", "B-4.2"]);
    expect(after.startsWith(LARGE.slice(0, LARGE.indexOf("  # about 3\n")))).toBe(true);
    expect(after.endsWith("\nmore: 1\n")).toBe(true);
    expect(after.match(/# about/g)?.length).toBe(900);
  });

  it.each([
    ["nothing", ""],
    ["remarks alone", "# mine\n"],
    ["an empty list", "tasks: []\n"],
  ])("comes out of %s, in one go", (_, before) => {
    const many = [0, 1, 2].flatMap((round) => items.map((item) => ({ ...item, id: `R${round}-${item.id}` })));
    // Each waits for the one below it.
    const list = many.map(({ id, instructions, title }, at) => {
      const below = many[at + 1]?.id;
      return { id, title, instructions, ...(below ? { depends_on: [below] } : {}) };
    });
    const add = (text: string) =>
      editTasks(text, [{ type: "add-items", into: null, list: "tasks", items: list }]);
    const after = add(before);
    expect(after.length).toBeGreaterThan(4_000_000);
    expect(tasksOf(after).map(({ id }) => id)).toEqual(list.map(({ id }) => id));
    expect(add(after)).toBe(after);
  });

  it("gets a task with steps, once", () => {
    const task = { id: "Z", title: "z", instructions: "i", acceptance_criteria: [], steps: [] };
    const after = editTasks(LARGE, [{ type: "add-task", task }]);
    expect(tasksOf(after).at(-1)?.id).toBe("Z");
    expect(editTasks(after, [{ type: "add-task", task }])).toBe(after);
  });

  it("says what it lacks where it cannot be cut into tasks", () => {
    const add = (text: string) => editTasks(text, [{ type: "put", id: "B-1", key: "title", value: "x" }]);
    expect(() =>
      add(LARGE.replace("title: t1\n", "title: &t t1\n").replace("title: t2\n", "title: *t\n")),
    ).toThrow(/too large|4 MB|large/);
  });
});
