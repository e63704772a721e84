import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { promise } from "../../test/rig/promise.ts";
import { editTasks } from "./edit.ts";

const NEW = { id: "N", title: "New: one", instructions: "a\n\nb: c # d\n  e", depends_on: ["A"] };
const add = (text: string, items: readonly object[] = [NEW]) =>
  editTasks(text, [{ type: "add-items", into: null, list: "tasks", items }]);
const put = (text: string, key: string, value: unknown, id = "A") =>
  editTasks(text, [{ type: "put", id, key, value }]);

const PLAIN = `# ours
tasks:
  # about A
  - id: A # first
    title: a   # why
    depends_on: [X, Y] # both
    instructions: |
      one

      two
    ai_notes:
      - x # mine
      - y
    custom: {k: 1}

    # before the steps
    steps:
      - id: A.1
        instruction: do
  - {id: X, title: x}
  - {id: Y, title: y}

# the end
`;

describe("Adding many at once", () => {
  it("refuses more than Pawl reads, and says so", () => {
    promise("import.bounded");
    expect(() => add(PLAIN, [{ id: "N", title: "n", instructions: "x".repeat(4_000_000) }])).toThrow(
      expect.objectContaining({ code: "tasks-too-large", fix: expect.stringContaining("longest text") }),
    );
  });

  it.each([
    ["without a file", ""],
    ["with remarks alone", "# nothing yet\n"],
    ["with an empty list", "tasks: [] # none\n"],
    ["with an empty key", "git: {push_to_remote: true}\ntasks:\n"],
    ["without the key", "git: {push_to_remote: true}\n"],
    ["in brackets", "tasks: [{id: A, title: a}]\n"],
    ["with windows line ends", PLAIN.replaceAll("\n", "\r\n")],
    ["without a last line break", "tasks:\n- id: A\n  title: a"],
    [
      "behind a text that keeps its blank lines",
      "tasks:\n  - id: A\n    title: a\n    instructions: |+\n      i\n\n\n",
    ],
    ["before other keys", "tasks:\n  - id: A\n    title: a\n\nmore: 1\n"],
    ["with a byte order mark", "\uFEFFtasks:\n  - id: A\n    title: a\n"],
    ["all on one line", "{tasks: [{id: A, title: a}]}\n"],
  ])("%s, it means what was there and the new tasks", (_, before) => {
    const after = add(before, [NEW, { id: "M", title: "m" }]);
    const tasks = parse(before.replace(/^\uFEFF/, ""))?.tasks ?? [];
    expect(parse(after.replace(/^\uFEFF/, "")).tasks).toEqual([...tasks, NEW, { id: "M", title: "m" }]);
    for (const remark of before.match(/#.*/g) ?? []) expect(after).toContain(remark);
    if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(add(after, [NEW])).toBe(after);
  });

  it("keeps every line that was there", () => {
    promise("bloom.add");
    const after = add(PLAIN).split("\n");
    let at = 0;
    for (const line of PLAIN.split("\n")) {
      const found = after.indexOf(line, at);
      expect([line, found >= 0]).toEqual([line, true]);
      at = found + 1;
    }
  });

  it("adds steps and subtasks to a task, with a list of them or without", () => {
    const step = { id: "A.2", instruction: "more" };
    const after = editTasks(PLAIN, [
      { type: "add-items", into: "A", list: "steps", items: [step] },
      { type: "add-items", into: "A", list: "subtasks", items: [{ id: "S", title: "s" }] },
      { type: "add-items", into: "X", list: "subtasks", items: [{ id: "Z", title: "z" }] },
    ]);
    const [a, x] = parse(after).tasks;
    expect(a.steps).toEqual([{ id: "A.1", instruction: "do" }, step]);
    expect(a.subtasks).toEqual([{ id: "S", title: "s" }]);
    expect(x.subtasks).toEqual([{ id: "Z", title: "z" }]);
    expect(after).toContain("    # before the steps\n");
  });
});

describe("Putting a value", () => {
  it("changes its line alone, and keeps the remark behind it", () => {
    expect(put(PLAIN, "title", "b: c")).toBe(PLAIN.replace("title: a   #", 'title: "b: c"   #'));
    expect(put(PLAIN, "depends_on", ["X"])).toBe(PLAIN.replace("[X, Y] #", "[ X ] #"));
    expect(put(PLAIN, "status", "done")).toContain("    status: done\n");
  });

  it.each<[string, string, unknown]>([
    ["a text of several lines", "instructions", "three\n\nfour"],
    ["one line for several", "instructions", "three"],
    ["several lines for one", "title", "t"],
    ["a list of several lines", "ai_notes", ["x", "z"]],
    ["an empty list", "ai_notes", []],
    ["a key that is not there", "description", "d\n# e"],
    ["anything in braces", "custom", { k: 2 }],
    [
      "a criterion with its check",
      "acceptance_criteria",
      ["a", { text: "b: c # d", check: "grep 'e: f' -q" }],
    ],
  ])("writes %s", (_, key, value) => {
    const after = put(PLAIN, key, value);
    const [task] = parse(after).tasks;
    expect(typeof task[key] === "string" ? task[key].trim() : task[key]).toEqual(value);
    for (const remark of PLAIN.match(/#.*/g) ?? []) expect(after).toContain(remark);
    expect(parse(after).tasks.slice(1)).toEqual(parse(PLAIN).tasks.slice(1));
  });

  it("works in a task in braces, in a step, and on a first key", () => {
    expect(put(PLAIN, "title", "n", "X")).toContain('{id: X, title: "n"}');
    expect(put(PLAIN, "status", "done", "Y")).toContain('{id: Y, title: y, status: "done"}');
    expect(put(PLAIN, "instruction", "do\nit", "A.1")).toMatch(/instruction: \|-?\n {10}do\n {10}it\n/);
    expect(parse(put("tasks:\n- title: |\n    x\n  id: A\n", "title", "a\nb")).tasks).toEqual([
      { title: "a\nb", id: "A" },
    ]);
  });

  it("refuses what it cannot write without touching more, and leaves the file", () => {
    const shared = "tasks:\n- {id: A, title: &n a}\n- {id: B, title: *n}\n";
    expect(() => put(shared, "title", "b")).toThrow(/It was left unchanged/);
    expect(() => put(PLAIN, "title", "b", "NONE")).toThrow(/NONE is not written out/);
    expect(() => put("- a\n", "title", "b")).toThrow(/expected a mapping/);
    expect(() => put("tasks: [\n", "title", "b")).toThrow(/line \d+/);
  });
});

describe("Dropping a key", () => {
  const drop = (text: string, key: string, id = "A") => editTasks(text, [{ type: "drop", id, key }]);
  const dataOf = (text: string) => parse(text).tasks as readonly Record<string, unknown>[];

  it.each(["title", "depends_on", "instructions", "ai_notes", "custom", "steps", "id"])(
    "takes %s away with what stands below it, and leaves every other line",
    (key) => {
      promise("tasks.edit");
      const after = drop(PLAIN, key);
      const [task, ...others] = dataOf(PLAIN);
      const { [key]: _, ...rest } = task ?? {};
      expect(dataOf(after)).toEqual([rest, ...others]);
      const lines = new Set(PLAIN.split("\n").map((line) => line.trim().replace(/^- /, "")));
      for (const line of after.split("\n")) expect(lines).toContain(line.trim().replace(/^- /, ""));
    },
  );

  it("works in braces, wherever the key stands", () => {
    promise("tasks.edit");
    const text = "tasks:\n- {id: A, title: a, phase: 1}\n";
    expect(drop(text, "title")).toBe("tasks:\n- {id: A, phase: 1}\n");
    expect(drop(text, "phase")).toBe("tasks:\n- {id: A, title: a}\n");
    expect(drop(text, "id")).toBe("tasks:\n- {title: a, phase: 1}\n");
  });
});
