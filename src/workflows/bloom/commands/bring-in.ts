import type { Worktree } from "../../../core/ports/worktrees.ts";
import type { ExecutionContext, StepResult } from "../execution-context.ts";
import type { Purpose } from "../run/task-run.ts";
import { targetOf } from "./pull-request.ts";

const MERGES: ReadonlySet<Purpose> = new Set(["resolve", "repair-merge", "pull-request"]);

/**
 * Merges the target into the task's branch before a run that resolves or repairs a merge, or fixes a pull
 * request. The agent resolves the conflicts there; without conflicts, no agent is needed.
 */
export async function bringInTarget(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<{ readonly result?: StepResult; readonly conflicts: readonly string[] }> {
  const { task, file, run } = context.known;
  const into = run.purpose === "pull-request" ? targetOf(task) : task.merge_into;
  if (!MERGES.has(run.purpose) || worktree === null || into === undefined) return { conflicts: [] };
  const brought = await context.ports.worktrees.bringIn(worktree, {
    into,
    remote: file.git.push_to_remote,
  });
  if (brought.kind === "conflicts") return { conflicts: brought.files };
  return run.purpose === "resolve" ? { result: { event: "errand_done" }, conflicts: [] } : { conflicts: [] };
}
