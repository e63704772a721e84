/**
 * Pushes the worktree's content to the remote if other machines may take the task over. Runs before anything
 * that builds on it is recorded, so another machine can always fetch what the record mentions.
 */
import type { Worktree } from "../../../core/ports/worktrees.ts";
import type { ExecutionContext, StepResult } from "../execution-context.ts";

const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

/**
 * Retries an unreachable remote until the work must end, so that an agent's work is never lost. Null: saved.
 */
export async function save(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<(StepResult & { readonly event: "git_failed" | "git_refused" }) | null> {
  const { known, shared } = context;
  if (shared === null || worktree === null) return null;
  let warned = "";
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const hurried = context.stop.aborted;
    const saved = await shared.save(worktree, { hurried, stop: context.stop });
    if (!("reason" in saved)) return null;
    const reason = `the remote does not have its work: ${saved.reason}`;
    if (saved.kind === "rejected") return { event: "git_refused", reason };
    if (hurried) return { event: "git_failed", reason };
    const { branch } = worktree;
    if (warned !== saved.reason)
      context.show({ type: "git:save_failed", taskId: known.task.id, branch, reason: saved.reason });
    warned = saved.reason;
    await context.pause(pause);
  }
}
