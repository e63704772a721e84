/** Removes a worktree if its work is elsewhere. Without --force, git itself also refuses to remove a dirty one. */
import { existsSync, rmSync } from "node:fs";
import type { Keep, Removed, Worktree } from "../../core/ports/worktrees.ts";
import { type GitCall, git } from "./git.ts";
import { checkoutsOf, commitOf, gitFolder, remoteOf, unfinishedIn } from "./refs.ts";
import { countMissing, statusOf, tipsOf, unmergedCommits } from "./state.ts";
import { isWhole } from "./whole.ts";
import { lockName, type Workplace } from "./workplace.ts";
import { checkBranch, setupNote, worktreePathsOf } from "./worktree-paths.ts";

const LOCK_LIMIT = 300_000;

export async function removeWorktree(
  place: Workplace,
  worktree: Pick<Worktree, "repo" | "branch">,
  keep: Keep,
): Promise<Removed> {
  const paths = worktreePathsOf(place.projectRoot, worktree.repo);
  const call = place.call(paths.checkout);
  const branch = checkBranch(worktree.branch);
  const folder = paths.worktree(branch);
  const known = (await checkoutsOf(call)).some((one) => one.folder === folder);
  const there = known && existsSync(folder);
  if (there && !isWhole(folder, paths.checkout))
    return { kind: "kept", reason: "other", detail: `${folder} has lost its .git` };
  const reason = there ? await whyKept(place.call(folder), branch, keep) : null;
  if (reason) return reason;
  const lock = await place.locks.acquire(lockName("git", worktree.repo), `removing ${branch}`, LOCK_LIMIT);
  try {
    if (known) {
      const answer = await git({ ...call, accept: [128] }, ["worktree", "remove", folder]);
      if (answer.code !== 0)
        return { kind: "kept", reason: "other", detail: answer.errors.trim().slice(0, 500) };
    }
    if (keep.branch) {
      const lost = await dropBranch(call, branch, keep);
      if (lost) return lost;
    }
  } finally {
    lock.release();
  }
  for (const path of [paths.label(branch), paths.unfinished(branch), setupNote(folder)])
    rmSync(path, { force: true });
  return { kind: there ? "removed" : "gone-already" };
}

async function whyKept(call: GitCall, branch: string, keep: Keep): Promise<Removed | null> {
  const { uncommitted } = await statusOf(call);
  const unfinished = unfinishedIn(await gitFolder(call));
  if (unfinished) return { kind: "kept", reason: "unfinished", detail: `a ${unfinished} is unfinished` };
  if (uncommitted.length > 0)
    return { kind: "kept", reason: "uncommitted", detail: uncommitted.slice(0, 20).join(", ") };
  return whyUnmerged(call, await tipsOf(call, branch), branch, keep);
}

async function whyUnmerged(
  call: GitCall,
  tips: readonly string[],
  branch: string,
  { into, landed }: Keep,
): Promise<Removed | null> {
  if (landed !== undefined && (await isIn(call, tips, landed))) return null;
  const remote = await remoteOf(call, branch);
  const place = into ?? `the remote's ${branch}`;
  const pushed =
    remote && into === undefined ? await commitOf(call, `refs/remotes/${remote}/${branch}`) : null;
  const missing =
    into !== undefined
      ? await unmergedCommits(call, tips, into, remote)
      : pushed && (await countMissing(call, tips, [pushed]));
  if (missing === 0) return null;
  const detail = missing === null ? `${place} does not exist` : `${missing} commit(s) are not in ${place}`;
  return { kind: "kept", reason: "unmerged", detail };
}

/** Others may have added to the branch on the forge. Then the merged commit is not known here. */
async function isIn(call: GitCall, tips: readonly string[], commit: string): Promise<boolean> {
  const known = await commitOf(call, commit);
  return known !== null && (await countMissing(call, tips, [known])) === 0;
}

/** Only if its commit is still the one that was checked. */
async function dropBranch(call: GitCall, branch: string, keep: Keep): Promise<Removed | null> {
  const ref = `refs/heads/${branch}`;
  const commit = await commitOf(call, ref);
  if (commit === null) return null;
  const unmerged = await whyUnmerged(call, [commit], branch, keep);
  if (unmerged) return unmerged;
  await git(call, ["update-ref", "-d", ref, commit]);
  return null;
}
