import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readCsv } from "./formats/csv.ts";
import { readTaskMaster } from "./formats/task-master.ts";
import { readMarkdown } from "./markdown.ts";
import { detect, filesOf, readAs, remarksOnFolder } from "./readers.ts";

describe("A markdown checklist", () => {
  const read = (text: string) => readMarkdown([{ path: "TODO.md", text }]);

  it("has boxes for tasks, nested ones for subtasks, and the rest for their text", () => {
    const { tasks } = read(
      "# Plan\n## Now\n- [ ] API-1: First\n  some text\n  - a bullet\n  - [x] Inner\n- [~] Second\n- [-] Third\n1. [X] Fourth\n- no box\n- [ ] Äpfel prüfen\n",
    );
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["API-1", "API-1: First", "todo"],
      ["inner", "Inner", "done"],
      ["second", "Second", "in_progress"],
      ["third", "Third", "cancelled"],
      ["fourth", "Fourth", "done"],
      ["apfel-prufen", "Äpfel prüfen", "todo"],
    ]);
    expect(tasks[1]?.parent).toBe(tasks[0]?.key);
    expect(tasks[0]?.text).toBe("some text\n- a bullet\n\nSection: Plan / Now");
  });

  it("carries lists, paragraphs and code below a box as they are", () => {
    promise("import.texts");
    const text =
      "Do it in this order:\n\n1. Stop\n2. Run; if it fails repeat step 1\n3. Start\n\n**Not** part of the list.\n\n* star\n\t+ plus\n```sh\n- [ ] code\n```";
    const { tasks } = read(`- [ ] Migrate\n${text.replace(/^(?=.)/gm, "  ")}\n- [x] Next\n`);
    expect(tasks.map(({ title }) => title)).toEqual(["Migrate", "Next"]);
    expect(tasks[0]?.text).toBe(text);
  });

  it("takes no box from front matter, a comment or code, and blocks what an odd box may have finished", () => {
    promise("text.boxes");
    expect(read("1. [x] One\n1.1. [ ] Inner\n\n• [ ] Two\n\n(3) [x] Three\n").tasks).toMatchObject([
      { title: "One", status: "done" },
      { title: "Inner", status: "todo" },
      { title: "Two", status: "todo" },
      { title: "Three", status: "done" },
    ]);
    const { remarks, tasks } = read(
      "---\nitems:\n  - [ ] front\n---\n<!--\n- [ ] hidden\n-->\n- [o] odd\n- [] empty\n> - [x] quoted\n1. [ ] numbered\n[ ] bare\n- [wip] word\n",
    );
    expect(tasks.map(({ status, title }) => [title, status])).toEqual([
      ["odd", "blocked"],
      ["empty", "todo"],
      ["quoted", "done"],
      ["numbered", "todo"],
      ["bare", "todo"],
      ["word", "in_progress"],
    ]);
    expect(remarks.join()).toContain("5 lines of text belong to no task");
  });

  it("takes no box from code in a quotation, which ends with it, and none of a quotation for a subtask", () => {
    promise("text.boxes");
    const { tasks } = read(
      "- [ ] a\n> ```\n> - [ ] code\n> ```\n> - [ ] b\n>   - [x] c\n\n> ~~~\n> - [ ] code\n- [ ] d\n",
    );
    expect(
      tasks.map(({ parent, title }) => [title, parent && tasks.find(({ key }) => key === parent)?.title]),
    ).toEqual([
      ["a", null],
      ["b", null],
      ["c", "b"],
      ["d", null],
    ]);
  });

  it("says which boxes are text because of a fence or a comment without an end, or their depth", () => {
    promise("import.texts");
    const all = (text: string) => readAs("markdown", [{ path: "a.md", text }]).remarks.join("\n");
    expect(all("- [ ] a\n```\n- [ ] b\n- [x] c\n")).toContain(
      "a.md:2: code or a comment begins here that has no end, so the 2 boxes below are text.",
    );
    expect(all("- [ ] a\n<!--\n- [ ] b\n")).toContain("a.md:2: code or a comment begins here");
    expect(all("- [ ] a\n```\n- [ ] b\n```\n> ```\n> - [ ] c\n")).not.toContain("no end");
    const deep = Array.from({ length: 7 }, (_, at) => `${"  ".repeat(at)}- [ ] ${at}\n`).join("");
    expect(all(deep)).toContain("2 boxes below the fifth level are text of the task above them");
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

  it("takes bullets if there is no box, and headings with a tick if nothing stands below them", () => {
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

  it("counts the lines that belong to no task, and names the first", () => {
    promise("import.formats");
    const { remarks } = read("Preface\n\n# Plan\nWhy\nand how\n- [ ] box\n  its text\n- bullet\n  more\n");
    expect(remarks).toEqual([
      'TODO.md: 5 lines of text belong to no task: left out ("Preface", "Why", "and how" and 2 more).',
    ]);
    expect(read(`${"x".repeat(90)}\n- [ ] box\n`).remarks.join()).toContain(
      `left out ("${"x".repeat(60)}…").`,
    );
    expect(read("# Plan\n- [ ] box\n").remarks).toEqual([]);
  });
});

describe("CSV", () => {
  const read = (text: string) => readCsv([{ path: "x.csv", text }]);

  it("takes Todoist's notes as text of the task above and its sections as notes, and neither for a task", () => {
    promise("import.formats");
    const { remarks, tasks } = read(
      [
        "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT",
        "meta,view_style=list,,,",
        "note,About the project,,,",
        "task,Pay,By card,4,1",
        'note,"Of the bank\n\n- fees",,,',
        "note,Second,,,",
        ",,,,",
        "section,Next week,,,",
        "task,Call,,4,1",
      ].join("\n"),
    );
    expect(
      tasks.map(({ notes, text, title }) => [title, text, notes.includes("Section: Next week")]),
    ).toEqual([
      ["Pay", "By card\n\nOf the bank\n\n- fees\n\nSecond", false],
      ["Call", "", true],
    ]);
    expect(tasks.flatMap(({ notes }) => notes.filter((note) => /type/i.test(note)))).toEqual([]);
    expect(remarks.join()).toContain("1 row of type note is above every task: left out.");
    expect(read("Type,Content\nnote,Sing\n").tasks).toHaveLength(1);
  });

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
    expect(read('sep=|\r\nTitle|Status\r\n"a, b; c"|Done\r\n').tasks).toMatchObject([
      { title: "a, b; c", status: "done" },
    ]);
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
      notes: ["Summary (link): http://e.x"],
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

  it("decides a status by its category, a date or a tick if it does not know the word", () => {
    promise("import.states");
    const states = (text: string) => read(text).tasks.map(({ status }) => status);
    expect(
      states(
        "Summary,Status,Status Category\na,Erledigt,Done\nb,Ready for QA,In Progress\nc,Neu,To Do\nd,Neu,\ne,Closed,Done\nf,Won't Do,Done\n",
      ),
    ).toEqual(["done", "in_progress", "todo", "blocked", "done", "cancelled"]);
    expect(
      states("Name,Section/Column,Completed At\na,Sprint 1,2026-01-02\nb,Sprint 1,\nc,Doing,\n"),
    ).toEqual(["done", "todo", "in_progress"]);
    expect(states("Title,Completed,Canceled\na,2026-01-02,\nb,,2026-01-02\nc,,\nd,yes,\n")).toEqual([
      "done",
      "cancelled",
      "todo",
      "done",
    ]);
    expect(states("Title,Status,Resolution\na,Zu,Fixed\nb,Offen,Unresolved\nc,Open,Duplicate\n")).toEqual([
      "done",
      "blocked",
      "cancelled",
    ]);
  });

  it("finds the status in a column of another name, and says where it finds none", () => {
    promise("import.states");
    const states = (text: string) => read(text).tasks.map(({ status }) => status);
    expect(
      states(
        "Id,Title,Current State,Accepted at\n1,a,accepted,2026-01-02\n2,b,accepted,\n3,c,unscheduled,\n4,d,delivered,\n",
      ),
    ).toEqual(["done", "blocked", "todo", "blocked"]);
    expect(states("Titel,Zustand\na,Fertig\nb,Done\n")).toEqual(["blocked", "done"]);
    expect(states("Title,Workflow State,State of mind\na,Shipped,x\n")).toEqual(["done"]);
    expect(read("Titel,Erledigt\na,ja\n").remarks).toEqual([
      "x.csv: no column is known as a status: all are taken as open. If one is, call it Status.",
    ]);
    expect(read("#,Subject,Status,Parent task\n7,a,Open,\n8,b,Open,7\n").tasks).toMatchObject([
      { id: "7" },
      { id: "8", parent: "7" },
    ]);
  });

  it("follows relations by id, by key, by title with an address, and from the other side", () => {
    promise("import.formats");
    const jira = read(
      "Summary,Issue key,Issue id,Parent,Outward issue link (Blocks)\nTop,W-1,10,,\nSub,W-2,11,10,W-3\nNext,W-3,12,10,\n",
    );
    expect(jira.tasks.map(({ parent }) => parent)).toEqual([null, "W-1", "W-1"]);
    expect(jira.tasks[2]?.dependsOn).toEqual([{ key: "W-2", text: "W-2" }]);
    const notion = read(
      'Name,Parent item,Sub-item,Blocked by\nTop,,"One, two (https://www.notion.so/One-two-1a?pvs=21), Three (Tasks/Three%201b.md)",\n"One, two",,,\nThree,,,"One, two (https://www.notion.so/One-two-1a?pvs=21)"\n',
    );
    expect(notion.tasks.map(({ parent }) => parent)).toEqual([null, "Top", "Top"]);
    expect(notion.tasks[2]?.dependsOn.map(({ key }) => key)).toEqual(["One, two"]);
  });

  it("reads the columns of a person's own fields in Jira, and lists in a cell as JSON", () => {
    promise("import.formats");
    const { tasks } = read(
      'Summary,Issue key,Status,Custom field (Status),Custom field (Epic Link),Custom field (Acceptance Criteria),Dependencies\nEpic,W-1,Open,x,,,[]\nStory,W-2,Open,,W-1,"* a\n* b","[""W-3"", ""W-1""]"\nOther,W-3,Open,,,,[a] b\n',
    );
    expect(tasks.map(({ parent }) => parent)).toEqual([null, "W-1", null]);
    expect(tasks[1]?.criteria).toEqual(["a", "b"]);
    expect(tasks.map(({ dependsOn }) => dependsOn.map(({ text }) => text))).toEqual([
      [],
      ["W-3", "W-1"],
      ["[a] b"],
    ]);
    expect(tasks[0]).toMatchObject({ status: "todo", notes: ["Custom field (Status): x"] });
  });

  it("keeps a long cell whole", () => {
    promise("import.texts");
    const long = "word ".repeat(1_000).trim();
    expect(read(`Title,Comment\na,${long}\n`).tasks[0]?.notes).toEqual([`Comment: ${long}`]);
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

  it("is recognised by the keys, not by the words of a label, and by the content of a file with a wrong ending", () => {
    promise("import.formats");
    const labelled = [{ number: 1, title: "a", labels: [{ name: "dependencies" }] }];
    expect(of("i.json", JSON.stringify(labelled))).toBe("github");
    expect(of("i.csv", '[\n  {"title":"a","body":"b"}\n]')).toBe("github");
    expect(of("tree/project/issues.ndjson", '{"iid":1,"title":"a","project_id":4}')).toBe("gitlab");
    expect(of("issues.ndjson", '{"iid":1,"title":"a","issue_type":"issue"}')).toBe("gitlab");
  });

  it("tells the harnesses' lists from Task Master's, and takes no other JSON for one", () => {
    promise("import.formats");
    expect(of("prd.json", '{"userStories":[{"id":"US-1","title":"a","passes":true}]}')).toBe("ralph");
    expect(of("plan.json", '{"userStories":[{"id":"US-1","title":"a","passes":true}]}')).toBe("ralph");
    expect(of("list.json", '[{"category":"x","description":"a","steps":[],"passes":false}]')).toBe(
      "feature-list",
    );
    for (const text of ['{"users":[{"id":1,"title":"Dr."}]}', '{"a":1}', '[{"id":1,"title":"a"}]'])
      expect(() => of("x.json", text)).toThrow(/JSON of no known tool/);
    expect(() => readTaskMaster([{ path: "x.json", text: '[{"name":"ann","email":"a@b"}]' }])).toThrow(
      /expected a list `tasks`/,
    );
  });

  it("of a folder without a layout is what all recognized files have, and the others are named", () => {
    promise("import.formats");
    const plan = "# P\n\n## Progress\n\n- [ ] a\n\n## Decision Log\n";
    const files = [
      { path: "plans/one.md", text: plan },
      { path: "plans/two.md", text: plan },
      { path: "plans/README.md", text: "# Plans\n" },
    ];
    expect(detect(files, "plans")).toBe("exec-plan");
    const own = filesOf("exec-plan", files);
    expect(own.map(({ path }) => path)).toEqual(["plans/one.md", "plans/two.md"]);
    expect(remarksOnFolder("exec-plan", files, own)).toEqual([
      "1 files do not look like exec-plan: left out (plans/README.md).",
    ]);
    const two = [...files, { path: "plans/b.json", text: '{"cards":[],"lists":[]}' }];
    expect(() => detect(two, "plans")).toThrow(/4 files of several formats \(exec-plan, trello\)/);
    expect(() => detect(files.slice(2).concat(files.slice(2)), "plans")).toThrow(
      /2 files of no known layout/,
    );
  });

  it("is asked for if it is not certain", () => {
    expect(() => of("a.bin")).toThrow(/is not certain/);
    for (const [name, found, fix] of [
      ["a.xlsx", "a spreadsheet", "CSV"],
      ["a.ODS", "a spreadsheet", "CSV"],
      ["a.org", "an Org file", "Markdown"],
      ["todo.txt", "a todo.txt", "Markdown"],
    ] as const)
      expect(() => of(name, "x")).toThrow(
        expect.objectContaining({
          ...{ code: "import-invalid", message: expect.stringContaining(`found ${found}`) },
          fix: expect.stringContaining(fix),
        }),
      );
    expect(() => of("i.json", '[{"title":"a"}]')).toThrow(/is not certain/);
    const two = [".beads/issues.jsonl", ".taskmaster/tasks/tasks.json"].map((path) => ({ path, text: "" }));
    expect(() => detect(two, ".")).toThrow(/beads and task-master/);
    expect(() => detect([], "x")).toThrow(/no file that could hold tasks/);
  });
});
