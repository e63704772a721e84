/** Errors in the page's format: the same two lines as everywhere, and a status. */
import type { Context } from "hono";
import { type ErrorCode, PawlError, toPawlError } from "../../../core/error.ts";
import type { Refused } from "../wire.ts";

export interface BoardError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 429 | 500 | 503;
  readonly error: PawlError;
}

/** The error for a request that the board does not answer. */
export function refusal(status: BoardError["status"], why: string, wayOut?: string): BoardError {
  const fix =
    wayOut ??
    (status === 401
      ? "Open the address that `pawl board` printed; each address opens one browser, once. Start `pawl board` again for another."
      : status === 404
        ? "Go to the board's first page."
        : "Use the board's own page, at the address that `pawl board` printed.");
  return {
    status,
    error: new PawlError(
      "board-refused",
      `The board refused this request: ${why}. Nothing was changed.`,
      fix,
    ),
  };
}

const MISSING: readonly ErrorCode[] = ["run-missing", "task-missing", "workflow-missing", "id-invalid"];
/** Errors of a request that does not fit the present state. */
const CONFLICTS: readonly string[] = [
  "invalid-action",
  "no-effect",
  "person-declined",
  "review-changed",
  "run-unreachable",
];
const FORBIDDEN: readonly ErrorCode[] = [
  "board-refused",
  "caller-not-allowed",
  "database-forbidden",
  "verdict-too-weak",
  "project-untrusted",
];

export function errorOf(thrown: unknown): BoardError {
  const error = toPawlError(thrown);
  const { code } = error;
  if (MISSING.includes(code)) return { status: 404, error };
  if (CONFLICTS.includes(code)) return { status: 409, error };
  if (FORBIDDEN.includes(code)) return { status: 403, error };
  return { status: code === "internal" ? 500 : 400, error };
}

export function refused({ code, message, fix }: PawlError): Refused {
  return { code, message, fix };
}

/** JSON for the page, text for a person who opened the URL by hand. */
export function errorAnswer(context: Context, { status, error }: BoardError) {
  context.header("cache-control", "no-store");
  const isPages = context.req.path.startsWith("/api/") || context.req.method === "POST";
  if (isPages) return context.json(refused(error), status);
  return context.text(`${error.message}\nfix:  ${error.fix}\n`, status);
}
