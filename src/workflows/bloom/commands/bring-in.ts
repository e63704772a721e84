import type { Worktree } from "../../../core/ports/worktrees.ts";
import type { Came, Site } from "../site.ts";

/**
 * For the errands of a merge: the target is brought into the task's branch, where the agent resolves what conflicts.
 * Where nothing does any more, a conflict needs no agent.
 */
export async function bringInTarget(
  site: Site,
  worktree: Worktree | null,
): Promise<{ readonly came?: Came; readonly conflicts: readonly string[] }> {
  const { task, file, run } = site.known;
  const merges = run.errand === "resolve" || run.errand === "repair-merge";
  if (!merges || worktree === null || task.merge_into === undefined) return { conflicts: [] };
  const brought = await site.ports.worktrees.bringIn(worktree, {
    into: task.merge_into,
    remote: file.git.push_to_remote,
  });
  if (brought.kind === "conflicts") return { conflicts: brought.files };
  return run.errand === "resolve" ? { came: { event: "errand_done" }, conflicts: [] } : { conflicts: [] };
}
