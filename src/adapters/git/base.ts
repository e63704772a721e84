/** What a branch builds on, and a commit of its target checked out apart from all work. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Base, BaseOrder, CheckedOut, Repo } from "../../core/ports/worktrees.ts";
import { git, gitLine } from "./git.ts";
import { fetchBranch } from "./merge.ts";
import { NO_HOOKS } from "./push.ts";
import { commitOf, isAncestor, remoteOf } from "./refs.ts";
import { lockName, type Workplace } from "./workplace.ts";
import { checkBranch, worktreePathsOf } from "./worktree-paths.ts";

export async function baseOf(place: Workplace, order: BaseOrder): Promise<Base | null> {
  const call = place.call(worktreePathsOf(place.projectRoot, order.repo).checkout);
  const { branch, into, remote: counts, stop } = order;
  const name = counts ? await remoteOf(call, checkBranch(into)) : null;
  if (name !== null) await fetchBranch(call, name, into, stop);
  const own = await commitOf(call, `refs/heads/${checkBranch(branch)}`);
  const local = await commitOf(call, `refs/heads/${checkBranch(into)}`);
  const far = name === null ? null : await commitOf(call, `refs/remotes/${name}/${into}`);
  const isBehind = far !== null && (local === null || !(await isAncestor(call, far, local)));
  const target = isBehind ? far : local;
  if (own === null || target === null) return null;
  const { code, output } = await git({ ...call, accept: [1] }, ["merge-base", own, target]);
  return code === 0 ? { base: output.trim(), target } : null;
}

export async function treeOf(place: Workplace, repo: Repo, commit: string): Promise<string> {
  const call = place.call(worktreePathsOf(place.projectRoot, repo).checkout);
  return gitLine(call, ["rev-parse", "--verify", `${commit}^{tree}`]);
}

const LOCK_LIMIT = 300_000;

export async function checkOut(place: Workplace, repo: Repo, commit: string): Promise<CheckedOut> {
  const paths = worktreePathsOf(place.projectRoot, repo);
  const call = place.call(paths.checkout);
  const folder = paths.apart;
  const remove = async () => {
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    await git(call, ["worktree", "prune"]);
  };
  const lock = await place.locks.acquire(lockName("git", repo), `checking out ${commit}`, LOCK_LIMIT);
  try {
    await remove();
    mkdirSync(dirname(folder), { recursive: true });
    const add = ["worktree", "add", "--quiet", "--no-checkout", "--force", "--detach", folder, commit];
    await git(call, add);
  } finally {
    lock.release();
  }
  await git(place.call(folder), [...NO_HOOKS, "checkout", "--quiet", "--force", "--detach", commit]);
  return { folder, release: remove };
}
