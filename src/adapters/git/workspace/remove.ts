/** Removes a workspace if its work exists elsewhere. */
import { rm } from "node:fs/promises";
import type { Keep, Removed, Worktree } from "../../../core/ports/worktrees.ts";
import { isThere, kindIn, moveFolder } from "../../files/agent-folder.ts";
import { removeTree } from "../../files/remove-tree.ts";
import { beside, GIT_CONFIG, GIT_READS } from "../../process/work-folder.ts";
import { SET_UP } from "../../setup/setup.ts";
import { type GitCall, git } from "../git.ts";
import { follow, followAll, followCommits, openHub } from "../hub.ts";
import { moveRef } from "../hub-refs.ts";
import { NO_HOOKS } from "../push.ts";
import { countMissing, isAncestor } from "../reader.ts";
import { branchRefs, checkoutsOf, commitOf, newestRefs, remoteOf, upstreamOf } from "../refs.ts";
import { checkedOut, holdings, unmergedCommits } from "../state.ts";
import { inside } from "./inside.ts";
import { isWhole } from "./whole.ts";
import { lockName, type Workplace } from "./workplace.ts";
import { checkBranch, worktreePathsOf } from "./worktree-paths.ts";

const LOCK_LIMIT = 300_000;

export async function removeWorktree(
  workplace: Workplace,
  worktree: Pick<Worktree, "repo" | "branch">,
  keep: Keep,
): Promise<Removed> {
  const { repo } = worktree;
  const paths = worktreePathsOf(workplace, repo);
  const branch = checkBranch(worktree.branch);
  const folder = paths.worktree(branch);
  const hub = await openHub(workplace, repo);
  const removed = beside(folder, "gone");
  const there = isThere(folder);
  if (there && !isWhole(folder))
    return { kind: "kept", reason: "other", detail: `${folder.agentPath} has lost its .git` };
  const lock = await workplace.locks.acquire(
    lockName("worktree", repo, branch),
    `removing ${branch}`,
    LOCK_LIMIT,
  );
  try {
    const reason = there ? await whyKept(workplace, hub, { repo, branch, folder }, keep) : null;
    if (reason) return reason;
    // Rename first: a half-removed workspace would look like one that lost its `.git`.
    await removeTree(removed);
    if (there) moveFolder(folder, removed);
    const lost = keep.branch ? await dropBranch(workplace, hub, { repo, branch }, keep) : null;
    await removeTree(removed, beside(folder, "look"));
    for (const path of [
      paths.label(branch),
      paths.unfinished(branch),
      beside(folder, SET_UP),
      beside(folder, GIT_CONFIG),
      beside(folder, GIT_READS),
    ])
      await rm(path, { force: true });
    if (lost) return lost;
  } finally {
    lock.release();
  }
  return { kind: there ? "removed" : "gone-already" };
}

async function whyKept(
  workplace: Workplace,
  hub: GitCall,
  worktree: Worktree,
  keep: Keep,
): Promise<Removed | null> {
  const { tips, uncommitted, unfinished } = await holdings(workplace, worktree);
  if (unfinished) return { kind: "kept", reason: "unfinished", detail: `a ${unfinished} is unfinished` };
  if (uncommitted.length > 0)
    return { kind: "kept", reason: "uncommitted", detail: uncommitted.slice(0, 20).join(", ") };
  if (kindIn(worktree.folder, ".git/refs/stash") !== null)
    return { kind: "kept", reason: "uncommitted", detail: `a stash in ${worktree.folder.agentPath}` };
  return (
    (await whyUnmerged(workplace, hub, worktree, tips, keep)) ??
    (await whyAside(workplace, hub, worktree, [...tips, ...(keep.landed === undefined ? [] : [keep.landed])]))
  );
}

/**
 * Only a branch that was made or moved in the workspace has a log: the others are copies of the person's. A commit
 * that a rebase or an amend copied to the task's branch is not listed.
 */
const ASIDE = `
own=$1 tip=$2; shift 2
logs=.git/logs/refs/heads
[ ! -d "$logs" ] || find "$logs" -type f | sed "s|^$logs/||" | grep -vxF -e "$own" | while read -r branch; do
  commit=$(git rev-parse --verify --quiet "refs/heads/$branch^{commit}") || continue
  [ "$(git rev-list --count --ignore-missing "$commit" --not "$@" --remotes)" != 0 ] || continue
  count=$(git cherry "$tip" "$commit" | grep -c '^+')
  [ "$count" = 0 ] || printf '%s commit(s) on %s\\n' "$count" "$branch"
done | head -n 5
`;

/** Finds commits that exist only on other branches of the workspace. */
async function whyAside(
  workplace: Workplace,
  hub: GitCall,
  { branch, folder, repo }: Worktree,
  known: readonly string[],
): Promise<Removed | null> {
  const from = workplace.call(worktreePathsOf(workplace, repo).checkout);
  const theirs = await newestRefs(from, ["refs/heads", "refs/remotes"]);
  await followAll(hub, from, theirs);
  const args = [branch, known[0] ?? "HEAD", ...new Set([...known, ...theirs.values()])];
  const { output } = await inside(workplace, { folder, from, script: ASIDE, args, readOnly: true });
  const lines = output.split("\n").filter(Boolean);
  if (lines.length === 0) return null;
  const detail = `${lines.join(", ")} in ${folder.agentPath} are nowhere else`;
  return { kind: "kept", reason: "unmerged", detail };
}

async function whyUnmerged(
  workplace: Workplace,
  hub: GitCall,
  { branch, repo }: Pick<Worktree, "repo" | "branch">,
  tips: readonly string[],
  { into, landed }: Keep,
): Promise<Removed | null> {
  const from = workplace.call(worktreePathsOf(workplace, repo).checkout);
  if (landed !== undefined && (await isIn(hub, from, tips, landed))) return null;
  const remote = await remoteOf(from, branch);
  const where = into ?? `the remote's ${branch}`;
  const far = `refs/remotes/${remote}/${branch}`;
  const pushed = remote && into === undefined ? ((await follow(hub, from, [far])).get(far) ?? null) : null;
  const missing =
    into !== undefined
      ? await unmergedCommits(workplace, hub, repo, tips, into)
      : pushed && (await countMissing(hub, tips, [pushed]));
  if (missing === 0) return null;
  const detail = missing === null ? `${where} does not exist` : `${missing} commit(s) are not in ${where}`;
  return { kind: "kept", reason: "unmerged", detail };
}

/**
 * Whether the target contains the commit. If others added to the branch on the forge, this repository lacks
 * the merged one.
 */
async function isIn(hub: GitCall, from: GitCall, tips: readonly string[], commit: string): Promise<boolean> {
  const present = await commitOf(from, commit);
  if (present === null)
    return (await commitOf(hub, commit)) !== null && (await countMissing(hub, tips, [commit])) === 0;
  await followCommits(hub, from, [present]);
  return (await countMissing(hub, tips, [present])) === 0;
}

/**
 * Removes the branch from the hub, and from the person's repository, only if its commit is still the one that
 * was checked.
 */
async function dropBranch(
  workplace: Workplace,
  hub: GitCall,
  worktree: Pick<Worktree, "repo" | "branch">,
  keep: Keep,
): Promise<Removed | null> {
  const ref = `refs/heads/${worktree.branch}`;
  const commit = await commitOf(hub, ref);
  if (commit === null) return null;
  const unmerged = await whyUnmerged(workplace, hub, worktree, [commit], keep);
  if (unmerged) return unmerged;
  const from = workplace.call(worktreePathsOf(workplace, worktree.repo).checkout);
  if ((await commitOf(from, ref)) === commit) await dropIn(from, worktree.branch, commit);
  await dropThere(from, worktree.branch, commit, keep.into);
  await moveRef(hub, ref, null, commit);
  const other = checkedOut(worktree.branch);
  if ((await commitOf(hub, other)) !== null) await moveRef(hub, other, null);
  return null;
}

const PUSH_LIMIT = 60_000;

/**
 * Removes the remote's branch if it still is where it was pushed and some remote has all of the target. A
 * failure does no harm.
 */
async function dropThere(
  from: GitCall,
  branch: string,
  commit: string,
  into: string | undefined,
): Promise<void> {
  const remote = await remoteOf(from, branch);
  if (remote === null || (await commitOf(from, `refs/remotes/${remote}/${branch}`)) !== commit) return;
  if (into !== undefined && !(await isShared(from, commit, into))) return;
  const there = { remote: { name: remote, push: true }, accept: [1, 124, 128], limit: PUSH_LIMIT } as const;
  const lease = `--force-with-lease=refs/heads/${branch}:${commit}`;
  await git({ ...from, ...there }, [...NO_HOOKS, "push", "--quiet", lease, remote, `:refs/heads/${branch}`]);
}

/** Whether a remote's target contains the commit, or all of the local target. */
async function isShared(from: GitCall, commit: string, into: string): Promise<boolean> {
  const upstream = await upstreamOf(from, into);
  if (upstream === null) return false;
  const [here = "", there = ""] = branchRefs(into, upstream);
  const [local, far] = [await commitOf(from, here), await commitOf(from, there)];
  if (far === null) return false;
  return (await isAncestor(from, commit, far)) || (local !== null && (await isAncestor(from, local, far)));
}

/** Keeps a branch that is checked out. */
async function dropIn(from: GitCall, branch: string, commit: string): Promise<void> {
  if ((await checkoutsOf(from)).some((one) => one.branch === branch)) return;
  await git({ ...from, accept: [1, 128] }, ["update-ref", "-d", `refs/heads/${branch}`, commit]);
}
