import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readCsv } from "./csv.ts";
import { readMarkdown } from "./markdown.ts";
import { detect } from "./readers.ts";

describe("A markdown checklist", () => {
  const read = (text: string) => readMarkdown([{ path: "TODO.md", text }]);

  it("has boxes for tasks, nested ones for subtasks, and the rest for their text", () => {
    const { tasks } = read(
      "# Plan\n## Now\n- [ ] API-1: First\n  some text\n  - a bullet\n  - [x] Inner\n- [~] Second\n- [-] Third\n1. [X] Fourth\n- no box\n",
    );
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["API-1", "API-1: First", "todo"],
      ["inner", "Inner", "done"],
      ["second", "Second", "in_progress"],
      ["third", "Third", "cancelled"],
      ["fourth", "Fourth", "done"],
    ]);
    expect(tasks[1]?.parent).toBe(tasks[0]?.key);
    expect(tasks[0]?.text).toBe("some text\n- a bullet\n\nSection: Plan / Now");
  });

  it("keeps one title many times, and a title of 1,300 characters whole", () => {
    promise("import.formats");
    const long = "word ".repeat(260).trim();
    const { tasks } = read(`- [ ] Same\n- [ ] Same\n- [ ] Same\n- [ ] ${long}\n`);
    expect(tasks.map(({ key }) => key).slice(0, 3)).toEqual([
      "TODO.md#Same",
      "TODO.md#Same#2",
      "TODO.md#Same#3",
    ]);
    expect(tasks[3]?.title.length).toBeLessThan(210);
    expect(tasks[3]?.text).toContain(long);
  });

  it("takes bullets where there is no box, and headings with a tick where nothing stands below them", () => {
    promise("import.formats");
    expect(read("- one\n- two\n  - detail\n").tasks.map(({ title }) => title)).toEqual(["one", "two"]);
    const { tasks } = read("## ✅ Ready\ntext\n## Section ✅\n- [ ] box\n## ☐ Open\n");
    expect(tasks.map(({ status, title }) => [title, status])).toEqual([
      ["box", "todo"],
      ["Ready", "done"],
      ["Open", "todo"],
    ]);
    expect(read("prose\n").remarks.join()).toContain("no tasks");
  });

  it("counts the lines that belong to no task", () => {
    promise("import.formats");
    const { remarks } = read("Preface\n\n# Plan\nWhy\nand how\n- [ ] box\n  its text\n- bullet\n  more\n");
    expect(remarks).toEqual(["TODO.md: 5 lines of text belong to no task: left out."]);
    expect(read("# Plan\n- [ ] box\n").remarks).toEqual([]);
  });
});

describe("CSV", () => {
  const read = (text: string) => readCsv([{ path: "x.csv", text }]);

  it("reads commas, semicolons and tabs, a byte order mark, cells of several lines, and zeros in front", () => {
    promise("import.formats");
    for (const [mark, separator] of [
      ["\uFEFF", ","],
      ["", ";"],
      ["", "\t"],
    ])
      expect(
        read(
          `${mark}ID,Title,Status,Description\r\n007,"a ""b""",Done,"one\r\ntwo"\r\n`.replaceAll(
            ",",
            separator ?? ",",
          ),
        ).tasks,
      ).toMatchObject([{ id: "007", title: 'a "b"', status: "done", text: "one\ntwo" }]);
  });

  it("takes a task without id by its address, a title from the description, and short rows", () => {
    const { remarks, tasks } = read("URL,Description\nhttps://x.io/t/12?a=1,What to do\n,Only text\n\n,,\n");
    expect(tasks.map(({ id, title }) => [id, title])).toEqual([
      ["12", "What to do"],
      ["only-text", "Only text"],
    ]);
    expect(remarks.join()).toContain("1 rows have neither");
  });

  it("reads three columns of one name, lists by ; , and |, parents by title, and formulas as text", () => {
    promise("import.formats");
    const { tasks } = read(
      'Key,Summary,Labels,Labels,Labels,Blocked by,Parent\nA-1,Top,x,y,z,,\nA-2,"=HYPERLINK(""http://e.x"",""Words"")",,,,"A-1; A-9|Top",Top\nA-3,=1+1,,,,,Nobody\n',
    );
    expect(tasks[0]?.notes).toEqual(["Labels: x, y, z"]);
    expect(tasks[1]).toMatchObject({
      title: "Words",
      parent: "A-1",
      dependsOn: [
        { key: "A-1", text: "A-1" },
        { key: "?A-9", text: "A-9" },
        { key: "A-1", text: "Top" },
      ],
    });
    expect(tasks[2]).toMatchObject({
      title: "=1+1",
      parent: null,
      notes: ["Its parent in the source: Nobody"],
    });
  });

  it("takes columns whose names end like those of a title and a text", () => {
    promise("import.formats");
    expect(
      read("Issue number,Issue title,User story / description,Label,,\n434,Drop it,As a user,x,,\n").tasks,
    ).toMatchObject([{ id: "434", title: "Drop it", text: "As a user", notes: ["Label: x"] }]);
  });

  it("says what a table lacks", () => {
    expect(() => read("a,b\n1,2\n")).toThrow(/a column Title, Summary, Name or Description/);
    expect(() => read("")).toThrow(/cannot be imported/);
  });
});

describe("The format of files", () => {
  const of = (path: string, text = "") => detect([{ path, text }], path);

  it("is known by their places and by what is in them", () => {
    expect(of("openspec/changes/x/tasks.md")).toBe("openspec");
    expect(of(".kiro/specs/x/tasks.md")).toBe("kiro");
    expect(of("specs/001/tasks.md")).toBe("spec-kit");
    expect(of(".taskmaster/tasks/tasks.json")).toBe("task-master");
    expect(of(".beads/issues.jsonl")).toBe("beads");
    expect(of("backlog/tasks/task-1 - x.md")).toBe("backlog-md");
    expect(of("a.csv")).toBe("csv");
    expect(of("TODO.md", "- [ ] a\n")).toBe("markdown");
    expect(of("tasks.md", "- [ ] T001 a\n")).toBe("spec-kit");
    expect(of("i.json", '[{"iid":1,"title":"a"}]')).toBe("gitlab");
    expect(of("i.json", '[{"number":1,"title":"a"}]')).toBe("github");
    expect(of("i.json", '{"data":[{"id":"x","project_id":"p","title":"a","status":"todo"}]}')).toBe(
      "vibe-kanban",
    );
  });

  it("is seen in the keys, not in the words of a label, and in the content of a file with a wrong ending", () => {
    promise("import.formats");
    const labelled = [{ number: 1, title: "a", labels: [{ name: "dependencies" }] }];
    expect(of("i.json", JSON.stringify(labelled))).toBe("github");
    expect(of("i.csv", '[\n  {"title":"a","body":"b"}\n]')).toBe("github");
    expect(of("tree/project/issues.ndjson", '{"iid":1,"title":"a","project_id":4}')).toBe("gitlab");
    expect(of("issues.ndjson", '{"iid":1,"title":"a","issue_type":"issue"}')).toBe("gitlab");
  });

  it("is asked for where it is not certain", () => {
    expect(() => of("a.bin")).toThrow(/is not certain/);
    expect(() => of("i.json", '[{"title":"a"}]')).toThrow(/is not certain/);
    const two = [".beads/issues.jsonl", ".taskmaster/tasks/tasks.json"].map((path) => ({ path, text: "" }));
    expect(() => detect(two, ".")).toThrow(/beads and task-master/);
    expect(() => detect([], "x")).toThrow(/no file that could hold tasks/);
  });
});
