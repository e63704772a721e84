import type { FileKey } from "./files.ts";

/** A rule's effect on the files, in the same commit as the move of the state. */
export type Action =
  /** Creates the file from its template. A person's file is set aside, or with `keep` left unchanged. */
  | { readonly type: "create"; readonly file: FileKey; readonly keep?: true }
  /** Copies the guides that do not exist yet. */
  | { readonly type: "copy-guides" }
  /** Creates plan.md from its template and the context. */
  | { readonly type: "create-plan" }
  /** Moves task.md and task-results.md, if they exist, into `tasks/task-<task_name>-<date>/`. */
  | { readonly type: "archive-task" }
  /**
   * Moves comments.md, review-task.md and review-task-results.md, if they exist, into
   * `pr-reviews/pr-review-<date>/`.
   */
  | { readonly type: "archive-review" }
  /** Puts the file's content from before the move into the reply. */
  | { readonly type: "load"; readonly file: FileKey }
  /** Fetches the linked issues and pages and appends them to the file. */
  | { readonly type: "fetch-links"; readonly file: "context" | "plan" }
  /** Fetches the pull request's comments into comments.md; with `keep`, only if the file is still missing. */
  | { readonly type: "fetch-comments"; readonly keep?: true };

const NEW_TASK: Action = { type: "create", file: "task" };
const ARCHIVED_TASK: readonly Action[] = [
  { type: "load", file: "results" },
  { type: "archive-task" },
  NEW_TASK,
];
const ARCHIVED_REVIEW: readonly Action[] = [
  { type: "load", file: "review_results" },
  { type: "archive-review" },
];

/** By rule; a rule without an entry only moves the state. */
export const ACTIONS: Readonly<Record<string, readonly Action[]>> = {
  GC1: [{ type: "create", file: "context" }, { type: "copy-guides" }],
  GC2a: [{ type: "create-plan" }],
  GC2b: [{ type: "create-plan" }],
  G2: [NEW_TASK],
  G4: [{ type: "load", file: "task" }],
  G5: [{ type: "fetch-comments" }],
  E1b: [{ type: "fetch-links", file: "context" }],
  E2: [{ type: "fetch-links", file: "plan" }],
  A2: ARCHIVED_TASK,
  H3: ARCHIVED_TASK,
  A5a: [{ type: "fetch-comments" }],
  A5b: [{ type: "fetch-comments" }],
  H15: [{ type: "fetch-comments" }],
  C1: [{ type: "archive-review" }, { type: "fetch-comments" }],
  C2: [{ type: "archive-review" }, { type: "fetch-comments" }],
  P1: [{ type: "create", file: "review_task" }],
  P3: ARCHIVED_REVIEW,
  P4a: ARCHIVED_REVIEW,
  P4b: [...ARCHIVED_REVIEW, NEW_TASK],
  R1: [{ type: "create", file: "task", keep: true }],
  R2: ARCHIVED_TASK,
  R3: [{ type: "archive-task" }, NEW_TASK],
  R5a: [{ type: "fetch-comments", keep: true }],
  R5b: [{ type: "fetch-comments", keep: true }],
  R6a: [{ type: "create", file: "review_task", keep: true }],
  R9: [{ type: "create", file: "context", keep: true }],
};

export function actionsOf(row: string): readonly Action[] {
  return ACTIONS[row] ?? [];
}
