/** Runs a rule's commands through the ports. A failure of git is an outcome, too. */
import { type ErrorCode, PawlError } from "../../../core/error.ts";
import type { Command } from "../../../engine/workflow.ts";
import { type ExecutionContext, type StepResult, taskFolder } from "../execution-context.ts";
import { ORDER_AGAIN } from "../run/table.ts";
import { cleanUp, merge, push } from "./deliver.ts";
import { ensureCommitted } from "./ensure-committed.ts";
import { openPullRequest, watchPullRequest } from "./pull-request.ts";
import { runAgent } from "./run-agent.ts";
import { runOrder } from "./run-order.ts";
import { runVerify } from "./run-verify.ts";
import { save } from "./save.ts";
import { watchTarget } from "./target.ts";

const COMMANDS: Readonly<Record<string, (context: ExecutionContext) => Promise<StepResult>>> = {
  "run-agent": runAgent,
  // Orders to the agents of a task's life.
  run: runOrder,
  [ORDER_AGAIN]: runOrder,
  // Performed only once the rest is over.
  "await-agent": async () => ({ event: "agent_free" }),
  "run-verify": runVerify,
  "watch-target": watchTarget,
  "ensure-committed": ensureCommitted,
  push,
  merge,
  "open-pr": openPullRequest,
  "watch-pr": watchPullRequest,
  "clean-up": cleanUp,
};

/** These need the branch but no worktree: another machine may still have it. */
const OF_BRANCH: ReadonlySet<string> = new Set(["push", "merge", "open-pr"]);

/** These run programs, so the task's environment is created first. */
const OF_PROGRAMS: ReadonlySet<string> = new Set([
  ...["run-agent", "run", ORDER_AGAIN, "run-verify", "watch-target", "merge"],
]);

/** The names of all commands. No table uses others. */
export const PERFORMED: readonly string[] = Object.keys(COMMANDS);

/** The event for each error of git. `git_refused`: only a person can fix it. */
const OF_GIT: Readonly<Partial<Record<ErrorCode, "git_failed" | "git_refused">>> = {
  "git-failed": "git_failed",
  "setup-failed": "git_failed",
  "branch-in-use": "git_failed",
  "fence-refused": "git_refused",
  "branch-invalid": "git_refused",
  "base-missing": "git_refused",
  "git-identity-missing": "git_refused",
  "repository-missing": "git_refused",
};

/** Faults of this machine alone. If other machines share the tasks, they block no task. */
const OF_MACHINE: ReadonlySet<ErrorCode> = new Set(["git-identity-missing", "repository-missing"]);

export async function perform(command: Command, context: ExecutionContext): Promise<StepResult> {
  const act = COMMANDS[command.type];
  if (act === undefined)
    throw new PawlError(
      "internal",
      `Bloom's table has the command ${command.type}, which Pawl does not know.`,
      "Report this.",
    );
  const done = await orFailure(
    context,
    async () => {
      if (context.shared !== null && OF_BRANCH.has(command.type)) await taskFolder(context);
      if (OF_PROGRAMS.has(command.type) && (await context.bringUp()) === "stopped")
        return { event: "interrupted" };
      return act(context);
    },
    { patch: { underway: [] } },
  );
  // A stop kills the running git command, so nothing failed. Except for `ensure-committed`: in `committing`,
  // `interrupted` would run an agent again, although none was interrupted.
  const isStopped =
    done.event === "git_failed" && context.stop.aborted && command.type !== "ensure-committed";
  return isStopped ? { event: "interrupted", patch: { underway: [] } } : done;
}

/** Saves what an earlier worker left in the workspace, before its agent's deferred calls are made. */
export function performSave(context: ExecutionContext): Promise<StepResult> {
  const saved = async () =>
    (context.shared && (await save(context, (await taskFolder(context)).worktree))) ?? {};
  return orFailure(context, saved, {});
}

async function orFailure(
  { shared }: ExecutionContext,
  act: () => Promise<StepResult>,
  failed: StepResult,
): Promise<StepResult> {
  try {
    return await act();
  } catch (error) {
    const event = error instanceof PawlError ? OF_GIT[error.code] : undefined;
    if (!(error instanceof PawlError) || event === undefined) throw error;
    if (shared !== null && OF_MACHINE.has(error.code)) throw error;
    return { ...failed, event, reason: `${error.message} ${error.fix}` };
  }
}
