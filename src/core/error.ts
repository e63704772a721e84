/**
 * Every error that Pawl reports. Each code has a heading in docs/errors.md (a test checks this). A code names
 * the thing first, then what is wrong with it.
 */
import { fixOf, lackIn, meaningOf } from "./errno.ts";

export const ERROR_CODES = [
  "agent-failed",
  "agent-missing",
  "approval-void",
  "artifact-invalid",
  "base-missing",
  "board-refused",
  "branch-in-use",
  "branch-invalid",
  "caller-not-allowed",
  "cancelled",
  "commit-restarted-too-often",
  "config-invalid",
  "database-differs",
  "database-failed",
  "database-forbidden",
  "database-project-missing",
  "database-schema",
  "database-unconfigured",
  "disk-failed",
  "evidence-differs",
  "fence-refused",
  "forge-failed",
  "forge-unconfigured",
  "gate-unsignable",
  "git-config-untrusted",
  "git-failed",
  "git-filter-untrusted",
  "git-identity-missing",
  "id-invalid",
  "import-format",
  "import-invalid",
  "internal",
  "invalid-action",
  "journal-damaged",
  "journal-refused",
  "key-missing",
  "key-unusable",
  "lease-lost",
  "lock-timeout",
  "loop-evidence-missing",
  "loop-not-done",
  "loop-plan-uncovered",
  "loop-work-moved",
  "no-active-tool",
  "no-effect",
  "nonce-refused",
  "notice-unsent",
  "path-outside-project",
  "pawl-tracked",
  "person-declined",
  "persona-invalid",
  "persona-missing",
  "plan-missing",
  "policy-held",
  "policy-unknown",
  "project-busy",
  "project-missing",
  "project-untrusted",
  "proposal-invalid",
  "records-forked",
  "records-invalid",
  "repository-missing",
  "review-changed",
  "run-ambiguous",
  "run-elsewhere",
  "run-missing",
  "run-unreachable",
  "setup-failed",
  "signature-failed",
  "signing-failed",
  "state-home-failed",
  "state-tampered",
  "state-unreadable",
  "status-not-allowed",
  "subtask-missing",
  "subtasks-open",
  "task-exists",
  "task-invalid",
  "task-missing",
  "tasks-invalid",
  "tasks-missing",
  "tasks-too-large",
  "tasks-unwritable",
  "template-invalid",
  "terminal-missing",
  "text-too-long",
  "tool-active",
  "tracker-failed",
  "tracker-unconfigured",
  "tree-strayed",
  "usage",
  "verdict-too-weak",
  "wall-failed",
  "wall-missing",
  "worker-missing",
  "worker-name-taken",
  "workflow-exists",
  "workflow-invalid",
  "workflow-missing",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * An error that stops the caller. `message` names the thing, what was expected and what was found; `fix` is a
 * command or an edit. CLI, MCP and web show the same two lines.
 */
export class PawlError extends Error {
  readonly code: ErrorCode;
  readonly fix: string;

  constructor(code: ErrorCode, message: string, fix: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PawlError";
    this.code = code;
    this.fix = fix;
  }
}

/** The database does not answer, or accepts no connections now: a retry may succeed without any repair. */
export class DatabaseAway extends PawlError {}

/** A file that is not text, although text was expected. */
export class NotText extends PawlError {}

/**
 * Turns any thrown value into a PawlError. A full disk and the like is `disk-failed`, wherever it occurred.
 * Another unforeseen error becomes `internal` and keeps its message.
 */
export function toPawlError(thrown: unknown): PawlError {
  if (thrown instanceof PawlError) return thrown;
  const errno = lackIn(thrown);
  if (errno !== null) {
    const { path } = thrown as { readonly path?: string };
    const where = path === undefined ? "" : ` at ${path}`;
    return new PawlError(
      "disk-failed",
      `The system failed${where}: ${meaningOf(errno)} (${errno}).`,
      fixOf(errno),
      thrown,
    );
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new PawlError(
    "internal",
    `Unexpected error: ${message}`,
    "Nothing was committed. Run the command again; if it fails again, report it with the output of `pawl status --json`.",
    thrown,
  );
}
