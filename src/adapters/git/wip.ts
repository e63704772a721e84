/**
 * The work on a task as the remote has it while nobody else needs to see it: `refs/pawl/wip/<task>`. Its commit has the files as
 * they are in the worktree, committed or not, and these parents: the branch's commit, then what was saved before.
 *
 * S1  What is saved is noted here, in a ref of the same name, before it is pushed. If the remote's is in that one's history,
 *     this machine's worktree is the newest; otherwise a worker elsewhere went on with the task.
 * S2  The worktree then follows, and nothing is lost: a folder with edits, or with commits that nobody else has, is set aside.
 * S3  Whatever is cut short is found unfinished by the next look, and done again.
 */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneLine } from "../../core/blanks.ts";
import { PawlError } from "../../core/error.ts";
import type {
  EnsuredWorktree,
  EnsureOrder,
  Folder,
  HeldLease,
  Repo,
  Saved,
  Worktree,
} from "../../core/ports/worktrees.ts";
import { ensureWorktree } from "./ensure.ts";
import { type Fence, type FencedPushed, ownRef, pushFenced, raise } from "./fence.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git, gitFailed, gitLine } from "./git.ts";
import { hookOptions, NO_HOOKS, reasonOf } from "./push.ts";
import { commitOf, gitFolder, identityOptions, isAncestor, remoteOf, unfinishedIn } from "./refs.ts";
import { countMissing, statusOf, tipsOf } from "./state.ts";
import { isWhole, setAside } from "./whole.ts";
import type { Workplace } from "./workplace.ts";
import { checkBranch, checkRepository, type WorktreePaths, worktreePathsOf } from "./worktree-paths.ts";

/** A task's lease, and what this machine did under it, by repository. */
export interface Held {
  readonly place: Workplace;
  readonly fence: Fence;
  readonly lease: HeldLease;
  /** The remote knows the lease, and the worktree here is the newest. */
  readonly taken: Set<Repo>;
  /** What the remote has. */
  readonly saved: Map<Repo, string>;
}

const LOOK_LIMIT = 60_000;
const SAVE_LIMIT = 600_000;
const HURRIED_LIMIT = 20_000;

/** Throws `lease-lost` where that is why nothing was pushed. */
export function checkHeld<T extends FencedPushed>(pushed: T): Exclude<T, { readonly kind: "overtaken" }> {
  if (pushed.kind !== "overtaken") return pushed as Exclude<T, { readonly kind: "overtaken" }>;
  throw new PawlError(
    "lease-lost",
    `Nothing was pushed: ${pushed.by || "another worker"} has taken over ${pushed.lease.what}.`,
    "Let this worker end. What it did so far is in its worktree, and the other goes on from what was pushed last.",
  );
}

/** The remote through which the task goes; null: there is none, and none is asked for. Throws `fence-refused`. */
export async function sharedRemote(fence: Fence, call: GitCall, branch: string): Promise<string | null> {
  const remote = await remoteOf(call, branch);
  if (remote !== null || fence.kind === "none") return remote;
  throw new PawlError(
    "fence-refused",
    `${call.folder} has no remote: expected one, through which other machines get the work.`,
    `Run \`git -C ${call.folder} remote add origin ADDRESS\`, or, if this machine alone works on the tasks, set \`git: {fence: none}\` in pawl.yaml.`,
  );
}

// ── Saving ───────────────────────────────────────────────────────────────────────────────────────────────────────

export async function saveWork(
  held: Held,
  worktree: Worktree,
  { hurried, stop }: { readonly hurried: boolean; readonly stop?: AbortSignal },
): Promise<Saved> {
  const { fence, lease, place } = held;
  const call = place.call(worktreePathsOf(place.projectRoot, worktree.repo).checkout);
  const work = await workIn(place, call, worktree);
  const { commit } = work;
  const remote = await sharedRemote(fence, call, worktree.branch);
  if (remote === null) return { kind: "unchanged", commit };
  const known = savedRef(lease);
  const before = await commitOf(call, known);
  const isNew = before === null || !(await holds(call, before, work));
  const saved = isNew ? await commitWork(call, lease, work, before) : before;
  if (held.saved.get(worktree.repo) === saved) return { kind: "unchanged", commit };
  if (isNew) await git(call, ["update-ref", known, saved, before ?? ""]);
  const pushed = checkHeld(
    await pushFenced(fence, call, {
      remote,
      leases: [lease],
      updates: [{ ref: workRef(fence, lease), commit: saved }],
      hooks: await hooksForWork(call),
      limit: hurried ? HURRIED_LIMIT : SAVE_LIMIT,
      stop: hurried ? undefined : stop,
    }),
  );
  if (pushed.kind !== "pushed") return pushed;
  held.saved.set(worktree.repo, saved);
  return { kind: "saved", commit };
}

interface Work {
  /** The branch's commit. */
  readonly commit: string;
  /** The files as they are. */
  readonly tree: string;
  /** Commits elsewhere than below that one. */
  readonly others: readonly string[];
}

async function workIn(place: Workplace, call: GitCall, { branch, folder }: Worktree): Promise<Work> {
  const isThere = isWhole(folder, call.folder);
  const inside = isThere ? place.call(folder) : call;
  const tips = isThere ? await tipsOf(inside, branch) : [await commitOf(call, `refs/heads/${branch}`)];
  const commit = (isThere ? await commitOf(inside, "HEAD") : tips[0]) ?? null;
  if (commit === null) throw gitFailed(["rev-parse"], folder, `no commit on ${branch}`);
  const others: string[] = [];
  for (const tip of tips)
    if (tip !== null && tip !== commit && !(await isAncestor(call, tip, commit))) others.push(tip);
  // What an unfinished merge or rebase has made so far is worth nothing without it.
  const isPlain = !isThere || unfinishedIn(await gitFolder(inside)) !== null;
  const isClean = isPlain || (await statusOf(inside)).uncommitted.length === 0;
  const tree = isClean ? await gitLine(call, ["rev-parse", `${commit}^{tree}`]) : await treeOf(inside);
  return { commit, tree, others };
}

/** The tree of the folder's files, ignored ones not. Its index stays as it is. */
async function treeOf(inside: GitCall): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "pawl-work-"));
  try {
    const index = join(scratch, "index");
    const own = join(await gitFolder(inside), "index");
    if (existsSync(own)) copyFileSync(own, index);
    const aside = { ...inside, index };
    await git({ ...aside, accept: [1] }, ["-c", "advice.addEmbeddedRepo=false", "add", "--all", "--", "."]);
    return await gitLine(aside, ["write-tree"]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function holds(call: GitCall, saved: string, { commit, others, tree }: Work): Promise<boolean> {
  const found = await gitLine(call, ["rev-parse", `${saved}^1`, `${saved}^{tree}`]);
  if (found !== `${commit}\n${tree}`) return false;
  for (const other of others) if (!(await isAncestor(call, other, saved))) return false;
  return true;
}

async function commitWork(
  call: GitCall,
  { epoch, holder, what }: HeldLease,
  { commit, others, tree }: Work,
  before: string | null,
): Promise<string> {
  const parents = [commit, ...(before === null ? [] : [before]), ...others];
  const options = await identityOptions(call);
  const input = `pawl: work on ${what}\n\nepoch: ${epoch}\nholder: ${oneLine(holder)}\n`;
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return gitLine({ ...call, input }, [...options, ...args]);
}

/** A person's hooks are for what they push. But one of git-lfs sends large files, without which nobody could take over. */
async function hooksForWork(call: GitCall): Promise<readonly string[]> {
  const filters = (await call.filters?.()) ?? [];
  return filters.includes("lfs") ? hookOptions(call) : NO_HOOKS;
}

function workRef({ kind }: Fence, { what }: HeldLease): string {
  return ownRef(kind, `wip/${what}`);
}

/** What this machine saved last, whether or not the remote has it. */
function savedRef({ what }: HeldLease): string {
  return ownRef("refs", `wip/${what}`);
}

// ── Taking over ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The worktree of a task that may have been worked on elsewhere: first the remote is told who has it now. */
export async function takeUp(held: Held, order: EnsureOrder): Promise<EnsuredWorktree> {
  const { fence, lease, place, taken } = held;
  if (taken.has(order.repo)) return ensureWorktree(place, order);
  const branch = checkBranch(order.branch);
  const paths = worktreePathsOf(place.projectRoot, order.repo);
  const call = place.call(paths.checkout);
  await checkRepository(place.projectRoot, order.repo, call);
  const remote = await sharedRemote(fence, call, branch);
  if (remote === null) return ensureWorktree(place, order);
  const told = checkHeld(await raise(fence, call, { remote, leases: [lease], stop: order.stop }));
  if (told.kind === "unreachable") throw unreachable(call, remote, told.reason);
  const there = await fetchWork(held, call, remote, order);
  const made = await ensureWorktree(place, order);
  const brought = there === null ? null : await bringUp(held, { paths, call, order, made, there });
  taken.add(order.repo);
  return brought ?? made;
}

function unreachable({ folder }: GitCall, remote: string, reason: string): PawlError {
  return new PawlError(
    "git-failed",
    `The remote ${remote} of ${folder} cannot be reached: ${reason}`,
    "It is tried again. Check the network and the credentials of this machine.",
  );
}

/** Fetches what was saved, and the branches that the work begins from. Returns the saved commit; null: there is none. */
async function fetchWork(
  { fence, lease }: Held,
  call: GitCall,
  remote: string,
  { base, branch, stop }: EnsureOrder,
): Promise<string | null> {
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128], limit: LOOK_LIMIT, stop };
  const work = workRef(fence, lease);
  const seen = ownRef("refs", `seen/wip/${lease.what}`);
  const wanted = new Map([
    [work, seen],
    ...[branch, base].flatMap((name) =>
      name === undefined ? [] : [[`refs/heads/${name}`, `refs/remotes/${remote}/${name}`] as const],
    ),
  ]);
  const listed = await git(there, ["ls-remote", remote, ...wanted.keys()]);
  if (listed.code !== 0) throw unreachable(call, remote, reasonOf(listed.errors));
  const found = listed.output
    .split("\n")
    .flatMap((line) => (wanted.has(line.split("\t")[1] ?? "") ? [line.split("\t")[1] as string] : []));
  if (found.length > 0) {
    const specs = found.map((ref) => `+${ref}:${wanted.get(ref)}`);
    const fetched = await fetch({ ...there, limit: SAVE_LIMIT }, ["--no-tags", remote, ...specs]);
    if (fetched.code !== 0) throw unreachable(call, remote, reasonOf(fetched.errors));
  }
  return found.includes(work) ? commitOf(call, seen) : null;
}

interface Taking {
  readonly paths: WorktreePaths;
  readonly call: GitCall;
  readonly order: EnsureOrder;
  readonly made: EnsuredWorktree;
  /** What the remote has. */
  readonly there: string;
}

/** Brings the worktree to what was saved; null: it is the newest already. */
async function bringUp({ lease, place }: Held, taking: Taking): Promise<EnsuredWorktree | null> {
  const { call, made, order, paths, there } = taking;
  const own = await commitOf(call, savedRef(lease));
  const isNewer = own !== null && (await isAncestor(call, there, own));
  if (isNewer && made.from === "kept") return null;
  const newest = isNewer ? own : there;
  const worth = made.from === "kept" && (await hasMore(place, made, newest));
  await keepTips(
    call,
    lease,
    worth
      ? await tipsOf(place.call(made.folder), made.branch)
      : [await commitOf(call, `refs/heads/${made.branch}`)],
    newest,
  );
  const aside = worth ? setAside(made.folder, (n) => paths.lost(made.branch, n)) : null;
  if (aside !== null) await ensureWorktree(place, order);
  await putBack(place.call(made.folder), made.branch, newest);
  await git(call, ["update-ref", savedRef(lease), newest]);
  return { ...made, from: "elsewhere", ...(aside === null ? {} : { aside: aside as Folder }) };
}

/** Whether the folder has work that was never saved. */
async function hasMore(place: Workplace, { branch, folder }: Worktree, saved: string): Promise<boolean> {
  const inside = place.call(folder);
  if (unfinishedIn(await gitFolder(inside)) !== null) return true;
  if ((await statusOf(inside)).uncommitted.length > 0) return true;
  return (await countMissing(inside, await tipsOf(inside, branch), [saved])) > 0;
}

/** Keeps commits that only this machine has: the branch is about to leave them. */
async function keepTips(
  call: GitCall,
  { what }: HeldLease,
  tips: readonly (string | null)[],
  saved: string,
): Promise<void> {
  for (const tip of tips)
    if (tip !== null && !(await isAncestor(call, tip, saved)))
      await git(call, ["update-ref", ownRef("refs", `aside/${what}/${tip.slice(0, 12)}`), tip]);
}

/** The branch's commit, with what was not committed on top. */
async function putBack(inside: GitCall, branch: string, saved: string): Promise<void> {
  await git(inside, [...NO_HOOKS, "checkout", "--quiet", "--force", "-B", branch, `${saved}^1`]);
  const [files, committed] = (await gitLine(inside, ["rev-parse", `${saved}^{tree}`, "HEAD^{tree}"])).split(
    "\n",
  );
  if (files === committed) return;
  await git(inside, ["read-tree", "-u", "--reset", saved]);
  await git(inside, ["reset", "--quiet"]);
}

// ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Removes what was saved: the task is done. What cannot be removed does no harm. */
export async function forgetWork({ fence, lease, place }: Held, repo: Repo, branch: string): Promise<void> {
  const call = place.call(worktreePathsOf(place.projectRoot, repo).checkout);
  const remote = await sharedRemote(fence, call, branch);
  if (remote === null) return;
  const ref = workRef(fence, lease);
  const order = { remote, leases: [lease], hooks: NO_HOOKS, limit: LOOK_LIMIT };
  const pushed = checkHeld(await pushFenced(fence, call, { ...order, updates: [{ ref, commit: null }] }));
  if (pushed.kind !== "pushed") return;
  for (const own of [savedRef(lease), ownRef("refs", `seen/wip/${lease.what}`)])
    await git(call, ["update-ref", "-d", own]);
}
