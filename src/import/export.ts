/** Renders the backlog in other formats, and lists the updates for an issue tracker. Pure. */
import { criterionText } from "../core/criterion.ts";
import { oneLine } from "../core/text/lines.ts";
import { eachTask, isOpenStatus, type Step, type Task } from "../tasks-file/task.ts";
import type { ExportFormat } from "./export-formats.ts";
import { hasChangedStatus } from "./plan.ts";

export function renderBacklog(tasks: readonly Task[], format: Exclude<ExportFormat, "yaml">): string {
  switch (format) {
    case "json":
      return `${JSON.stringify({ tasks }, null, 2)}\n`;
    case "csv":
      return csvOf(tasks);
    case "markdown":
      return markdownOf(tasks);
  }
}

// ── CSV ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const HEADINGS = [
  ...["ID", "Title", "Status", "Parent", "Depends on", "Phase", "Repo", "Steps", "Steps done"],
  ...["Acceptance criteria", "Description", "Reason", "Source"],
];

function csvOf(tasks: readonly Task[]): string {
  const rows = eachTask(tasks).map(({ parent, task }) => [
    ...[task.id, task.title, task.status, parent?.id, task.depends_on.join("; "), task.phase, task.repo],
    ...[task.steps.length, task.steps.filter(({ status }) => status === "done").length],
    ...[
      task.acceptance_criteria.map(criterionText).join("\n"),
      textOf(task),
      task.cancel_reason,
      sourceOf(task),
    ],
  ]);
  return [HEADINGS, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

/** A cell that a spreadsheet would run as a formula gets an apostrophe in front. */
function cellOf(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(task: Task): string {
  const { description } = task as { readonly description?: unknown };
  return (task.instructions ?? (typeof description === "string" ? description : "")).trim();
}

function sourceOf(task: Task): string {
  const { source } = task as { readonly source?: unknown };
  return typeof source === "string" ? source : "";
}

// ── Markdown ─────────────────────────────────────────────────────────────────────────────────────────────────────

function markdownOf(tasks: readonly Task[]): string {
  const lines: string[] = ["# Tasks", ""];
  const add = (task: Task, indent: string) => {
    lines.push(`${indent}- ${boxOf(task)} ${task.id}: ${oneLine(task.title)}${tailOf(task)}`);
    for (const step of task.steps)
      lines.push(`${indent}  - ${boxOf(step)} ${step.id}: ${firstLine(step.instruction)}`);
    for (const sub of task.subtasks) add(sub, `${indent}  `);
  };
  for (const task of tasks) add(task, "");
  return `${lines.join("\n")}\n`;
}

function boxOf({ status }: Pick<Task | Step, "status">): string {
  if (status === "done") return "[x]";
  if (status === "cancelled") return "[-]";
  return status === "in_progress" || status === "done_pending_merge" ? "[~]" : "[ ]";
}

function tailOf({ cancel_reason, depends_on, status }: Task): string {
  const notes = [
    ...(status === "blocked" ? ["blocked"] : []),
    ...(status === "cancelled" && cancel_reason ? [`cancelled: ${oneLine(cancel_reason)}`] : []),
    ...(depends_on.length > 0 ? [`after ${depends_on.join(", ")}`] : []),
  ];
  return notes.length === 0 ? "" : ` (${notes.join("; ")})`;
}

function firstLine(text: string): string {
  return oneLine(text.trim().split("\n")[0] ?? "");
}

// ── Issues ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface IssueUpdate {
  readonly task: string;
  readonly repository: string;
  readonly number: number;
  readonly state: "open" | "closed";
  readonly reason: "completed" | "not_planned" | null;
}

const ISSUE = /^github:([\w.-]+\/[\w.-]+)#(\d+)$/;

/**
 * The issues to update on GitHub: those of tasks that were imported from it and whose status changed here
 * since.
 */
export function issueUpdates(tasks: readonly Task[]): readonly IssueUpdate[] {
  return eachTask(tasks).flatMap(({ task }): IssueUpdate[] => {
    const [, repository = "", number] = ISSUE.exec(sourceOf(task)) ?? [];
    if (number === undefined || !hasChangedStatus(task)) return [];
    const isClosed = !isOpenStatus(task.status);
    const reason = isClosed ? (task.status === "done" ? "completed" : "not_planned") : null;
    return [
      { task: task.id, repository, number: Number(number), state: isClosed ? "closed" : "open", reason },
    ];
  });
}
