import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { detect, filesOf } from "../readers.ts";
import { readVibeKanban } from "./vibe-kanban.ts";

const answer = (data: unknown) => [{ path: "tasks.json", text: JSON.stringify(data) }];

const HEADER =
  "Issue ID,Title,Description,Status,Priority,Project,Assignee(s),Creator,Created,Updated,Start Date,Due Date,Completed,Parent Issue";
const TIMES = "2026-02-03T10:00:00+00:00,2026-02-04T10:00:00+00:00";
/** As its archive unpacks. */
const EXPORT = [
  { path: "projects.csv", text: `Name,Created,Updated\nWebsite,${TIMES}\n` },
  { path: "users.csv", text: "Email,Name\nada@example.org,Ada\n" },
  {
    path: "attachments.csv",
    text: "Issue ID,Filename,Content Type,Size (bytes),File Path in ZIP\nWEB-1,a.md,,1,x\n",
  },
  { path: "attachments/WEB-1/a.md", text: "- [ ] not a task\n" },
  {
    path: "issues.csv",
    text: [
      HEADER,
      `WEB-1,Login,"Why\n\n- ""quoted"", and more",In progress,High,Website,"Ada, Bob",Ada,${TIMES},,,,`,
      `WEB-2,Form,,To do,,Website,,,${TIMES},,,,WEB-1`,
      `WEB-3,Old,,Cancelled,,Website,,,${TIMES},,,,`,
      `WEB-4,New,,In review,,Website,,,${TIMES},,,,`,
      `WEB-5,Own,,Ausgeliefert,,Website,,,${TIMES},,,,`,
      "",
    ].join("\n"),
  },
];

describe("Vibe Kanban", () => {
  it("reads the table of issues that its export holds, and takes no other table for tasks", () => {
    promise("import.formats");
    expect(detect(EXPORT, "export")).toBe("vibe-kanban");
    expect(detect(EXPORT.slice(-1), "export/issues.csv")).toBe("vibe-kanban");
    const { remarks, tasks } = readVibeKanban(filesOf("vibe-kanban", EXPORT));
    expect(remarks).toEqual([]);
    expect(tasks.map(({ id, parent, status }) => [id, status, parent])).toEqual([
      ["WEB-1", "in_progress", null],
      ["WEB-2", "todo", "WEB-1"],
      ["WEB-3", "cancelled", null],
      ["WEB-4", "in_progress", null],
      // Its date would be empty if it were finished, too.
      ["WEB-5", "blocked", null],
    ]);
    expect(tasks[0]?.text).toBe('Why\n\n- "quoted", and more');
    expect(tasks[0]?.notes).toContain("Assignee(s): Ada, Bob");
    expect(tasks[3]?.word).toBe("In review");
  });

  it("reads what its API answers", () => {
    promise("import.formats");
    const { tasks } = readVibeKanban(
      answer({
        success: true,
        data: [
          {
            id: "0f8e1d2c-0000-4000-8000-000000000000",
            project_id: "p",
            title: "a",
            description: "d",
            status: "inreview",
            priority: "medium",
            tags: null,
            parent_task_attempt: "2f8e1d2c-0000-4000-8000-000000000000",
          },
          {
            id: "1f8e1d2c-0000-4000-8000-000000000000",
            project_id: "p",
            title: "b",
            description: null,
            status: "cancelled",
          },
        ],
      }),
    );
    expect(tasks.map(({ id, status, title }) => [id, title, status])).toEqual([
      ["VK-0f8e1d2c", "a", "in_progress"],
      ["VK-1f8e1d2c", "b", "cancelled"],
    ]);
    expect(tasks[0]?.notes).toEqual([
      "Priority: medium",
      "Parent task attempt: 2f8e1d2c-0000-4000-8000-000000000000",
    ]);
  });

  it("reads the issues of its API, whose status is an id that may mean anything", () => {
    promise("import.states");
    const issue = (number: number, more: object) => ({
      id: `${number}f8e1d2c-0000-4000-8000-000000000000`,
      project_id: "p",
      issue_number: number,
      simple_id: `WEB-${number}`,
      status_id: "9f8e1d2c-0000-4000-8000-000000000000",
      title: `Issue ${number}`,
      description: "d",
      priority: null,
      completed_at: null,
      sort_order: 1,
      parent_issue_id: null,
      extension_metadata: {},
      ...more,
    });
    const issues = [
      issue(1, { completed_at: "2026-01-02T03:04:05Z" }),
      issue(2, { parent_issue_id: "1f8e1d2c-0000-4000-8000-000000000000" }),
    ];
    const files = answer({ success: true, data: { issues, total_count: 2, limit: 50, offset: 0 } });
    expect(detect(files, "issues.json")).toBe("vibe-kanban");
    const { tasks } = readVibeKanban(files);
    expect(tasks.map(({ id, parent, status }) => [id, status, parent])).toEqual([
      ["WEB-1", "done", null],
      ["WEB-2", "blocked", "WEB-1"],
    ]);
    expect(tasks[1]?.word).toBe("9f8e1d2c-0000-4000-8000-000000000000");
  });
});
