/**
 * A branch into another.
 *
 * M1  The merge commit is made in a folder of its own, on a detached HEAD: no branch and no person's checkout is touched
 *     until it is published, and what is published is the very commit that was checked.
 * M2  Publishing moves the branch from where the preparation found it, or not at all.
 * M3  Where the branch is checked out, the checkout follows by a fast-forward, in which git overwrites no edit; where it
 *     would have to, nothing is moved. (A person who switches branches between our look and git's lock, some
 *     milliseconds, would have the other branch moved forward if it can be; the answer then says `moved`.)
 * M4  Merging runs no hooks: what they would check belongs to `verify`.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type {
  BroughtIn,
  Folder,
  MergeOrder,
  MergeTurn,
  PreparedMerge,
  PublishedMerge,
  Repo,
  Worktree,
} from "../../base/ports.ts";
import { type GitCall, git, gitFailed, gitLine } from "./git.ts";
import { checkBranch, placesOf } from "./places.ts";
import { NO_HOOKS } from "./push.ts";
import {
  branchHeldBy,
  type Checkout,
  checkoutsOf,
  commitOf,
  gitFolder,
  identityOptions,
  isAncestor,
  remoteOf,
  unfinishedIn,
} from "./refs.ts";
import { clearStaleLocks } from "./stale.ts";
import { lockName, type Workplace } from "./workplace.ts";

const LOCK_LIMIT = 300_000;

export async function takeTurn(
  place: Workplace,
  repo: Repo,
  into: string,
  owner: string,
): Promise<MergeTurn> {
  const lock = await place.tryLock(lockName("merge", repo, checkBranch(into)), owner);
  if (typeof lock === "string") return { kind: "taken", owner: lock };
  return { kind: "mine", release: async () => lock.release() };
}

export async function prepareMerge(place: Workplace, order: MergeOrder): Promise<PreparedMerge> {
  const places = placesOf(place.projectRoot, order.repo);
  const call = place.call(places.checkout);
  const branch = await commitOf(call, `refs/heads/${checkBranch(order.branch)}`);
  if (branch === null) return { kind: "missing", branch: order.branch };
  const onto = await targetOf(call, checkBranch(order.into));
  if (onto === null) return { kind: "missing", branch: order.into };
  if (await isAncestor(call, branch, onto)) return { kind: "merged-already", commit: onto };

  const folder = places.merge(order.into);
  await openMergeFolder(place, order, call, folder, onto);
  const aside = place.call(folder);
  const options = [...NO_HOOKS, ...(await identityOptions(aside))];
  const args = ["merge", "--no-ff", "--no-edit", "--quiet", "-m", order.message, branch];
  const answer = await git({ ...aside, accept: [1] }, [...options, ...args]);
  if (answer.code === 0)
    return { kind: "prepared", folder, commit: await gitLine(aside, ["rev-parse", "HEAD"]), onto };
  const files = await conflictsIn(aside);
  await git(aside, ["reset", "--hard", "--quiet", onto]);
  if (files.length === 0) throw gitFailed(args, folder, answer.errors.trim() || answer.output.trim());
  return { kind: "conflicts", files };
}

/** The target's commit; a target that only the remote has is made a local branch. */
async function targetOf(call: GitCall, into: string): Promise<string | null> {
  const local = await commitOf(call, `refs/heads/${into}`);
  if (local !== null) return local;
  const remote = await remoteOf(call, into);
  const commit = remote ? await commitOf(call, `refs/remotes/${remote}/${into}`) : null;
  if (commit !== null) await git(call, ["branch", "--no-track", "--", into, commit]);
  return commit;
}

/** Pawl's own folder, in which nobody works: brought to the target's commit whatever an earlier merge left in it. */
async function openMergeFolder(
  place: Workplace,
  order: MergeOrder,
  call: GitCall,
  folder: Folder,
  onto: string,
): Promise<void> {
  const lock = await place.locks.acquire(
    lockName("git", order.repo),
    `merging into ${order.into}`,
    LOCK_LIMIT,
  );
  try {
    const there = (await checkoutsOf(call)).some((one) => one.folder === folder);
    if (!there || !existsSync(folder)) {
      mkdirSync(dirname(folder), { recursive: true });
      const force = there ? ["--force"] : [];
      await git(call, ["worktree", "add", "--quiet", "--no-checkout", ...force, "--detach", folder, onto]);
    }
  } finally {
    lock.release();
  }
  const aside = place.call(folder);
  clearStaleLocks(await gitFolder(aside));
  await git(aside, ["reset", "--hard", "--quiet"]);
  await git(aside, [...NO_HOOKS, "checkout", "--quiet", "--force", "--detach", onto]);
  await git(aside, ["clean", "-ffdq"]);
}

async function conflictsIn(call: GitCall): Promise<readonly string[]> {
  const { output } = await git(call, ["diff", "--name-only", "--diff-filter=U", "-z"]);
  return [...new Set(output.split("\0").filter((path) => path !== ""))];
}

export async function publishMerge(
  place: Workplace,
  order: MergeOrder,
  merge: { readonly commit: string; readonly onto: string },
): Promise<PublishedMerge> {
  const call = place.call(placesOf(place.projectRoot, order.repo).checkout);
  const ref = `refs/heads/${checkBranch(order.into)}`;
  const now = await commitOf(call, ref);
  if (now !== null && (now === merge.commit || (await isAncestor(call, merge.commit, now))))
    return { kind: "published", commit: merge.commit };
  if (now !== merge.onto) return { kind: "moved" };

  const holders = await holdersOf(place, call, order.into);
  const busy = holders.find((one) => one.why !== null);
  if (busy) return { kind: "in-the-way", reason: `${busy.folder}: ${busy.why}`, files: [] };
  const holder = holders[0];
  if (holder) return followIn(place.call(holder.folder), ref, merge);
  const args = ["update-ref", "-m", `pawl: merge ${order.branch}`, ref, merge.commit, merge.onto];
  const answer = await git({ ...call, accept: [1, 128] }, args);
  if (answer.code === 0) return { kind: "published", commit: merge.commit };
  if ((await commitOf(call, ref)) !== merge.onto) return { kind: "moved" };
  throw gitFailed(args, call.folder, answer.errors);
}

/** Checkouts that have the branch, or that will come back to it; `why` says what keeps it from being moved. */
async function holdersOf(
  place: Workplace,
  call: GitCall,
  into: string,
): Promise<readonly (Checkout & { readonly why: string | null })[]> {
  const holders: (Checkout & { why: string | null })[] = [];
  for (const checkout of await checkoutsOf(call)) {
    if (checkout.bare || !existsSync(checkout.folder)) continue;
    const own = await gitFolder(place.call(checkout.folder));
    const operation = unfinishedIn(own);
    if (checkout.branch !== into && branchHeldBy(own) !== into) continue;
    holders.push({ ...checkout, why: operation === null ? null : `a ${operation} is unfinished there` });
  }
  return holders;
}

async function followIn(
  call: GitCall,
  ref: string,
  merge: { readonly commit: string; readonly onto: string },
): Promise<PublishedMerge> {
  const args = ["merge", "--ff-only", "--quiet", merge.commit];
  const answer = await git({ ...call, accept: [1, 2, 128] }, [...NO_HOOKS, ...args]);
  const now = await commitOf(call, ref);
  if (now === merge.commit) return { kind: "published", commit: merge.commit };
  if (now !== merge.onto || answer.code === 0) return { kind: "moved" };
  if (!/would be overwritten|would lose untracked|unmerged files|not uptodate/i.test(answer.errors))
    throw gitFailed(args, call.folder, answer.errors);
  const files = answer.errors.split("\n").flatMap((line) => (line.startsWith("\t") ? [line.trim()] : []));
  const reason = `${call.folder} has edits that the merge would overwrite`;
  return { kind: "in-the-way", reason, files };
}

export async function bringIn(place: Workplace, worktree: Worktree, into: string): Promise<BroughtIn> {
  const call = place.call(worktree.folder);
  const earlier = await conflictsIn(call);
  if (earlier.length > 0) return { kind: "conflicts", files: earlier };
  const target = await targetOf(call, checkBranch(into));
  if (target === null || (await isAncestor(call, target, "HEAD"))) return { kind: "unchanged" };
  const options = [...NO_HOOKS, ...(await identityOptions(call))];
  const args = ["merge", "--no-edit", "--quiet", "-m", `Merge ${into} into ${worktree.branch}`, target];
  const answer = await git({ ...call, accept: [1] }, [...options, ...args]);
  if (answer.code === 0) return { kind: "clean" };
  const files = await conflictsIn(call);
  if (files.length === 0)
    throw gitFailed(args, worktree.folder, answer.errors.trim() || answer.output.trim());
  return { kind: "conflicts", files };
}
