/** Runs a rule's commands through the ports. What git itself cannot do is an outcome too. */
import { type ErrorCode, PawlError } from "../../../core/error.ts";
import type { Command } from "../../../engine/workflow.ts";
import type { ExecutionContext, StepResult } from "../execution-context.ts";
import { cleanUp, merge, push } from "./deliver.ts";
import { ensureCommitted } from "./ensure-committed.ts";
import { openPullRequest, watchPullRequest } from "./pull-request.ts";
import { runAgent } from "./run-agent.ts";
import { runVerify } from "./run-verify.ts";

const COMMANDS: Readonly<Record<string, (context: ExecutionContext) => Promise<StepResult>>> = {
  "run-agent": runAgent,
  "run-verify": runVerify,
  "ensure-committed": ensureCommitted,
  push,
  merge,
  "open-pr": openPullRequest,
  "watch-pr": watchPullRequest,
  "clean-up": cleanUp,
};

/** The names of the commands that can be performed; the table has no others. */
export const PERFORMED: readonly string[] = Object.keys(COMMANDS);

/** `git_refused`: only a person can fix it. */
const OF_GIT: Readonly<Partial<Record<ErrorCode, "git_failed" | "git_refused">>> = {
  "git-failed": "git_failed",
  "setup-failed": "git_failed",
  "branch-in-use": "git_failed",
  "branch-invalid": "git_refused",
  "base-missing": "git_refused",
  "git-identity-missing": "git_refused",
  "repository-missing": "git_refused",
};

export async function perform(command: Command, context: ExecutionContext): Promise<StepResult> {
  const act = COMMANDS[command.type];
  if (act === undefined)
    throw new PawlError(
      "internal",
      `The table of a task has a command ${command.type} that nobody performs.`,
      "Report this.",
    );
  try {
    return await act(context);
  } catch (error) {
    const event = error instanceof PawlError ? OF_GIT[error.code] : undefined;
    if (!(error instanceof PawlError) || event === undefined) throw error;
    return { event, reason: `${error.message} ${error.fix}`, patch: { underway: [] } };
  }
}
