import type { LoopWork } from "../../../base/loop-record.ts";
import type { Worktree, WorktreeState } from "../../../base/ports.ts";
import { type Came, placeOf, type Site } from "../site.ts";
import { branchOf } from "../task.ts";

const SHOWN_PATHS = 50;

/** Looks whether everything that the agent did is on the task's branch. */
export async function ensureCommitted(site: Site): Promise<Came> {
  const { task } = site.known;
  const { worktree, lost } = await placeOf(site);
  if (worktree === null) return { event: "committed" };
  if (lost !== null)
    return { event: "uncommitted", reason: LOST, patch: { message: lostIn(lost), lost: null } };
  const state = await site.ports.worktrees.state(worktree);
  const fault = faultOf(state, branchOf(task));
  if (fault === null)
    return {
      event: "committed",
      ...(state.head === null ? {} : { patch: { work: workAt(site, worktree, state.head) } }),
      happened: [{ type: "git:committed", taskId: task.id, commit: state.head }],
    };
  return {
    event: "uncommitted",
    reason: fault.short,
    patch: { message: fault.long },
    happened: [{ type: "git:uncommitted", taskId: task.id, paths: state.uncommitted }],
  };
}

const LOST = "its worktree had lost its `.git`, and its files were set aside";

function lostIn(folder: string): string {
  return `Your folder had lost its \`.git\`, so that nothing could be committed there. It was made anew from your branch; what was in it is in\n\n    ${folder}\n\nCopy what belongs to the task from there, and commit it.`;
}

function workAt(site: Site, { repo, branch }: Worktree, commit: string): LoopWork {
  return { repo, branch, commit, merged: null, time: site.now().toISOString() };
}

function faultOf(
  state: WorktreeState,
  branch: string,
): { readonly short: string; readonly long: string } | null {
  if (state.unfinished !== null) {
    const long = `A ${state.unfinished} was begun in your folder and is not ended. End it: resolve what is open and commit.`;
    return { short: `a ${state.unfinished} is not ended in its worktree`, long };
  }
  if (state.branch !== branch) {
    const on = state.branch === null ? "no branch" : `the branch \`${state.branch}\``;
    const long = `Your folder is on ${on}, but the work belongs on \`${branch}\`. Bring your commits there and switch back to it.`;
    return { short: `its worktree is on ${on} instead of ${branch}`, long };
  }
  const count = state.uncommitted.length;
  if (count === 0) return null;
  const shown = state.uncommitted.slice(0, SHOWN_PATHS).map((path) => `- ${path}`);
  const more = count - shown.length;
  const long = ["These are not committed:", "", ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join(
    "\n",
  );
  return { short: `${count === 1 ? "1 file is" : `${count} files are`} not committed`, long };
}
