/**
 * Unfinished work on a task, saved on the remote: `refs/pawl/wip/<task>`. Its commit has the worktree's
 * files, committed or not, and these parents: the branch's commit, then the previously saved one.
 *
 * S1  A local ref of the same name notes the saved commit before it is pushed. If that commit's history
 *     contains the remote's, this machine's worktree is the newest; otherwise a worker elsewhere continued
 *     the task.
 * S2  The worktree then follows, and nothing is lost: a folder with edits, or with commits that exist only
 *     here, is set aside.
 * S3  The next call finds whatever was interrupted, and does it again.
 */

import { PawlError } from "../../../core/error.ts";
import type {
  AgentFolder,
  EnsuredWorktree,
  EnsureOrder,
  HeldLease,
  Repo,
  Saved,
  Worktree,
} from "../../../core/ports/worktrees.ts";
import { oneLine } from "../../../core/text/lines.ts";
import { beside, topOf } from "../../process/work-folder.ts";
import { type Fence, type FencedPushed, ownRef, pushFenced, raise } from "../fence.ts";
import { fetch } from "../fetch.ts";
import { type GitCall, git, gitError, gitLine } from "../git.ts";
import { followCommits, give, openHub } from "../hub.ts";
import { hookOptions, NO_HOOKS } from "../push.ts";
import { countMissing, isAncestor } from "../reader.ts";
import { reasonOf } from "../reason.ts";
import { commitOf, identityOptions, remoteOf } from "../refs.ts";
import { holdings } from "../state.ts";
import { ensureWorktree } from "./ensure.ts";
import { bringObjects, refusedWorkError } from "./hand-in.ts";
import { inside } from "./inside.ts";
import { isWhole, setAside } from "./whole.ts";
import type { Workplace } from "./workplace.ts";
import {
  checkBranch,
  checkoutOf,
  checkRepository,
  type WorktreePaths,
  worktreePathsOf,
} from "./worktree-paths.ts";

/** A task's lease, and what this machine did under it, by repository. */
export interface Held {
  readonly workplace: Workplace;
  readonly fence: Fence;
  readonly lease: HeldLease;
  /** Repositories whose remote knows the lease, and whose worktree here is the newest. */
  readonly taken: Set<Repo>;
  /** The saved commit on the remote. */
  readonly saved: Map<Repo, string>;
}

const READ_LIMIT = 60_000;
const SAVE_LIMIT = 600_000;
const HURRIED_LIMIT = 20_000;

/** Throws `lease-lost` if the push failed because another worker holds the lease. */
export function checkHeld<T extends FencedPushed>(pushed: T): Exclude<T, { readonly kind: "overtaken" }> {
  if (pushed.kind !== "overtaken") return pushed as Exclude<T, { readonly kind: "overtaken" }>;
  throw new PawlError(
    "lease-lost",
    `Nothing was pushed: ${pushed.by || "another worker"} has taken over ${pushed.lease.what}.`,
    "Let this worker end. Its work so far is in its workspace; the other worker continues from the last push.",
  );
}

/**
 * The remote that shares the task's work; null: there is none, and none is needed. Throws `fence-refused`.
 */
async function sharedRemote(fence: Fence, call: GitCall, branch: string): Promise<string | null> {
  const remote = await remoteOf(call, branch);
  if (remote !== null || fence.kind === "none") return remote;
  throw new PawlError(
    "fence-refused",
    `${call.folder} has no remote: expected one, because other machines get the work through it.`,
    `Run \`git -C ${call.folder} remote add origin ADDRESS\`, or, if this machine alone works on the tasks, set \`git: {fence: none}\` in pawl.yaml.`,
  );
}

// ── Saving ───────────────────────────────────────────────────────────────────────────────────────────────────────

export async function saveWork(
  held: Held,
  worktree: Worktree,
  { hurried, stop }: { readonly hurried: boolean; readonly stop?: AbortSignal },
): Promise<Saved> {
  const { fence, lease, workplace } = held;
  const call = workplace.call(checkoutOf(workplace.projectRoot, worktree.repo));
  const hub = await openHub(workplace, worktree.repo);
  const work = await workIn(workplace, hub, worktree);
  const { commit } = work;
  const remote = await sharedRemote(fence, call, worktree.branch);
  if (remote === null) return { kind: "unchanged", commit };
  const savedCommit = savedRef(lease);
  const before = await commitOf(hub, savedCommit);
  const isNew = before === null || !(await isSaved(hub, before, work));
  const saved = isNew ? await commitWork(hub, await identityOptions(call), lease, work, before) : before;
  if (held.saved.get(worktree.repo) === saved) return { kind: "unchanged", commit };
  if (isNew) await git(hub, ["update-ref", savedCommit, saved, before ?? ""]);
  await give(hub, call, [saved]);
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
  /** The worktree's files. */
  readonly tree: string;
  /** Commits with work that the branch's commit does not contain. */
  readonly others: readonly string[];
}

async function workIn(workplace: Workplace, hub: GitCall, worktree: Worktree): Promise<Work> {
  const { branch, folder } = worktree;
  if (!isWhole(topOf(folder)))
    return treeOf(hub, folder, branch, await commitOf(hub, `refs/heads/${branch}`));
  const { head: commit, tips, uncommitted, unfinished } = await holdings(workplace, worktree);
  // The half-done files of a merge or rebase are useless without its state, so save the commit's files.
  const isPlain = unfinished !== null || uncommitted.length === 0;
  const work = await treeOf(hub, folder, branch, commit);
  const others: string[] = [];
  for (const tip of tips)
    if (tip !== work.commit && !(await isAncestor(hub, tip, work.commit))) others.push(tip);
  return {
    ...work,
    others,
    ...(isPlain ? {} : { tree: await filesOf(workplace, hub, worktree, work.commit) }),
  };
}

async function treeOf(
  hub: GitCall,
  { agentPath }: AgentFolder,
  branch: string,
  commit: string | null,
): Promise<Work> {
  if (commit === null) throw gitError(["rev-parse"], agentPath, `no commit on ${branch}`);
  return { commit, others: [], tree: await gitLine(hub, ["rev-parse", `${commit}^{tree}`]) };
}

const FILES = `
export GIT_DIR="$1" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$1/saved"
cp "$1/index" "$1/saved"
git -c advice.addEmbeddedRepo=false add --all -- . || [ $? = 1 ] || exit
tree=$(git write-tree) && git -c user.name=Pawl -c user.email=pawl@localhost commit-tree -p "$2" -m files "$tree"
`;

/**
 * The tree of the workspace's files without ignored ones, in the hub. Leaves the workspace's index unchanged.
 */
async function filesOf(
  workplace: Workplace,
  hub: GitCall,
  { branch, folder, repo }: Worktree,
  head: string,
): Promise<string> {
  const scratch = beside(folder, "look");
  const from = workplace.call(checkoutOf(workplace.projectRoot, repo));
  const order = {
    folder,
    from,
    script: FILES,
    args: [scratch, head],
    writes: [scratch],
    readOnly: true,
  } as const;
  const commit = (await inside(workplace, { ...order, limit: SAVE_LIMIT })).output.trim();
  const refused = await bringObjects(workplace, hub, folder, [commit], [head], { through: scratch });
  if (refused !== null) throw refusedWorkError(folder, branch, refused);
  return gitLine(hub, ["rev-parse", `${commit}^{tree}`]);
}

async function isSaved(call: GitCall, saved: string, { commit, others, tree }: Work): Promise<boolean> {
  const hashes = await gitLine(call, ["rev-parse", `${saved}^1`, `${saved}^{tree}`]);
  if (hashes !== `${commit}\n${tree}`) return false;
  for (const other of others) if (!(await isAncestor(call, other, saved))) return false;
  return true;
}

async function commitWork(
  call: GitCall,
  options: readonly string[],
  { epoch, holder, what }: HeldLease,
  { commit, others, tree }: Work,
  before: string | null,
): Promise<string> {
  const parents = [commit, ...(before === null ? [] : [before]), ...others];
  const input = `pawl: work on ${what}\n\nepoch: ${epoch}\nholder: ${oneLine(holder)}\n`;
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return gitLine({ ...call, input }, [...options, ...args]);
}

/**
 * A person's hooks are for their own pushes. The exception is git-lfs's, which sends the large files that a
 * successor needs.
 */
async function hooksForWork(call: GitCall): Promise<readonly string[]> {
  const filters = (await call.filters?.()) ?? [];
  return filters.includes("lfs") ? hookOptions(call) : NO_HOOKS;
}

function workRef({ kind }: Fence, { what }: HeldLease): string {
  return ownRef(kind, `wip/${what}`);
}

/** The ref of what this machine saved last, whether or not the remote has it. */
function savedRef({ what }: HeldLease): string {
  return ownRef("refs", `wip/${what}`);
}

// ── Taking over ──────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Prepares the worktree of a task on which other machines may have worked. First publishes the new holder on
 * the remote.
 */
export async function takeUp(held: Held, order: EnsureOrder): Promise<EnsuredWorktree> {
  const { fence, lease, workplace, taken } = held;
  if (taken.has(order.repo)) return ensureWorktree(workplace, order);
  const branch = checkBranch(order.branch);
  const paths = worktreePathsOf(workplace, order.repo);
  const call = workplace.call(paths.checkout);
  await checkRepository(workplace.projectRoot, order.repo, call);
  const remote = await sharedRemote(fence, call, branch);
  if (remote === null) return ensureWorktree(workplace, order);
  const raised = checkHeld(await raise(fence, call, { remote, leases: [lease], stop: order.stop }));
  if (raised.kind === "unreachable") throw unreachableRemoteError(call, remote, raised.reason);
  const there = await fetchWork(held, call, remote, order);
  const made = await ensureWorktree(workplace, order);
  const hub = await openHub(workplace, order.repo);
  if (there !== null) await followCommits(hub, call, [there]);
  const brought = there === null ? null : await bringUp(held, { paths, call: hub, order, made, there });
  taken.add(order.repo);
  return brought ?? made;
}

function unreachableRemoteError({ folder }: GitCall, remote: string, reason: string): PawlError {
  return new PawlError(
    "git-failed",
    `The remote ${remote} of ${folder} cannot be reached: ${reason}`,
    "It is tried again. Check the network and the credentials of this machine.",
  );
}

/**
 * Fetches the saved work, and the branches that the work begins from. Returns the saved commit; null: there
 * is none.
 */
async function fetchWork(
  { fence, lease }: Held,
  call: GitCall,
  remote: string,
  { base, branch, stop }: EnsureOrder,
): Promise<string | null> {
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128], limit: READ_LIMIT, stop };
  const work = workRef(fence, lease);
  const wanted = new Map<string, string | null>([
    // Needs no ref here: it is passed on to the hub.
    [work, null],
    ...[branch, base].flatMap((name) =>
      name === undefined ? [] : [[`refs/heads/${name}`, `refs/remotes/${remote}/${name}`] as const],
    ),
  ]);
  const listed = await git(there, ["ls-remote", remote, ...wanted.keys()]);
  if (listed.code !== 0) throw unreachableRemoteError(call, remote, reasonOf(listed.errors));
  const commits = new Map(
    listed.output.split("\n").flatMap((line) => {
      const [commit = "", ref = ""] = line.split("\t");
      return wanted.has(ref) ? [[ref, commit] as const] : [];
    }),
  );
  if (commits.size > 0) {
    const specs = [...commits.keys()].map((ref) =>
      wanted.get(ref) === null ? ref : `+${ref}:${wanted.get(ref)}`,
    );
    const options = ["--no-tags", "--no-write-fetch-head"];
    const fetched = await fetch({ ...there, limit: SAVE_LIMIT }, [...options, remote, ...specs]);
    if (fetched.code !== 0) throw unreachableRemoteError(call, remote, reasonOf(fetched.errors));
  }
  return commits.get(work) ?? null;
}

interface Taking {
  readonly paths: WorktreePaths;
  readonly call: GitCall;
  readonly order: EnsureOrder;
  readonly made: EnsuredWorktree;
  /** The saved commit on the remote. */
  readonly there: string;
}

/** Updates the workspace to the saved work; null: it is the newest already. */
async function bringUp({ lease, workplace }: Held, taking: Taking): Promise<EnsuredWorktree | null> {
  const { call: hub, made, order, paths, there } = taking;
  const savedHere = await commitOf(hub, savedRef(lease));
  const isNewer = savedHere !== null && (await isAncestor(hub, there, savedHere));
  if (isNewer && made.from === "kept") return null;
  const newest = isNewer ? savedHere : there;
  const { tips, isWorth } = await moreIn(workplace, hub, made, newest);
  await keepTips(hub, lease, tips, newest);
  const top = topOf(made.folder);
  const aside = isWorth ? setAside(top, (n) => paths.lost(made.branch, n)) : null;
  if (aside !== null) await ensureWorktree(workplace, order);
  await putBack(workplace, hub, made, newest);
  await git(hub, ["update-ref", savedRef(lease), newest]);
  return { ...made, from: "elsewhere", ...(aside === null ? {} : { aside }) };
}

/** The workspace's commits, and whether it has unsaved work. */
async function moreIn(
  workplace: Workplace,
  hub: GitCall,
  made: EnsuredWorktree,
  saved: string,
): Promise<{ readonly tips: readonly string[]; readonly isWorth: boolean }> {
  const { tips, uncommitted, unfinished } = await holdings(workplace, made);
  const isDirty = unfinished !== null || uncommitted.length > 0;
  return { tips, isWorth: made.from === "kept" && (isDirty || (await countMissing(hub, tips, [saved])) > 0) };
}

/** Keeps commits that exist only here: the branch is about to leave them. */
async function keepTips(
  call: GitCall,
  { what }: HeldLease,
  tips: readonly string[],
  saved: string,
): Promise<void> {
  for (const tip of tips)
    if (!(await isAncestor(call, tip, saved)))
      await git(call, ["update-ref", ownRef("refs", `aside/${what}/${tip.slice(0, 12)}`), tip]);
}

const PUT_BACK = `
git checkout --quiet --force -B "$1" "$2^1" || exit
[ "$(git rev-parse "$2^{tree}")" = "$(git rev-parse 'HEAD^{tree}')" ] && exit
git read-tree -u --reset "$2" && git reset --quiet
`;

/** Restores the branch's commit, with the uncommitted files on top. */
async function putBack(
  workplace: Workplace,
  hub: GitCall,
  { branch, folder, repo }: Worktree,
  saved: string,
): Promise<void> {
  const from = workplace.call(checkoutOf(workplace.projectRoot, repo));
  await inside(workplace, { folder, from, script: PUT_BACK, args: [branch, saved], limit: SAVE_LIMIT });
  await git(hub, ["update-ref", `refs/heads/${branch}`, `${saved}^1`]);
}

// ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Removes the saved work of a finished task. A failure does no harm. */
export async function forgetWork(
  { fence, lease, workplace }: Held,
  repo: Repo,
  branch: string,
): Promise<void> {
  const call = workplace.call(checkoutOf(workplace.projectRoot, repo));
  const remote = await sharedRemote(fence, call, branch);
  if (remote === null) return;
  const ref = workRef(fence, lease);
  const order = { remote, leases: [lease], hooks: NO_HOOKS, limit: READ_LIMIT };
  const pushed = checkHeld(await pushFenced(fence, call, { ...order, updates: [{ ref, commit: null }] }));
  if (pushed.kind !== "pushed") return;
  await git(await openHub(workplace, repo), ["update-ref", "-d", savedRef(lease)]);
}
