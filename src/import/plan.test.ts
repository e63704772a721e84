import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { promise } from "../../test/rig/promise.ts";
import { editTasks } from "../tasks-file/edit.ts";
import { parseTasks } from "../tasks-file/parse.ts";
import { planImport } from "./plan.ts";
import type { SourceItem, SourceTask } from "./source.ts";
import { slugOf } from "./words.ts";

const item = (key: string, more: Partial<SourceItem> = {}): SourceItem => ({
  ...{ key, id: key, title: `Title ${key}`, status: "todo", text: "", criteria: [], notes: [] },
  ...more,
});
const task = (
  key: string,
  more: Partial<SourceTask> & { readonly after?: readonly string[] } = {},
): SourceTask => {
  const { after = [], ...rest } = more;
  const dependsOn = after.map((each) => ({ key: each, text: each }));
  return { ...item(key), dependsOn, parent: null, steps: [], ...rest };
};

function tasksIn(text: string) {
  if (text === "") return [];
  const parsed = parseTasks(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.tasks;
}

/** Imports into the text; the result is valid. */
function run(text: string, tasks: readonly SourceTask[], repo?: string) {
  const plan = planImport(tasksIn(text), { tasks, remarks: [] }, { format: "csv", repo });
  const after = plan.edits.length === 0 ? text : editTasks(text, plan.edits);
  tasksIn(after);
  return { ...plan, text: after, tasks: parse(after || "tasks: []").tasks };
}
const changes = ({ rows }: ReturnType<typeof run>) => rows.map(({ change }) => change);

describe("An import into tasks.yaml", () => {
  it("writes tasks with their steps, subtasks, dependencies and if they come from", () => {
    const { tasks } = run(
      "",
      [
        task("A", { text: "about\n\nit", criteria: ["c"], notes: ["n"] }),
        task("B", { parent: "A", after: ["C"], steps: [item("B.1", { status: "done" })] }),
        task("C", { status: "cancelled", reason: "why" }),
      ],
      ".",
    );
    expect(tasks).toMatchObject([
      {
        id: "A",
        // A parent is its subtasks: a text of its own would be work done twice.
        description: "about\n\nit",
        acceptance_criteria: ["c"],
        ai_notes: ["n"],
        source: "csv:A",
        subtasks: [
          {
            id: "B",
            repo: ".",
            depends_on: ["C"],
            steps: [{ id: "B.1", status: "done", source: "csv:B.1" }],
          },
        ],
      },
      { id: "C", status: "cancelled", cancel_reason: "why" },
    ]);
    expect(tasks[0]).not.toHaveProperty("instructions");
    expect(tasks[0]).not.toHaveProperty("repo");
  });

  it("changes nothing the second time, whatever the texts hold", () => {
    promise("import.again");
    const odd = [
      "a\n\n b",
      "- x: [y",
      "# c\n\ttab",
      "'q' \"d\"",
      "é 漢字 🎉",
      "true",
      "1",
      "a: |\n  b",
      "x\n...\n---\ny",
      "  led",
    ];
    const tasks = odd.map((text, at) =>
      task(`K${at}`, {
        title: text.split("\n")[0]?.trim() || "x",
        text: text.trim(),
        criteria: [text.trim()],
      }),
    );
    const first = run("# ours\ntasks: []\n", tasks);
    expect(changes(first)).toEqual(odd.map(() => "new"));
    const second = run(first.text, tasks);
    expect(changes(second)).toEqual(odd.map(() => "unchanged"));
    expect(second.text).toBe(first.text);
  });

  it("updates what the source changed, and keeps what a person or the loop changed since", () => {
    promise("import.again");
    const before = [
      task("A", { text: "old", after: ["B"] }),
      task("B", { steps: [item("s1"), item("s2")] }),
      task("C"),
      task("D", { text: "mine" }),
    ];
    const first = run("", before).text;
    const edited = first
      .replace("title: Title C", "title: Better # mine")
      .replace("instructions: mine", "instructions: ours")
      .replace(
        "id: A\n    title: Title A\n    status: todo",
        "id: A\n    title: Title A\n    status: ready_for_agent",
      )
      .replace(
        "id: B\n    title: Title B\n    status: todo",
        "id: B\n    title: Title B\n    status: in_progress",
      );
    const { rows, tasks, text } = run(edited, [
      task("A", { text: "new", status: "done", after: [] }),
      task("B", { status: "done", steps: [item("s1", { status: "done" }), item("s2"), item("s3")] }),
      task("C", { title: "Other" }),
      task("D", { text: "theirs" }),
      task("E", { parent: "A" }),
    ]);
    expect(tasks[0]).toMatchObject({
      instructions: "new",
      status: "done",
      depends_on: [],
      subtasks: [{ id: "E" }],
    });
    expect(tasks[1]).toMatchObject({
      status: "in_progress",
      steps: [{ id: "s1", status: "done" }, { id: "s2" }, { id: "s3" }],
    });
    expect(tasks[2].title).toBe("Better");
    expect(text).toContain("# mine");
    expect(tasks[3].instructions).toBe("ours");
    expect(Object.fromEntries(rows.map(({ id, kept }) => [id, kept]))).toEqual({
      A: [],
      B: ["status"],
      C: ["title"],
      D: ["text"],
      E: [],
    });
    // Nor does it come back the next time.
    expect(run(text, [task("D", { text: "theirs" })]).rows[0]).toMatchObject({
      change: "unchanged",
      kept: [],
    });
  });

  it("finds a task by its source, whatever a person calls it, and never takes a person's own for it", () => {
    promise("import.again");
    const own = "tasks:\n- {id: A, title: mine}\n- {id: Z, title: z, source: 'csv:K'}\n";
    const { remarks, tasks } = run(own, [task("A"), task("K", { title: "new", after: ["A"] })]);
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(["A", "Z", "A-2"]);
    expect(tasks[0].title).toBe("mine");
    // Nobody knows what an import wrote there.
    expect(tasks[1].title).toBe("z");
    expect(remarks.join()).toContain("A is A-2");
  });

  it("keeps as a note what depends on something that is not in the source, or on itself", () => {
    promise("import.dependencies");
    const { remarks, tasks } = run("", [task("A", { after: ["gone", "A"] })]);
    expect(tasks[0]).not.toHaveProperty("depends_on");
    expect(tasks[0].ai_notes).toEqual([
      "It depends on gone, which is not in the source",
      "It depends on A, which is itself",
    ]);
    expect(remarks.join()).toContain("2 dependencies");
  });

  it("breaks circles if they close, those over parents and present tasks too", () => {
    promise("import.dependencies");
    const chain = [task("A", { after: ["B"] }), task("B", { after: ["C"] }), task("C", { after: ["A"] })];
    const { remarks, tasks } = run("", chain);
    expect(tasks.flatMap(({ depends_on = [] }: { depends_on?: string[] }) => depends_on)).toHaveLength(2);
    expect(remarks.join()).toContain("close a circle");
    const family = run("", [task("P"), task("S", { parent: "P", after: ["P"] })]);
    expect(family.tasks[0].subtasks[0].ai_notes).toEqual(["It depends on P, in a circle"]);
    const first = run("", [task("A"), task("B")]).text;
    const own = first.replace("id: A\n", "id: A\n    depends_on: [B]\n");
    const mixed = run(own, [task("A"), task("B", { after: ["A"] })]);
    expect(mixed.tasks[0].depends_on).toEqual(["B"]);
    expect(mixed.tasks[1].depends_on ?? []).toEqual([]);
    expect(run(mixed.text, [task("A"), task("B", { after: ["A"] })]).text).toBe(mixed.text);
  });

  it("keeps tasks whose parents are missing, stand in a circle or are too deep", () => {
    const deep = Array.from({ length: 40 }, (_, at) =>
      task(`D${at}`, at === 0 ? {} : { parent: `D${at - 1}` }),
    );
    const { remarks, rows } = run("", [
      task("A", { parent: "B" }),
      task("B", { parent: "A" }),
      task("C", { parent: "none" }),
      ...deep,
    ]);
    expect(rows).toHaveLength(43);
    expect(remarks.join()).toContain("stand alone, with a note");
  });

  it("takes away nothing that the source no longer has, and does not bring back a note that was taken away", () => {
    promise("import.again");
    const first = run("", [task("A", { notes: ["n"] }), task("B")]).text;
    const without = first.replace(/ {4}ai_notes:\n {6}- n\n/, "");
    const { remarks, tasks } = run(without, [task("A", { notes: ["n"] })]);
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(["A", "B"]);
    expect(tasks[0]).not.toHaveProperty("ai_notes");
    expect(remarks.join()).toContain("left as they are: B.");
  });

  it("takes a mended typo and an added commit for the same task, and nothing else", () => {
    promise("import.again");
    const line = (title: string, more: object = {}) =>
      task(`p.md#${title}`, { title, byText: true, id: title.replaceAll(" ", "-"), ...more });
    const before = ["Write teh parser", "Add tests", "Step 1 of it", "Gone for good", "Fix"].map((title) =>
      line(title),
    );
    const first = run("", before).text;
    const after = ["Write the parser", "Step 2 of it", "Fix", "Something quite different"].map((title) =>
      line(title),
    );
    const { remarks, rows, tasks, text } = run(first, [
      ...after,
      line("Add tests ef3ef97", { status: "done" }),
    ]);
    expect(rows.map(({ change, id }) => [id, change])).toEqual([
      ["Write-teh-parser", "updated"],
      ["Step-2-of-it", "new"],
      ["Fix", "unchanged"],
      ["Something-quite-different", "new"],
      ["Add-tests", "updated"],
    ]);
    expect(tasks[0]).toMatchObject({ title: "Write the parser", source: "csv:p.md#Write the parser" });
    expect(tasks[1]).toMatchObject({ title: "Add tests ef3ef97", status: "done" });
    expect(remarks).toEqual([
      "Taken as the same with other words: Add-tests (Add tests), Write-teh-parser (Write teh parser).",
      "Of an earlier import and not in this source any more, or of another part of it; left as they are: Step-1-of-it, Gone-for-good.",
    ]);
    expect(changes(run(text, [...after, line("Add tests ef3ef97", { status: "done" })]))).toEqual(
      Array(5).fill("unchanged"),
    );
  });

  it("takes the same words in other marks for the same task, also with a mended typo and a commit behind them", () => {
    promise("import.again");
    const lines = (titles: readonly string[]) =>
      titles.map((title) => task(`p.md#${title}`, { title, byText: true, id: slugOf(title) }));
    const first = run(
      "",
      lines(["Add a login form", "Write `teh` docs", "Test (unit)", "Use the cache"]),
    ).text;
    const { rows } = run(
      first,
      lines([
        "**Add a login form** <!-- commit: deadbeef -->",
        "Write `the` docs (abc1234)",
        "Test (e2e)",
        "~~[Use the cache](docs/cache.md)~~",
      ]),
    );
    expect(rows.map(({ change, id }) => [change, id])).toEqual([
      ["updated", "add-a-login-form"],
      ["updated", "write-teh-docs"],
      ["new", "test-e2e"],
      ["updated", "use-the-cache"],
    ]);
  });

  it("never takes a task with an id of its own for another one", () => {
    promise("import.again");
    const first = run("", [task("A-1", { title: "Write the parser" })]).text;
    expect(changes(run(first, [task("A-2", { title: "Write the parser" })]))).toEqual(["new"]);
  });

  it("finds a step again by its nearest text, within its own task, and names those that are gone", () => {
    promise("import.again");
    const step = (key: string, title: string) => item(key, { title, byText: true });
    const first = run("", [
      task("F", { steps: [step("F.one", "Write teh parser"), step("F.two", "Remove the old")] }),
      task("G", { steps: [step("G.one", "Write the parsers")] }),
    ]).text;
    const { remarks, tasks } = run(first, [
      task("F", { steps: [step("F.uno", "Write the parser")] }),
      task("G", { steps: [step("G.one", "Write the parsers")] }),
    ]);
    expect(
      tasks.map(({ steps }: { steps: readonly { instruction: string }[] }) =>
        steps.map(({ instruction }) => instruction),
      ),
    ).toEqual([["Write the parser", "Remove the old"], ["Write the parsers"]]);
    expect(remarks.join("\n")).toContain("left as they are: F.two.");
  });

  it("plans ten thousand tasks in a chain without waiting", () => {
    promise("import.bounded");
    const many = Array.from({ length: 10_000 }, (_, at) =>
      task(`T${at}`, at === 0 ? { after: ["T9999"] } : { after: [`T${at - 1}`] }),
    );
    const { rows } = planImport([], { tasks: many, remarks: [] }, { format: "csv" });
    expect(rows.reduce((sum, { dependsOn }) => sum + dependsOn.length, 0)).toBe(9_999);
  });
});
