import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readKiro, readOpenSpec, readSpecKit } from "./checklists.ts";
import type { Read } from "./source.ts";

const stepsOf = ({ tasks }: Read, at = 0) => tasks[at]?.steps ?? [];
const ids = (read: Read) => stepsOf(read).map(({ id }) => id);
const statuses = (read: Read) => stepsOf(read).map(({ status }) => status);

describe("Spec Kit", () => {
  const read = (text: string, more: Readonly<Record<string, string>> = {}) =>
    readSpecKit([
      { path: "specs/001-photos/tasks.md", text },
      ...Object.entries(more).map(([name, content]) => ({ path: `specs/001-photos/${name}`, text: content })),
    ]);

  it("is one task for the feature with its boxes as steps, its documents named", () => {
    const found = read(
      "# Tasks\n## Phase 1: Setup\n- [x] T001 [P] Make it\n- [ ] **T002** [US1] Do in `src/a.ts`\n",
      {
        "spec.md": "# Feature Specification: Photo albums\n",
        "plan.md": "# Plan\n",
      },
    );
    expect(found.tasks).toHaveLength(1);
    expect(found.tasks[0]).toMatchObject({ id: "001-photos", title: "Photo albums", status: "todo" });
    expect(found.tasks[0]?.text).toContain("specs/001-photos/plan.md");
    expect(ids(found)).toEqual(["001-photos.T001", "001-photos.T002"]);
    expect(stepsOf(found)[0]).toMatchObject({
      title: "[P] Make it",
      status: "done",
      text: "Part of: Phase 1: Setup",
    });
  });

  it("takes boxes without ids, but no legend and no closing checklist", () => {
    promise("import.formats");
    const found = read(
      "## Legend\n- [ ] = pending\n- [x] = done\n## Work\n- [ ] First\n- [ ] First\n## Validation checklist\n- [ ] All pass\n- [ ] Docs\n",
    );
    expect(stepsOf(found).map(({ title }) => title)).toEqual(["First", "First"]);
    expect(new Set(stepsOf(found).map(({ key }) => key)).size).toBe(2);
    expect(found.remarks).toEqual([
      expect.stringContaining('2 boxes under "Legend" are no tasks'),
      expect.stringContaining('2 boxes under "Validation checklist" are no tasks'),
    ]);
  });

  it("with ids, leaves boxes without one out, and those below a task in its text", () => {
    const found = read("- [ ] T001 a\n  - [ ] detail\n## Checklist\n- [ ] every T-id is there\n");
    expect(ids(found)).toEqual(["001-photos.T001"]);
    expect(stepsOf(found)[0]?.text).toContain("- [ ] detail");
  });

  it("reads tasks that are headings, with code in them and Windows line ends", () => {
    promise("import.formats");
    const text =
      "# Tasks\n\n### T001: Model\n**Status**: Completed\n```py\n# T009 not a task\n- [ ] T010 neither\n```\n#### Notes\n- [ ] check\n\n### T002: API ✅\ntext\n\n## Dependencies\n- T002 after T001\n";
    const found = read(text.replaceAll("\n", "\r\n"));
    expect(ids(found)).toEqual(["001-photos.T001", "001-photos.T002"]);
    expect(statuses(found)).toEqual(["done", "done"]);
    expect(stepsOf(found)[0]?.text).toContain("# T009 not a task\n- [ ] T010 neither");
    expect(stepsOf(found)[0]?.text).toContain("#### Notes");
  });

  it("reads notes in brackets, struck lines, Japanese and Chinese", () => {
    promise("import.formats");
    const found = read(
      "- [x] T001 A [SKIPPED: not needed]\n- [ ] ~~T002 B~~\n- [ ] T003：モデルを作る\n- [ ] T004、创建模型\n- [ ] T001 again\n",
    );
    expect(statuses(found)).toEqual(["cancelled", "cancelled", "todo", "todo", "todo"]);
    expect(stepsOf(found)[0]?.reason).toBe("not needed");
    expect(stepsOf(found)[1]?.title).toBe("~~B~~");
    expect(stepsOf(read("- [ ] **T001 Write** it\n- [ ] **T002** Do\n")).map(({ title }) => title)).toEqual([
      ...["**Write** it", "Do"],
    ]);
    expect(stepsOf(found)[2]?.title).toBe("モデルを作る");
    expect(new Set(ids(found)).size).toBe(5);
  });

  it("keeps a box without any words by its line", () => {
    const found = read("- [x] \n- [ ] T002\n");
    expect(found.tasks[0]?.steps.map(({ title }) => title)).toEqual(["T002"]);
    expect(stepsOf(read("# Tasks\n- [x] \n")).map(({ title }) => title)).toEqual(["Line 2"]);
  });

  it("leaves dependencies in prose as prose", () => {
    promise("import.dependencies");
    const found = read("- [ ] T001 a\n- [ ] T002 b (depends on T001)\n## Dependencies\nT002 blocks T003.\n");
    expect(found.tasks[0]?.dependsOn).toEqual([]);
    expect(stepsOf(found)[1]?.title).toContain("depends on T001");
    expect(found.tasks[0]?.text).toContain("specs/001-photos/tasks.md");
  });
});

describe("OpenSpec", () => {
  const read = (files: Readonly<Record<string, string>>) =>
    readOpenSpec(Object.entries(files).map(([path, text]) => ({ path: `openspec/changes/${path}`, text })));

  it("has one task for each change, its scenarios as criteria, and the same 1.1 in each", () => {
    promise("import.formats");
    const tasks = "## 1. Work\n- [x] 1.1 One\n- [ ] 1.3 Three\n";
    const found = read({
      "add-auth/tasks.md": tasks,
      "add-auth/proposal.md": "# Change: Add auth\n## Why\n",
      "add-auth/specs/auth/spec.md":
        "## ADDED Requirements\n### Requirement: Login\n#### Scenario: Right password\n- **WHEN** right\n- **THEN** in\n#### Scenario: Wrong\n- **WHEN** wrong\n",
      "fix-it/tasks.md": tasks,
    });
    expect(found.tasks.map(({ id, title }) => [id, title])).toEqual([
      ["add-auth", "Add auth"],
      ["fix-it", "fix-it"],
    ]);
    expect(ids(found)).toEqual(["add-auth.1.1", "add-auth.1.3"]);
    expect(found.tasks[0]?.criteria).toEqual(["Right password | WHEN right | THEN in", "Wrong | WHEN wrong"]);
    expect(stepsOf(found)[0]?.text).toBe("Part of: 1. Work");
    expect(stepsOf(found, 1)).toHaveLength(2);
  });

  it("reads boxes without numbers, a sibling that is one space off, nested bullets and code", () => {
    promise("import.formats");
    const found = read({
      "c/tasks.md":
        "- [ ] Plain\n - [ ] Sibling\n   - a bullet\n     - below\n- [x] `code` and\n  ```sh\n  - [ ] not a box\n  ```\n",
    });
    expect(stepsOf(found).map(({ title }) => title)).toEqual(["Plain", "Sibling", "`code` and"]);
    expect(stepsOf(found)[1]?.text).toBe("- a bullet\n  - below");
    expect(stepsOf(found)[2]?.text).toContain("- [ ] not a box");
  });

  it("takes bullets, then headings, if there are no boxes, and says where there is nothing", () => {
    expect(stepsOf(read({ "c/tasks.md": "# T\n## 1. A\n- one\n- two\n" })).map(({ title }) => title)).toEqual(
      ["one", "two"],
    );
    expect(stepsOf(read({ "c/tasks.md": "# T\n## 1. A\ntext\n## B\n" })).map(({ title }) => title)).toEqual([
      "A",
      "B",
    ]);
    const nothing = read({ "c/tasks.md": "later\n" });
    expect(nothing.tasks).toHaveLength(1);
    expect(nothing.remarks.join()).toContain("no boxes");
  });

  it("takes an archived change as done", () => {
    const found = read({ "archive/2025-01-01-old/tasks.md": "- [ ] 1.1 open\n" });
    expect(found.tasks[0]).toMatchObject({
      id: "2025-01-01-old",
      status: "done",
      notes: ["Archived in the source"],
    });
  });
});

describe("Kiro", () => {
  const read = (text: string, requirements?: string) =>
    readKiro([
      { path: ".kiro/specs/auth/tasks.md", text },
      ...(requirements ? [{ path: ".kiro/specs/auth/requirements.md", text: requirements }] : []),
    ]);

  it("reads numbers from anywhere, with 1.1 in the column of 1, and a parent once as text", () => {
    promise("import.formats");
    const found = read(
      "# Implementation Plan\n\n- [ ] 0. Begin\n- [-] 17. Set up\n  - about it\n- [x] 17.1 First\n  - detail\n- [ ] 17.2 Second\n- [x]* 17.3 Tests (P)\n",
    );
    expect(ids(found)).toEqual(["auth.0", "auth.17.1", "auth.17.2", "auth.17.3"]);
    expect(statuses(found)).toEqual(["todo", "done", "todo", "done"]);
    expect(stepsOf(found)[1]?.text).toBe("- detail\n\nPart of: 17. Set up\n\n- about it");
    expect(stepsOf(found)[2]?.text).toBe("Part of: 17. Set up");
    expect(stepsOf(found)[3]).toMatchObject({ title: "Tests (P)", notes: ["Optional in the source"] });
  });

  it("takes an optional step as formatters write it, and every odd box as a step that is not done", () => {
    promise("text.boxes");
    const found = read(
      "- [x] 1. Login\n- [x] 1.1 Form\n\n  - detail\n\n- [ ]\\* 1.2 Tests\n\n  1. cover\n  2. errors\n\n- [ ]* 1.3 Property\n- [] 1.4 Empty\n- [ x ] 1.5 Blanks\n",
    );
    expect(ids(found)).toEqual(["auth.1.1", "auth.1.2", "auth.1.3", "auth.1.4", "auth.1.5"]);
    expect(statuses(found)).toEqual(["done", "todo", "todo", "todo", "blocked"]);
    expect(stepsOf(found)[1]).toMatchObject({
      text: "1. cover\n2. errors\n\nPart of: 1. Login",
      notes: ["Optional in the source"],
    });
  });

  it("takes parents that are headings, and text eight lines below its task", () => {
    promise("import.formats");
    const found = read("## 1. Setup\n\n- [ ] 1.1 A\n\n\n\n\n\n\n\nfar below\n\n- [-] 1.2 B\n");
    expect(stepsOf(found)[0]?.text).toContain("far below");
    expect(stepsOf(found)[0]?.text).toContain("Part of: 1. Setup");
    expect(statuses(found)).toEqual(["todo", "in_progress"]);
  });

  it("brings the criteria of the requirements that a task names", () => {
    const found = read(
      "- [ ] 1. A\n  - _Requirements: 1.2, 2.1, 9.9_\n",
      "# Requirements Document\n### Requirement 1\n#### Acceptance Criteria\n1. WHEN a THEN b\n2. WHEN c THEN d\n### Requirement 2\n1. WHEN e THEN f\n",
    );
    expect(stepsOf(found)[0]?.criteria).toEqual(["WHEN c THEN d", "WHEN e THEN f"]);
  });
});
