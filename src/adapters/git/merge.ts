/**
 * Merges one branch into another.
 *
 * M1  The merge commit is made in a separate folder, on a detached HEAD. No branch and no person's checkout changes
 *     before it is published, and exactly the commit that was checked is published.
 * M2  Publishing moves the branch only if it is where the preparation found it.
 * M3  If the branch is checked out, the checkout follows by a fast-forward, in which git overwrites no edit; if git
 *     would have to, nothing moves. (If a person switches branches in the milliseconds between Pawl's check and git's
 *     lock, git moves the other branch forward if possible; the answer then says `moved`.)
 * M4  Merging runs no hooks: their checks belong in `verify`.
 * M5  If branches go to a remote, the merge goes into the remote's target: fetched before the merge, pushed before the
 *     local branch moves. If others pushed meanwhile, the push fails, and the merge is prepared again.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type {
  BroughtIn,
  Folder,
  MergeOrder,
  MergeTarget,
  MergeTurn,
  PreparedMerge,
  PublishedMerge,
  ReadyMerge,
  Repo,
  Worktree,
} from "../../core/ports/worktrees.ts";
import { isAbsence } from "../files/disk.ts";
import { writeWhole } from "../files/write-whole.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git, gitFailed, gitLine } from "./git.ts";
import { plantedIn } from "./planted.ts";
import { NO_HOOKS, pushCommit, reasonOf, type Send } from "./push.ts";
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
import { checkBranch, type WorktreePaths, worktreePathsOf } from "./worktree-paths.ts";

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
  const paths = worktreePathsOf(place.projectRoot, order.repo);
  const call = place.call(paths.checkout);
  const branch = await commitOf(call, `refs/heads/${checkBranch(order.branch)}`);
  if (branch === null) return { kind: "missing", branch: order.branch };
  const target = await findTarget(call, order);
  if ("kind" in target) return target;
  const { local, far, remote } = target;
  const tip = far === null || (await isAncestor(call, far, local)) ? local : far;
  const isDiverged = tip !== local && !(await isAncestor(call, local, tip));
  const isSame = far === local || remote === undefined;
  if (isSame && (await isAncestor(call, branch, local)))
    return { kind: "merged-already", commit: local, earlier: await earlierIn(call, order, local) };

  const planted = await plantedIn(call, tip, branch);
  if (planted !== null) return { kind: "refused", reason: planted };
  const folder = paths.merge(order.into, order.slot);
  await openMergeFolder(place, order, call, folder, isDiverged ? local : tip);
  const aside = place.call(folder);
  if (isDiverged) {
    const name = `${remote?.name}/${order.into}`;
    const files = await mergeAside(aside, tip, `Merge ${name} into ${order.into}`);
    if (files.length > 0) return { kind: "diverged", remote: remote?.name ?? "", files };
  }
  const base = await headOf(aside);
  const files = await mergeAside(aside, branch, order.message);
  if (files.length > 0) return { kind: "conflicts", files };
  const commit = await headOf(aside);
  const earlier = commit === base ? await earlierIn(call, order, base) : null;
  return { kind: "prepared", folder, commit, base, onto: local, earlier, ...(remote ? { remote } : {}) };
}

async function headOf(call: GitCall): Promise<string> {
  return (await commitOf(call, "HEAD")) ?? gitLine(call, ["rev-parse", "HEAD"]);
}

/**
 * Merges a commit into what is checked out, unless it is already there. Returns the conflicting files; then nothing has
 * changed.
 */
async function mergeAside(aside: GitCall, commit: string, message: string): Promise<readonly string[]> {
  if (await isAncestor(aside, commit, "HEAD")) return [];
  const before = await headOf(aside);
  const options = [...NO_HOOKS, ...(await identityOptions(aside))];
  const args = ["merge", "--no-ff", "--no-edit", "--quiet", "-m", message, commit];
  const answer = await git({ ...aside, accept: [1] }, [...options, ...args]);
  if (answer.code === 0) return [];
  const files = await conflictsIn(aside);
  await git(aside, ["reset", "--hard", "--quiet", before]);
  if (files.length === 0) throw gitFailed(args, aside.folder, answer.errors.trim() || answer.output.trim());
  return files;
}

interface Target {
  readonly local: string;
  /** The remote branch's commit. Null: the remote does not count, or has no such branch. */
  readonly far: string | null;
  readonly remote?: NonNullable<ReadyMerge["remote"]>;
}

async function findTarget(
  call: GitCall,
  { into, remote: counts, onto, stop }: MergeOrder,
): Promise<Target | Extract<PreparedMerge, { kind: "missing" | "unreachable" }>> {
  const name = counts ? await remoteOf(call, checkBranch(into)) : null;
  if (onto !== undefined)
    return { local: onto, far: name && onto, ...(name && { remote: { name, at: onto } }) };
  if (name !== null) {
    const fetched = await fetchBranch(call, name, into, stop);
    if (fetched !== null) return { kind: "unreachable", reason: fetched };
  }
  const local = await targetOf(call, checkBranch(into));
  if (local === null) return { kind: "missing", branch: into };
  if (name === null) return { local, far: null };
  const far = await commitOf(call, `refs/remotes/${name}/${into}`);
  return { local, far, remote: { name, at: far } };
}

const FETCH_LIMIT = 60_000;

/** Fetches the remote's branch, or the fact that it is gone. Returns why that failed, or null. */
export async function fetchBranch(
  call: GitCall,
  remote: string,
  branch: string,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const there = { remote: { name: remote }, accept: [1, 2, 124, 128], limit: FETCH_LIMIT };
  const asked = { ...call, ...there, stop };
  const looked = await git(asked, ["ls-remote", "--exit-code", remote, ref]);
  const known = `refs/remotes/${remote}/${branch}`;
  if (looked.code === 2) {
    await git(call, ["update-ref", "-d", known]);
    return null;
  }
  if (looked.code !== 0) return reasonOf(looked.errors);
  if (looked.output.split("\t")[0] === (await commitOf(call, known))) return null;
  const answer = await fetch(asked, ["--no-tags", remote, `+${ref}:${known}`]);
  return answer.code === 0 ? null : reasonOf(answer.errors);
}

/** The merge that was prepared earlier, if the target has it. */
async function earlierIn(call: GitCall, { earlier }: MergeOrder, target: string): Promise<string | null> {
  const known = earlier === undefined ? null : await commitOf(call, earlier);
  return known !== null && (await isAncestor(call, known, target)) ? known : null;
}

/** The target's commit. A target that only the remote has becomes a local branch. */
async function targetOf(call: GitCall, into: string): Promise<string | null> {
  const local = await commitOf(call, `refs/heads/${into}`);
  if (local !== null) return local;
  const remote = await remoteOf(call, into);
  const commit = remote ? await commitOf(call, `refs/remotes/${remote}/${into}`) : null;
  if (commit !== null) await git(call, ["branch", "--no-track", "--", into, commit]);
  return commit;
}

/** Pawl's own folder, in which nobody works. Reset to the target's commit, whatever an earlier merge left in it. */
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
  await git(aside, [...NO_HOOKS, "checkout", "--quiet", "--force", "--detach", onto]);
  await git(aside, ["clean", "-ffdq"]);
}

async function conflictsIn(call: GitCall): Promise<readonly string[]> {
  const { output } = await git(call, ["diff", "--name-only", "--diff-filter=U", "-z"]);
  return [...new Set(output.split("\0").filter((path) => path !== ""))];
}

export type Overtaken = Extract<PublishedMerge, { readonly kind: "overtaken" }>;

export async function publishMerge(
  place: Workplace,
  order: MergeOrder,
  merge: ReadyMerge,
  send: Send<Overtaken> = pushCommit,
): Promise<PublishedMerge> {
  const call = place.call(worktreePathsOf(place.projectRoot, order.repo).checkout);
  if (merge.remote === undefined) return publishHere(place, call, order, merge);
  const sent = await publishThere(call, order, { ...merge, remote: merge.remote }, send);
  if (sent !== null) return sent;
  const here = await publishHere(place, call, order, merge);
  if (here.kind !== "in-the-way") return here;
  const { reason, files } = here;
  return { kind: "published", commit: merge.commit, behind: { reason, files } };
}

/** Null: the remote has the merge now. */
async function publishThere(
  call: GitCall,
  { into, stop }: MergeOrder,
  { commit, remote }: Required<ReadyMerge>,
  send: Send<Overtaken>,
): Promise<PublishedMerge | null> {
  if (remote.at === commit) return null;
  const pushed = await send(call, { remote: remote.name, commit, ref: `refs/heads/${into}`, stop });
  if (pushed.kind === "pushed") return null;
  if (pushed.kind === "overtaken") return pushed;
  if (pushed.kind === "unreachable") return { kind: "unreachable", reason: pushed.reason };
  // Git's words differ by version and remote. The branch's position shows why it was rejected.
  const fetched = await fetchBranch(call, remote.name, into, stop);
  if (fetched !== null) return { kind: "unreachable", reason: fetched };
  const now = await commitOf(call, `refs/remotes/${remote.name}/${into}`);
  return now === remote.at ? { kind: "rejected", reason: pushed.reason ?? "" } : { kind: "moved" };
}

async function publishHere(
  place: Workplace,
  call: GitCall,
  order: MergeOrder,
  merge: ReadyMerge,
): Promise<Exclude<PublishedMerge, { readonly kind: "overtaken" | "rejected" | "unreachable" }>> {
  const ref = `refs/heads/${checkBranch(order.into)}`;
  const now = await commitOf(call, ref);
  if (now !== null && (now === merge.commit || (await isAncestor(call, merge.commit, now))))
    return { kind: "published", commit: merge.commit };
  if (now !== merge.onto) return { kind: "moved" };

  // Before the branch moves, so that nobody sees an unexplained move.
  notePublished(worktreePathsOf(place.projectRoot, order.repo), merge.commit);
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

/** Kept to find out who moved a branch; only the last ones matter. */
function notePublished({ base, published }: WorktreePaths, commit: string): void {
  mkdirSync(base, { recursive: true });
  const known = linesOf(published).slice(-PUBLISHED_KEPT);
  if (!known.includes(commit)) writeWhole(published, `${[...known, commit].join("\n")}\n`);
}
const PUBLISHED_KEPT = 1000;

/** Whether a commit is a merge that Pawl published here. */
export function isPublished({ published }: WorktreePaths, commit: string): boolean {
  return linesOf(published).includes(commit);
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (thrown) {
    if (isAbsence(thrown)) return [];
    throw thrown;
  }
}

/** Checkouts that have the branch or will return to it. `why` says what keeps the branch from being moved. */
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
  merge: ReadyMerge,
): Promise<Extract<PublishedMerge, { readonly kind: "published" | "moved" | "in-the-way" }>> {
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

export async function bringIn(
  place: Workplace,
  worktree: Worktree,
  { into, remote: counts }: MergeTarget,
): Promise<BroughtIn> {
  const call = place.call(worktree.folder);
  const earlier = await conflictsIn(call);
  if (earlier.length > 0) return { kind: "conflicts", files: earlier };
  const remote = counts ? await remoteOf(call, checkBranch(into)) : null;
  const far = remote === null ? null : await commitOf(call, `refs/remotes/${remote}/${into}`);
  let brought = false;
  for (const target of [await targetOf(call, checkBranch(into)), far]) {
    if (target === null || (await isAncestor(call, target, "HEAD"))) continue;
    brought = true;
    const options = [...NO_HOOKS, ...(await identityOptions(call))];
    const args = ["merge", "--no-edit", "--quiet", "-m", `Merge ${into} into ${worktree.branch}`, target];
    const answer = await git({ ...call, accept: [1] }, [...options, ...args]);
    if (answer.code === 0) continue;
    const files = await conflictsIn(call);
    if (files.length === 0)
      throw gitFailed(args, worktree.folder, answer.errors.trim() || answer.output.trim());
    return { kind: "conflicts", files };
  }
  return { kind: brought ? "clean" : "unchanged" };
}
