import type { Worktrees } from "../../src/core/ports/worktrees.ts";

/** Worktrees as the loop uses them: it looks at one, and so takes its commits in, before its work goes anywhere. */
export function looking<W extends Worktrees>(own: W): W {
  const looked = async (branch: string) => {
    for (const each of await own.list()) if (each.branch === branch) await own.state(each);
  };
  return {
    ...own,
    push: async (repo, branch, stop) => {
      await looked(branch);
      return own.push(repo, branch, stop);
    },
    prepareMerge: async (order) => {
      await looked(order.branch);
      return own.prepareMerge(order);
    },
    reached: async (order) => {
      await looked(order.branch);
      return own.reached(order);
    },
    under: (lease) => looking(own.under(lease)),
  };
}
