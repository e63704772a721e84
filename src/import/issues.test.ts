import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readBacklogMd } from "./backlog-md.ts";
import { readGitHub, readGitLab } from "./forge-issues.ts";
import { readBeads } from "./formats/beads.ts";
import { readAs } from "./readers.ts";

const fileOf = (data: unknown, path = "issues.json") => [
  { path, text: typeof data === "string" ? data : JSON.stringify(data) },
];

describe("Backlog.md", () => {
  const card = (path: string, front: string, body = "") => ({
    path: `backlog/${path}`,
    text: `---\n${front}\n---\n${body}`,
  });

  it("reads front matter, sections between markers, and criteria", () => {
    const { tasks } = readBacklogMd([
      card(
        "tasks/task-7 - Do-it.md",
        "id: task-7\ntitle: Do it\nstatus: To Do\nlabels: [ui]\ndependencies: [task-6]\npriority: high",
        "## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nWhy\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 First\n- [x] #2 Second\n<!-- AC:END -->\n\n## Implementation Plan\n1. a\n",
      ),
    ]);
    expect(tasks[0]).toMatchObject({
      id: "task-7",
      title: "Do it",
      status: "todo",
      criteria: ["First", "Second (met, the source says)"],
      notes: ["Labels: ui", "Priority: high"],
      dependsOn: [{ key: "?task-6", text: "task-6" }],
    });
    expect(tasks[0]?.text).toBe("Why\n\n## Implementation Plan\n1. a");
    expect(tasks[0]?.text).not.toContain("SECTION");
  });

  it("carries a description as it is, and criteria with the lines below them", () => {
    promise("import.texts");
    const text =
      "# A heading\n\n## Description\n\n### Acceptance criteria\n\n- none\n\nDo it in this order:\n\n1. Stop\n2. Run; if it fails repeat step 1\n\n**Not** part of the list.\n\n    code\n* [ ] a box\n- b\n+ c";
    const { tasks } = readBacklogMd([
      card(
        "tasks/task-1 - x.md",
        "id: task-1\ntitle: x",
        `## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n${text}\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 First\n  and more\n  - below\n- [~] #2 Second\n<!-- AC:END -->\n`,
      ),
    ]);
    expect(tasks[0]?.text).toBe(text);
    expect(tasks[0]?.criteria).toEqual(["First\nand more\n  - below", "Second (marked [~] in the source)"]);
  });

  it("keeps every other field of the front matter as a note, or says that it is left out", () => {
    promise("import.texts");
    const { remarks, tasks } = readBacklogMd([
      card(
        "tasks/task-1 - x.md",
        'id: task-1\ntitle: x\nassignee: ["@me"]\nreporter: "@bo"\ncreated_date: 2026-01-01\nordinal: 1000\nmilestone: v1\nreferences: [src/a.ts, "https://example.org/a"]\ndocumentation: [docs/a.md]\nmodified_files: [a.ts]\nonStatusChange: echo\nseverity: S1',
      ),
    ]);
    expect(tasks[0]?.notes).toEqual([
      "Assignee: @me",
      "Reporter: @bo",
      "Milestone: v1",
      "References: src/a.ts, https://example.org/a",
      "Documentation: docs/a.md",
      "Modified files: a.ts",
      "On status change: echo",
      "Severity: S1",
    ]);
    expect(remarks).toEqual(["Left out, since they say nothing of the work: created_date (1), ordinal (1)."]);
  });

  it("names a criterion's box that is neither open nor checked", () => {
    const { tasks } = readBacklogMd([
      card(
        "tasks/task-1 - x.md",
        "id: task-1\ntitle: x",
        "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [?] #1 First\n- [ ] #2 Second\n- [-] #3 Third\n<!-- AC:END -->\n",
      ),
    ]);
    expect(tasks[0]?.criteria).toEqual([
      "First (marked [?] in the source)",
      "Second",
      "Third (marked [-] in the source)",
    ]);
  });

  it("keeps an archived and a live task of one id, a changed prefix, and ids that differ in case", () => {
    promise("import.formats");
    const { remarks, tasks } = readBacklogMd([
      card("archive/tasks/back-1 - Old.md", "id: BACK-1\ntitle: Old\nstatus: To Do"),
      card("tasks/back-1 - New.md", "id: back-1\ntitle: New\nstatus: In-Progress"),
      card(
        "completed/nested/BACK-2 - Two.md",
        "id: BACK-2\ntitle: Two\nstatus: Completed\ndependencies:\n  - task-1\n  - task-99",
      ),
      card("tasks/BACK-2.1 - Sub.md", "id: BACK-2.1\ntitle: Sub\nstatus: Skipped"),
    ]);
    const [live, two, sub, old] = tasks;
    expect(live).toMatchObject({ title: "New", key: "back-1", status: "in_progress" });
    expect(old).toMatchObject({ title: "Old", key: "back-1#2", status: "cancelled" });
    expect(two).toMatchObject({
      status: "done",
      dependsOn: [
        { key: "back-1", text: "task-1" },
        { key: "?task-99", text: "task-99" },
      ],
    });
    expect(sub).toMatchObject({ status: "cancelled", parent: "back-2" });
    expect(remarks.join()).toContain("has the id BACK-1 of another file");
  });

  it("takes files without front matter by their names, front matter that is no YAML, and no README", () => {
    promise("import.formats");
    const { remarks, tasks } = readBacklogMd([
      { path: "backlog/tasks/task-3 - Three.md", text: "# task-3 - Third one\n\ntext\n" },
      card("tasks/task-4 - x.md", "id: task-4\ntitle: A: b: c\nstatus: Won't Do\ndependencies:\n  - task-3"),
      { path: "backlog/tasks/README.md", text: "# Tasks\n" },
      card("tasks/TASK-5 - Five-words.md", "id: task-5"),
      card("tasks/another-name.md", "id: task-6"),
    ]);
    expect(tasks.slice(2).map(({ title }) => title)).toEqual(["Five words", "another name"]);
    expect(tasks.slice(0, 2).map(({ id, status, title }) => [id, title, status])).toEqual([
      ["task-3", "Third one", "todo"],
      ["task-4", "A: b: c", "cancelled"],
    ]);
    expect(tasks[1]?.dependsOn[0]?.key).toBe("task-3");
    expect(remarks.join()).toContain("README.md is no task");
  });

  it("takes names with a word before the number, and without front matter the status that the text begins with", () => {
    promise("import.formats");
    const file = (name: string, text: string) => ({ path: `backlog/tasks/epics/e-11/${name}`, text });
    const { remarks, tasks } = readBacklogMd([
      file(
        "task-epic-11.102-Builders.md",
        "# Task: Builders\n\n**Status:** ✅ COMPLETED (2025-11-14)\n\n## Why\n\nx\n",
      ),
      file(
        "task-epic-11.102.1-Scopes.md",
        "# Scopes\n\n## Status: In Progress\n\n## Parent\n\nthe one above\n",
      ),
      file("task-epic-11.102.2-Later.md", "# Later\n\n## Status\n\nNot Started\n"),
      file("task-epic-11.103-Other.md", "# Other\n\n## Old ones\n\n**Status**: Completed\n"),
      file("task-epic-11.104-Odd.md", "# Odd\n- **Status**: `Half way`\n"),
      { path: "backlog/tasks/task-9.md", text: "---\nid: task-9\nstatus: To Do\n---\n**Status**: Done\n" },
      { path: "backlog/tasks/task-11.md", text: "---\nid: task-11\n---\nAnother.\n" },
      file("notes-on-3-things.md", "# Notes\n"),
    ]);
    expect(tasks.map(({ id, parent, status }) => [id, status, parent])).toEqual([
      ["task-epic-11.102", "done", null],
      ["task-epic-11.102.1", "in_progress", "task-epic-11.102"],
      ["task-epic-11.102.2", "todo", "task-epic-11.102"],
      ["task-epic-11.103", "todo", null],
      ["task-epic-11.104", "blocked", null],
      ["task-9", "todo", null],
      ["task-11", "todo", null],
    ]);
    expect(tasks[4]).toMatchObject({ word: "`Half way`", isUnknown: true });
    expect(tasks[0]?.text).toContain("**Status:** ✅ COMPLETED (2025-11-14)");
    expect(remarks).toEqual([
      "backlog/tasks/epics/e-11/notes-on-3-things.md is no task: it has neither an id in front matter nor one in its name.",
    ]);
  });
});

describe("beads", () => {
  const lines = (...items: readonly (object | string)[]) =>
    fileOf(
      items.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n"),
      ".beads/issues.jsonl",
    );

  it("reads issues, dotted children three deep, and only what blocks as dependencies", () => {
    promise("import.formats");
    const { tasks } = readBeads(
      lines(
        { id: "bd-a1", title: "Epic", status: "open", issue_type: "epic" },
        { id: "bd-a1.1", title: "Child", status: "in_progress" },
        {
          id: "bd-a1.1.2",
          title: "Grandchild",
          status: "closed",
          close_reason: "Done well",
          acceptance_criteria: "- a\n- [ ] b",
          dependencies: [
            { issue_id: "bd-a1.1.2", depends_on_id: "bd-b2", type: "blocks" },
            { depends_on_id: "bd-c3", type: "related" },
            { depends_on_id: "bd-d4", type: "discovered-from" },
            // As one version of the tool wrote it: the other issue stands where its own id should.
            { issue_id: "bd-a1.1", depends_on_id: "", type: "blocks" },
            { issue_id: "bd-a1.1.2", depends_on_id: "", type: "blocks" },
          ],
        },
        { id: "bd-b2", title: "Other", status: "deferred", depends_on: ["bd-x"], unknown_field: { a: 1 } },
      ),
    );
    const [, child, grand, other] = tasks;
    expect(child?.parent).toBe("bd-a1");
    expect(grand).toMatchObject({ parent: "bd-a1.1", criteria: ["a", "b"], status: "done" });
    expect(grand?.dependsOn.map(({ key }) => key)).toEqual(["bd-b2", "bd-a1.1"]);
    expect(grand?.notes).toEqual(["Closed: Done well", "Related: bd-c3", "discovered-from: bd-d4"]);
    expect(other).toMatchObject({ status: "blocked", dependsOn: [{ key: "?bd-x", text: "bd-x" }] });
  });

  it("leaves tombstones and events out, says so, and survives an empty file and a torn line", () => {
    promise("import.formats");
    const { remarks, tasks } = readBeads(
      lines(
        { id: "bd-1", title: "x", status: "tombstone" },
        { kind: "event", actor: "a" },
        '{"id": "bd-2", "ti',
        {
          id: "bd-3",
          title: "kept",
          status: "open",
        },
      ),
    );
    expect(tasks.map(({ id }) => id)).toEqual(["bd-3"]);
    expect(remarks.join("\n")).toMatch(/:3 is no JSON object[\s\S]*1 deleted[\s\S]*1 lines are no issues/);
    expect(readBeads(fileOf("", ".beads/issues.jsonl"))).toEqual({
      tasks: [],
      remarks: ["There are no issues in it."],
    });
    expect(() => readBeads(fileOf("no\njson", "x.jsonl"))).toThrow(/one JSON object in each line/);
  });

  it("keeps comments, and counts the links that hold nothing up", () => {
    promise("import.texts");
    const { remarks, tasks } = readBeads(
      lines({
        id: "bd-1",
        title: "x",
        priority: 1,
        comments: [{ author: "ann", text: "Mind the\n1. order\n2. size", created_at: "2026-01-02" }],
        dependencies: [{ depends_on_id: "bd-2", type: "related" }],
        updated_at: "2026-01-03",
      }),
    );
    expect(tasks[0]?.text).toBe("## Comments\n\nann, 2026-01-02: Mind the\n1. order\n2. size");
    expect(tasks[0]?.notes).toEqual(["Priority: 1", "Related: bd-2"]);
    expect(remarks).toEqual([
      "Kept as notes, since they hold nothing up: related (1).",
      "Left out, since they say nothing of the work: updated_at (1).",
    ]);
  });

  it("says which criterion is met", () => {
    promise("import.texts");
    const { tasks } = readBeads(
      fileOf(
        { id: "x-1", title: "a", status: "open", acceptance_criteria: "- [ ] a\n- [x] b\n2. c [x]" },
        "i.jsonl",
      ),
    );
    expect(tasks[0]?.criteria).toEqual(["a", "b (met, the source says)", "c [x]"]);
  });

  it("keeps one title 45 times", () => {
    const all = Array.from({ length: 45 }, (_, at) => ({ id: `bd-${at}`, title: "Fix", status: "open" }));
    expect(new Set(readBeads(lines(...all)).tasks.map(({ key }) => key)).size).toBe(45);
  });
});

describe("GitHub", () => {
  const issue = (number: number, more: object = {}) => ({
    number,
    title: `Issue ${number}`,
    state: "open",
    html_url: `https://github.com/acme/app/issues/${number}`,
    body: null,
    ...more,
  });

  it("leaves pull requests out, and takes an issue whose pull_request is null for one", () => {
    promise("import.formats");
    const { remarks, tasks } = readGitHub(
      fileOf([
        issue(1, { pull_request: null }),
        issue(2, { pull_request: { url: null, html_url: null } }),
        issue(3, { pull_request: { url: "https://api.github.com/repos/acme/app/pulls/3" } }),
        issue(4, { html_url: "https://github.com/acme/app/pull/4" }),
      ]),
    );
    expect(tasks.map(({ id, key }) => [id, key])).toEqual([
      ["GH-1", "acme/app#1"],
      ["GH-2", "acme/app#2"],
    ]);
    expect(remarks).toEqual(["2 pull requests: left out."]);
  });

  it("says how many records have no title, in each forge's list", () => {
    promise("import.texts");
    const text = JSON.stringify([{ title: "a", number: 1, iid: 1 }, { title: "", number: 2 }, { body: "b" }]);
    for (const format of ["github", "gitlab", "vibe-kanban"] as const) {
      const { remarks, tasks } = readAs(format, [{ path: "i.json", text }]);
      expect([format, tasks.length, remarks.join()]).toEqual([
        format,
        1,
        expect.stringContaining("i.json: 2 records have no title: left out."),
      ]);
    }
  });

  it("reads a search answer, pages one after another, and pages in a list", () => {
    promise("import.formats");
    const two = [issue(1), issue(2)];
    const texts = [
      JSON.stringify({ total_count: 2, items: two }),
      `${JSON.stringify([two[0]])}${JSON.stringify([two[1]])}`,
      JSON.stringify([[two[0]], [two[1]]]),
      two.map((each) => JSON.stringify(each)).join("\n"),
    ];
    for (const text of texts)
      expect(readGitHub(fileOf(text)).tasks.map(({ id }) => id)).toEqual(["GH-1", "GH-2"]);
  });

  it("knows why an issue is closed, labels, milestone, parents, and what blocks in so many words", () => {
    const { tasks } = readGitHub(
      fileOf([
        issue(1, { state: "closed", state_reason: "not_planned" }),
        issue(2, { state: "CLOSED", stateReason: "DUPLICATE", url: "https://github.com/acme/app/issues/2" }),
        issue(3, { state: "closed", state_reason: "completed" }),
        issue(4, {
          labels: [{ name: "bug" }, "ui"],
          milestone: { title: "v1" },
          parent_issue_url: "https://api.github.com/repos/acme/app/issues/3",
          body: "See #1.\r\n\r\n- Depends on #3, acme/lib#9\n",
        }),
      ]),
    );
    expect(tasks.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "done", "todo"]);
    expect(tasks[3]).toMatchObject({
      parent: "acme/app#3",
      dependsOn: [
        { key: "acme/app#3", text: "#3" },
        { key: "acme/lib#9", text: "acme/lib#9" },
      ],
      notes: ["Labels: bug, ui", "Milestone: v1", "https://github.com/acme/app/issues/4"],
    });
  });

  it("follows what GitHub links: parents, sub-issues and blockers, as `gh` and the API name them", () => {
    promise("import.formats");
    const { tasks } = readGitHub(
      fileOf([
        issue(1, { subIssues: { nodes: [{ number: 2, title: "b", state: "OPEN" }], totalCount: 1 } }),
        issue(2, { blockedBy: { nodes: [{ number: 3 }, { number: 9 }], totalCount: 2 } }),
        issue(3, { parent: { number: 1, title: "a" }, blocking: { nodes: [{ number: 4 }], totalCount: 1 } }),
        issue(4, {
          blockedBy: [{ html_url: "https://github.com/acme/lib/issues/7", number: 7 }],
          body: "Blocked by #3",
        }),
      ]),
    );
    expect(tasks.map(({ parent }) => parent)).toEqual([null, "acme/app#1", "acme/app#1", null]);
    expect(tasks.map(({ dependsOn }) => dependsOn.map(({ key }) => key))).toEqual([
      [],
      ["acme/app#3", "acme/app#9"],
      [],
      ["acme/lib#7", "acme/app#3"],
    ]);
    expect(tasks.map(({ notes }) => notes.join())).not.toContainEqual(expect.stringMatching(/block|nodes/i));
  });

  it("takes what `gh` printed without number or state, and several repositories apart", () => {
    const { remarks, tasks } = readGitHub(
      fileOf([
        { title: "Only a title" },
        { title: "Only a title" },
        issue(1),
        issue(1, { html_url: "https://github.com/acme/lib/issues/1" }),
      ]),
    );
    expect(new Set(tasks.map(({ key }) => key)).size).toBe(tasks.length);
    expect(tasks.map(({ id }) => id)).toEqual(expect.arrayContaining(["app-1", "lib-1"]));
    expect(remarks.join("\n")).toContain("have no state: taken as open");
    expect(() => readGitHub(fileOf({ message: "Not Found" }))).toThrow(/a list of issues with titles/);
  });

  it("keeps issues of one number apart by whatever names their repository, or else by their words", () => {
    promise("import.formats");
    const { tasks } = readGitHub(
      fileOf([
        { number: 7, title: "a", repo: "https://github.com/acme/app" },
        { number: 7, title: "b", repo: "acme/lib" },
        { number: 7, title: "c", repository: { name: "web", nameWithOwner: "acme/web" } },
        { number: 8, title: "d" },
        { number: 8, title: "e" },
        { number: 8, title: "e" },
        { title: "f", body: "one" },
        { title: "f", body: "two" },
      ]),
    );
    expect(tasks.map(({ id, key, title }) => [id, key, title])).toEqual([
      ["app-7", "acme/app#7", "a"],
      ["lib-7", "acme/lib#7", "b"],
      ["web-7", "acme/web#7", "c"],
      ["GH-8", "#8 d", "d"],
      ["GH-8", "#8 e", "e"],
      [expect.stringMatching(/^GH-\w{8}$/), "#f f", "f"],
      [expect.stringMatching(/^GH-\w{8}$/), "#f f#2", "f"],
    ]);
  });

  it("takes what stands in a list below a heading, but nothing in code", () => {
    promise("import.formats");
    const body =
      "## Blocked by\n\n- #5\n- [ ] acme/lib#6 first\n- see #7\n\n## Notes\n- #8\n```\nDepends on #9\n```\n";
    const { tasks } = readGitHub(fileOf([issue(1, { body })]));
    expect(tasks[0]?.dependsOn.map(({ key }) => key)).toEqual(["acme/app#5", "acme/lib#6"]);
  });

  it("keeps comments, and fields that are none of the API's", () => {
    promise("import.texts");
    const { remarks, tasks } = readGitHub(
      fileOf([
        issue(1, {
          body: "Why",
          comments: [{ author: { login: "mona" }, body: "1. a\n2. b" }],
          estimate: "3 days",
          node_id: "x",
          created_at: "2026-01-01",
        }),
      ]),
    );
    expect(tasks[0]?.text).toBe("Why\n\n## Comments\n\nmona: 1. a\n2. b");
    expect(tasks[0]?.notes).toEqual(["Estimate: 3 days", "https://github.com/acme/app/issues/1"]);
    expect(remarks).toEqual(["Left out, since they say nothing of the work: node_id (1), created_at (1)."]);
  });

  it("notes who has it", () => {
    const { tasks } = readGitHub(fileOf([issue(1, { assignees: [{ login: "mona", name: "Mona" }] })]));
    expect(tasks[0]?.notes).toEqual(["Assignees: mona", "https://github.com/acme/app/issues/1"]);
  });
});

describe("GitLab", () => {
  it("reads issues by their project, closed and moved ones", () => {
    promise("import.formats");
    const { tasks } = readGitLab(
      fileOf([
        {
          iid: 3,
          title: "a",
          state: "opened",
          description: "d",
          references: { full: "g/p#3" },
          labels: ["x"],
        },
        {
          iid: 4,
          title: "b",
          state: "closed",
          web_url: "https://gitlab.com/g/p/-/issues/4",
          description: null,
        },
        { iid: 5, title: "c", state: "closed", moved_to_id: 9, web_url: "https://gitlab.com/g/p/-/issues/5" },
      ]),
    );
    expect(tasks.map(({ id, key, status }) => [id, key, status])).toEqual([
      ["GL-3", "g/p#3", "todo"],
      ["GL-4", "g/p#4", "done"],
      ["GL-5", "g/p#5", "cancelled"],
    ]);
  });

  it("leaves merge requests out, by themselves and in what a collector wraps around them", () => {
    promise("import.formats");
    const wrapped = (category: string, data: unknown) => ({ category, uuid: "1", data });
    const web = "https://gitlab.com/g/p/merge_requests";
    const { remarks, tasks } = readGitLab(
      fileOf([
        wrapped("issue", {
          iid: 3,
          title: "a",
          state: "opened",
          web_url: "https://gitlab.com/g/p/-/issues/3",
        }),
        wrapped("merge_request", { iid: 3, title: "b", state: "opened", merge_status: "can_be_merged" }),
        { iid: 4, title: "c", project_id: 1, source_branch: "x", target_branch: "main" },
        { iid: 5, title: "d", web_url: `${web}/5` },
        {
          iid: 6,
          title: "e",
          web_url: "https://gitlab.com/g/merge_requests/-/issues/6",
          merge_requests_count: 2,
        },
      ]),
    );
    expect(tasks.map(({ title }) => title)).toEqual(["a", "e"]);
    expect(remarks[0]).toBe("3 merge requests: left out.");
  });

  it("reads a project's export, whose issues name their project by a number and hold their labels in links", () => {
    promise("import.formats");
    const line = (project_id: number, iid: number) =>
      JSON.stringify({
        iid,
        project_id,
        title: `Issue ${iid} of ${project_id}`,
        state: "opened",
        description: "Depends on #1",
        label_links: [{ target_type: "Issue", label: { title: "Doing", color: "#6699cc" } }],
        milestone: { title: "Sprint 1", iid: 1 },
        issue_assignees: [{ user_id: 12 }],
        due_date: "2024-04-03",
        weight: 0,
      });
    const { tasks } = readGitLab(fileOf([line(4, 1), line(4, 2), line(9, 1)].join("\n"), "issues.ndjson"));
    expect(tasks.map(({ dependsOn, id, key }) => [id, key, dependsOn[0]?.key])).toEqual([
      ["4-1", "4#1", "4#1"],
      ["4-2", "4#2", "4#1"],
      ["9-1", "9#1", "9#1"],
    ]);
    expect(tasks[0]?.notes).toEqual(["Labels: Doing", "Milestone: Sprint 1", "Weight: 0", "Due: 2024-04-03"]);
  });
});
