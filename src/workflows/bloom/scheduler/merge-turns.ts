/** Who may merge into a branch: on this machine by its lock, among machines by a lease, too. */
import type { LeaseManager } from "../../../core/ports/leases.ts";
import type { Repo, Worktrees } from "../../../core/ports/worktrees.ts";

export function openMergeTurns(
  worktrees: Pick<Worktrees, "takeTurn">,
  leaseManager: LeaseManager,
  worker: string,
): Pick<Worktrees, "takeTurn"> {
  if (leaseManager.isShared !== true) return worktrees;
  return {
    async takeTurn(repo, into, owner) {
      const here = await worktrees.takeTurn(repo, into, owner);
      if (here.kind === "taken") return here;
      try {
        const lease = await leaseManager.take(targetName(repo, into), worker);
        if (lease?.epoch === undefined) {
          await here.release();
          return { kind: "taken", owner: "another machine" };
        }
        const { epoch, what } = lease;
        const release = async () => {
          await lease.release().finally(() => here.release());
        };
        return { kind: "mine", lease: { what, epoch, holder: worker }, release };
      } catch (error) {
        await here.release();
        throw error;
      }
    },
  };
}

function targetName(repo: Repo, into: string): string {
  return `@into:${repo}:${into}`;
}
