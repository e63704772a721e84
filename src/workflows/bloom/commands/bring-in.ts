import type { Worktree } from "../../../core/ports/worktrees.ts";
import type { ExecutionContext, StepResult } from "../execution-context.ts";

/**
 * Before a run that resolves or repairs a merge: brings the target into the task's branch, where the agent resolves the
 * conflicts. Without conflicts, no agent is needed.
 */
export async function bringInTarget(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<{ readonly result?: StepResult; readonly conflicts: readonly string[] }> {
  const { task, file, run } = context.known;
  const merges = run.errand === "resolve" || run.errand === "repair-merge";
  if (!merges || worktree === null || task.merge_into === undefined) return { conflicts: [] };
  const brought = await context.ports.worktrees.bringIn(worktree, {
    into: task.merge_into,
    remote: file.git.push_to_remote,
  });
  if (brought.kind === "conflicts") return { conflicts: brought.files };
  return run.errand === "resolve" ? { result: { event: "errand_done" }, conflicts: [] } : { conflicts: [] };
}
