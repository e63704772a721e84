import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { detect, filesOf, readAs } from "../readers.ts";
import type { SourceFile } from "../source.ts";
import { settleStates } from "../states.ts";

/** As the command reads files. */
function read(files: Readonly<Record<string, string>>) {
  const all = Object.entries(files).map(([path, text]): SourceFile => ({ path, text }));
  const format = detect(all, ".");
  return { format, ...settleStates(readAs(format, filesOf(format, all)), new Map()) };
}

describe("Plans with boxes", () => {
  it("Conductor: each track is a task, archived ones are done, and parents stand above their steps", () => {
    promise("import.formats");
    const { format, remarks, tasks } = read({
      "conductor/tracks.md": "# Tracks\n- [ ] **Track: Login**\n",
      "conductor/tracks/login_20260101/plan.md":
        "# Plan: Login\n\n## Phase 1: Form [checkpoint: 1a2b3c4]\n\n- [x] Task: Build it 1a2b3c4\n    - [x] Write tests\n    - [~] Implement\n- [ ] Task: Review\n  1. first\n  2. then\n",
      "conductor/tracks/login_20260101/spec.md": "# Specification: Log in\n",
      "conductor/tracks/empty/plan.md": "later\n",
      "conductor/archive/old/plan.md": "- [ ] Task: left\n",
    });
    expect(format).toBe("conductor");
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["login_20260101", "Log in", "todo"],
      ["empty", "empty", "todo"],
      ["old", "old", "done"],
    ]);
    expect(tasks[0]?.steps.map(({ status, text, title }) => [title, status, text])).toEqual([
      ["Write tests", "done", "Part of: Task: Build it 1a2b3c4"],
      ["Implement", "in_progress", "Part of: Task: Build it 1a2b3c4"],
      ["Task: Review", "todo", "1. first\n2. then\n\nPart of: Phase 1: Form [checkpoint: 1a2b3c4]"],
    ]);
    expect(remarks).toEqual(["conductor/tracks/empty/plan.md has no boxes: it is one task without steps."]);
  });

  it("Agent OS: each spec is a task with its numbered boxes, and is not taken for Spec Kit's", () => {
    promise("import.formats");
    const { format, tasks } = read({
      ".agent-os/specs/2026-01-01-login/tasks.md":
        "# Spec Tasks\n\n## Tasks\n\n- [ ] 1. Form\n  - [x] 1.1 Write tests\n  - [ ] 1.2 Build\n",
      ".agent-os/specs/2026-01-01-login/spec.md": "# Spec Requirements Document\n",
    });
    expect(format).toBe("agent-os");
    expect(tasks[0]).toMatchObject({ id: "2026-01-01-login", title: "2026-01-01-login" });
    expect(tasks[0]?.steps.map(({ id, status }) => [id, status])).toEqual([
      ["2026-01-01-login.1.1", "done"],
      ["2026-01-01-login.1.2", "todo"],
    ]);
  });

  it("ExecPlans: the boxes below Progress are the steps, and no others", () => {
    promise("import.formats");
    const { format, tasks } = read({
      "docs/exec/cache.md":
        "# Add a cache\n\n## Purpose\n\nWhy\n\n## Progress\n\n- [x] (2026-01-01 13:00Z) Measure\n- [ ] Build\n\n## Surprises & Discoveries\n\n- [ ] no step\n\n## Decision Log\n",
    });
    expect(format).toBe("exec-plan");
    expect(tasks[0]).toMatchObject({ id: "cache", title: "Add a cache", status: "todo" });
    expect(tasks[0]?.steps.map(({ status, title }) => [title, status])).toEqual([
      ["(2026-01-01 13:00Z) Measure", "done"],
      ["Build", "todo"],
    ]);
  });

  it("GSD: each phase is a task with its section as it is, after those that it depends on", () => {
    promise("import.formats");
    const section =
      "**Goal**: Find\n**Depends on**: Phase 1, Phase 1.1\n**Success Criteria**:\n  1. One\n  2. Two\n\nPlans:\n- [ ] 02-01: a";
    const { format, remarks, tasks } = read({
      ".planning/ROADMAP.md": `# Roadmap\n\n- [x] **Phase 1: Clean** - Remove (completed 2026-01-01)\n- [ ] **Phase 1.1: Urgent** - Mend\n- [ ] **Phase 2: Search**\n\n### Phase 2: Search\n${section}\n\n## Progress\n\n| a |\n`,
    });
    expect(format).toBe("gsd");
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["phase-1", "Clean", "done"],
      ["phase-1.1", "Urgent", "todo"],
      ["phase-2", "Search", "todo"],
    ]);
    expect(tasks[0]?.text).toBe("Remove (completed 2026-01-01)");
    expect(tasks[2]?.text).toBe(section);
    expect(tasks[2]?.dependsOn.map(({ key }) => key)).toEqual([
      ".planning/ROADMAP.md#1",
      ".planning/ROADMAP.md#1.1",
    ]);
    expect(remarks).toEqual([]);
    expect(read({ ".planning/ROADMAP.md": "# Roadmap\n" }).remarks.join()).toContain("no tasks");
  });

  it("GSD: a phase that is only a heading is a task, done if its plans or the table of progress say so", () => {
    promise("import.states");
    const roadmap = [
      "# Roadmap",
      "<details>",
      "<summary>✅ v1.0 (Phases 1-2) - SHIPPED</summary>",
      "",
      "### Phase 1: Clean",
      "Plans:",
      "- [x] 01-01: a",
      "- [x] 01-02: b",
      "",
      "### Phase 2: Search",
      "**Plans**: 1 plan",
      "</details>",
      "",
      "### 🚧 v1.1 (In Progress)",
      "#### Phase 3: Sort",
      "**Depends on**: Phase 2",
      "Plans:",
      "- [x] 03-01: a",
      "- [ ] 03-02: b",
      "#### Phase 4: Odd",
      "- [ ] **Phase 5: Last** - words",
      "",
      "## Progress",
      "| Phase | Milestone | Plans Complete | Status | Completed |",
      "|---|---|---|---|---|",
      "| 2. Search | v1.0 | 1/1 | Complete | 2026-01-02 |",
      "| 3. Sort | v1.1 | 1/2 | In progress | - |",
      "| 4. Odd | v1.1 | 0/? | Half way | - |",
    ].join("\n");
    const { remarks, tasks } = read({ ".planning/ROADMAP.md": roadmap });
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["phase-1", "Clean", "done"],
      ["phase-2", "Search", "done"],
      ["phase-3", "Sort", "in_progress"],
      ["phase-4", "Odd", "blocked"],
      ["phase-5", "Last", "todo"],
    ]);
    expect(tasks[2]?.dependsOn.map(({ key }) => key)).toEqual([".planning/ROADMAP.md#2"]);
    expect(tasks[2]?.text).toContain("- [ ] 03-02: b");
    expect(remarks.join()).toContain("Half way (1, taken as blocked)");
  });

  it("Conductor: a track that the list of tracks or its own data call finished is not open", () => {
    promise("import.states");
    const plan = "# Plan\n- [x] Task: one\n- [ ] Task: check by hand\n";
    const { remarks, tasks } = read({
      "conductor/tracks.md":
        "# Tracks\n\n## [x] Track: A\n*Link: [./conductor/tracks/a_1/](./conductor/tracks/a_1/)*\n\n---\n- [x] **Track: B**\n*Link: [./tracks/b_2/](./tracks/b_2/)*\n\n---\n- [ ] **Track: C**\n  *Link: [./tracks/c_3/](./tracks/c_3/)*\n- [~] **Track: D** *Link: [./tracks/d_4/](./tracks/d_4/)*\n",
      "conductor/tracks/a_1/plan.md": plan,
      "conductor/tracks/b_2/plan.md": plan,
      "conductor/tracks/c_3/plan.md": plan,
      "conductor/tracks/c_3/metadata.json": '{"track_id":"c_3","status":"cancelled"}',
      "conductor/tracks/d_4/plan.md": plan,
      "conductor/tracks/d_4/metadata.json": '{"track_id":"d_4","status":"in_progress"}',
      "conductor/tracks/e_5/plan.md": plan,
      "conductor/tracks/e_5/metadata.json": '{"track_id":"e_5","status":"completed"}',
    });
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ["a_1", "done"],
      ["b_2", "done"],
      ["c_3", "cancelled"],
      ["d_4", "todo"],
      ["e_5", "done"],
    ]);
    expect(remarks).toEqual([]);
  });
});

describe("Records in files", () => {
  it("BMAD: stories below their epics, with their files as they are; retrospectives stay out", () => {
    promise("import.formats");
    const story = "# Story 1.1: Log in\n\nStatus: done\n\n1. a\n2. b";
    const { format, remarks, tasks } = read({
      "_bmad-output/implementation-artifacts/sprint-status.yaml":
        "project: x\ndevelopment_status:\n  epic-1: in-progress\n  1-1-log-in: done\n  1-2-log-out: ready-for-dev\n  1-3-forget: review\n  1-4-odd: half\n  epic-1-retrospective: optional\n",
      "_bmad-output/implementation-artifacts/1-1-log-in.md": story,
    });
    expect(format).toBe("bmad");
    expect(tasks.map(({ id, parent, status, title }) => [id, title, status, parent])).toEqual([
      ["epic-1", "epic 1", "in_progress", null],
      ["1-1-log-in", "log in", "done", "epic-1"],
      ["1-2-log-out", "log out", "todo", "epic-1"],
      ["1-3-forget", "forget", "in_progress", "epic-1"],
      ["1-4-odd", "odd", "blocked", "epic-1"],
    ]);
    expect(tasks[1]?.text).toBe(story);
    expect(remarks.join("\n")).toMatch(/1 retrospectives: left out[\s\S]*half \(1, taken as blocked\)/);
    expect(() => read({ "sprint-status.yaml": "a: 1\n" })).toThrow(/a map `development_status`/);
  });

  it("ccpm: tasks below their epic, after others, without what is archived or only notes", () => {
    promise("import.formats");
    const { format, remarks, tasks } = read({
      ".claude/epics/shop/epic.md": "---\nname: shop\nstatus: in-progress\n---\n\n# Epic\n",
      ".claude/epics/shop/001.md":
        "---\nname: Cart\nstatus: closed\ndepends_on: []\nparallel: true\n---\n# Cart\n\n1. a\n",
      ".claude/epics/shop/12.md":
        "---\nname: Pay\nstatus: open\ndepends_on: [001]\ngithub: https://github.com/a/b/issues/12\n---\n",
      ".claude/epics/shop/github-mapping.md": "# Mapping\n",
      ".claude/epics/archived/old/1.md": "---\nname: Old\nstatus: open\n---\n",
    });
    expect(format).toBe("ccpm");
    expect(tasks.map(({ id, parent, status, title }) => [id, title, status, parent])).toEqual([
      ["shop", "shop", "in_progress", null],
      ["shop.001", "Cart", "done", "shop"],
      ["shop.12", "Pay", "todo", "shop"],
    ]);
    expect(tasks[1]?.text).toBe("# Cart\n\n1. a");
    expect(tasks[2]?.dependsOn.map(({ key }) => key)).toEqual(["shop.001"]);
    expect(remarks.join("\n")).toMatch(/1 files of archived epics[\s\S]*1 files are neither/);
  });

  it("Trello: cards by their lists, with checklists and members; archived ones are done", () => {
    promise("import.formats");
    const { format, remarks, tasks } = read({
      "board.json": JSON.stringify({
        name: "Shop",
        lists: [
          { id: "l1", name: "Doing" },
          { id: "l2", name: "Ideen" },
        ],
        members: [{ id: "m1", fullName: "Ada" }],
        checklists: [
          {
            idCard: "c1",
            name: "Parts",
            checkItems: [
              { name: "One", state: "complete" },
              { name: "Two", state: "incomplete" },
            ],
          },
        ],
        cards: [
          {
            id: "c1",
            shortLink: "abC1",
            name: "Cart",
            desc: "1. a\n2. b",
            idList: "l1",
            idMembers: ["m1"],
            labels: [{ id: "x", name: "ui", color: "red" }],
            shortUrl: "https://trello.com/c/abC1",
            badges: {},
          },
          {
            id: "c2",
            shortLink: "abC2",
            name: "Pay",
            desc: "",
            idList: "l2",
            due: "2026-01-01",
            dueComplete: true,
          },
          { id: "c3", shortLink: "abC3", name: "Ship", desc: "", idList: "l2" },
          { id: "c4", shortLink: "abC4", name: "Gone", desc: "", idList: "l1", closed: true },
        ],
        actions: [
          {
            type: "commentCard",
            date: "2026-02-02",
            data: { card: { id: "c3" }, text: "later\n\n1. x" },
            memberCreator: { fullName: "Ada" },
          },
          { type: "updateCard", data: { card: { id: "c3" } } },
          { type: "commentCard", date: "2026-01-01", data: { card: { id: "c3" }, text: "first" } },
        ],
      }),
    });
    expect(format).toBe("trello");
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ["abC1", "in_progress"],
      ["abC2", "done"],
      ["abC3", "blocked"],
      ["abC4", "done"],
    ]);
    expect(tasks[0]?.text).toBe("1. a\n2. b\n\n## Parts\n\n- [x] One\n- [ ] Two");
    expect(tasks[0]?.notes).toEqual(["https://trello.com/c/abC1", "Id: c1", "Labels: ui", "Members: Ada"]);
    expect(tasks[2]?.text).toBe("## Comments\n\n2026-01-01: first\n\nAda, 2026-02-02: later\n\n1. x");
    expect(tasks[3]?.notes).toContain("List: Doing");
    expect(remarks.join()).toContain("Ideen (1, taken as done), Ideen (1, taken as blocked)");
  });

  it("`gh project item-list`: issues and drafts with the board's status and fields", () => {
    promise("import.formats");
    const { format, remarks, tasks } = read({
      "items.json": JSON.stringify({
        items: [
          {
            id: "PVTI_1",
            status: "Done",
            title: "Cart",
            sprint: "3",
            "parent issue": { number: 7, title: "Shop", url: "https://github.com/a/c/issues/7" },
            content: {
              type: "Issue",
              number: 7,
              title: "Cart",
              body: "1. a\n2. b",
              url: "https://github.com/a/b/issues/7",
              repository: "a/b",
            },
          },
          {
            id: "PVTI_2",
            status: "Todo",
            title: "Idea",
            content: { type: "DraftIssue", title: "Idea", body: "" },
          },
          {
            id: "PVTI_3",
            title: "Shop",
            content: {
              type: "Issue",
              number: 7,
              title: "Shop",
              url: "https://github.com/a/c/issues/7",
              repository: "a/c",
            },
          },
          {
            id: "PVTI_4",
            title: "Merge",
            content: { type: "PullRequest", number: 8, title: "Merge", repository: "a/b" },
          },
          // Older versions of gh leave the content out.
          { id: "PVTI_5", content: null, status: "Todo" },
          { id: "PVTI_6", status: "Todo" },
        ],
        totalCount: 40,
      }),
    });
    expect(format).toBe("gh-project");
    expect(tasks.map(({ id, status, text }) => [id, status, text])).toEqual([
      ["b-7", "done", "1. a\n2. b"],
      ["PVTI_2", "todo", ""],
      ["c-7", "todo", ""],
    ]);
    expect(tasks.map(({ parent }) => parent)).toEqual(["c-7", null, null]);
    expect(remarks.join()).toContain(
      "1 pull requests: left out.,2 items that the token may not see: left out.",
    );
    expect(remarks[0]).toMatch(
      /has 6 of the project's 40 items: `gh project item-list --limit 40` writes all/,
    );
    expect(tasks[0]?.notes).toEqual(["https://github.com/a/b/issues/7", "Sprint: 3", "Repository: a/b"]);
  });

  it("Claude Code's task files: what blocks, from both sides", () => {
    promise("import.formats");
    const task = (id: string, more: object) =>
      JSON.stringify({
        id,
        subject: `Task ${id}`,
        description: "d",
        activeForm: "Doing",
        status: "pending",
        blocks: [],
        blockedBy: [],
        ...more,
      });
    const { format, tasks } = read({
      ".claude/tasks/s1/1.json": task("1", { status: "completed", blocks: ["2"] }),
      ".claude/tasks/s1/2.json": task("2", {}),
      ".claude/tasks/s1/3.json": task("3", { blockedBy: ["2"], status: "in_progress" }),
    });
    expect(format).toBe("claude-tasks");
    expect(tasks.map(({ dependsOn, id, status }) => [id, status, dependsOn.map(({ key }) => key)])).toEqual([
      ["1", "done", []],
      ["2", "todo", ["s1/1"]],
      ["3", "in_progress", ["s1/2"]],
    ]);
  });

  it("Claude Code's sessions each count their tasks from 1", () => {
    promise("import.formats");
    const task = (id: string, blockedBy: readonly string[]) =>
      JSON.stringify({ id, subject: `Task ${id}`, status: "pending", blocks: [], blockedBy });
    const { tasks } = read({
      ".claude/tasks/s1/1.json": task("1", []),
      ".claude/tasks/s1/2.json": task("2", ["1"]),
      ".claude/tasks/s2/1.json": task("1", []),
      ".claude/tasks/s2/2.json": task("2", ["1"]),
    });
    expect(tasks.map(({ dependsOn, id, key }) => [id, key, dependsOn.map((on) => on.key)])).toEqual([
      ["s1.1", "s1/1", []],
      ["s1.2", "s1/2", ["s1/1"]],
      ["s2.1", "s2/1", []],
      ["s2.2", "s2/2", ["s2/1"]],
    ]);
  });
});
