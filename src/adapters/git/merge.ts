/**
 * Merges one branch into another.
 *
 * M1  The merge commit is made in a fresh workspace, in which no task's code has run, and comes in like an
 *     agent's commits. No branch and no checkout of a person changes before it is published, and exactly the
 *     commit that was checked is published.
 * M2  Publishing moves the branch only if it is where the preparation found it.
 * M3  If the branch is checked out, the checkout follows by a fast-forward, in which git overwrites no edit and no
 *     ignored file (`.env`, tasks.yaml); if git would have to, nothing moves. (If a person switches branches in the milliseconds between Pawl's
 *     check and git's lock, git moves the other branch forward if possible; the answer then says `moved`.)
 * M4  Merging runs no hooks: their checks belong in `verify`.
 * M5  If branches go to a remote, the merge goes into the remote's target: fetched before the merge, pushed
 *     before the local branch moves. If others pushed meanwhile, the push fails, and the merge is prepared
 *     again.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { PawlError } from "../../core/error.ts";
import type {
  AgentFolder,
  BroughtIn,
  Delivery,
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
import { fetchMoved } from "./fetch.ts";
import { type GitCall, git, gitError, gitLine } from "./git.ts";
import { follow, give, openHub, tipOf } from "./hub.ts";
import { NO_HOOKS, offerBranch, pushCommit, type Send } from "./push.ts";
import { isAncestor } from "./reader.ts";
import {
  branchHeldBy,
  branchRefs,
  type Checkout,
  checkoutsOf,
  commitOf,
  gitFolder,
  missingIdentity,
  unfinishedIn,
  upstreamOf,
} from "./refs.ts";
import { signed } from "./sign.ts";
import { insideOf, makeWorkspace } from "./workspace/ensure.ts";
import { handIn, refusedWorkError } from "./workspace/hand-in.ts";
import { inside } from "./workspace/inside.ts";
import { plantedIn } from "./workspace/planted.ts";
import { bringSubmodules } from "./workspace/submodules.ts";
import { lockName, type Workplace } from "./workspace/workplace.ts";
import { checkBranch, type WorktreePaths, worktreePathsOf } from "./workspace/worktree-paths.ts";

const MERGE_LIMIT = 600_000;

export async function takeTurn(
  workplace: Workplace,
  repo: Repo,
  into: string,
  owner: string,
): Promise<MergeTurn> {
  const lock = await workplace.tryLock(lockName("merge", repo, checkBranch(into)), owner);
  if (typeof lock === "string") return { kind: "taken", owner: lock };
  return { kind: "mine", release: async () => lock.release() };
}

export async function prepareMerge(workplace: Workplace, order: MergeOrder): Promise<PreparedMerge> {
  const paths = worktreePathsOf(workplace, order.repo);
  const call = workplace.call(paths.checkout);
  const hub = await openHub(workplace, order.repo);
  const branch = await tipOf(hub, call, checkBranch(order.branch));
  if (branch === null) return { kind: "missing", branch: order.branch };
  const target = await findTarget(call, order);
  if ("kind" in target) return target;
  const { local, far, remote } = target;
  if (order.onto === undefined) await follow(hub, call, branchRefs(order.into, remote?.name));
  const tip = far === null || (await isAncestor(hub, far, local)) ? local : far;
  const isDiverged = tip !== local && !(await isAncestor(hub, local, tip));
  const isSame = far === local || remote === undefined;
  const { how = "merge" } = order;
  if (isSame) {
    const earlier = await earlierIn(hub, order, local);
    // A squashed or rebased branch has other commits in the target.
    const isThere = (how !== "merge" && earlier !== null) || (await isAncestor(hub, branch, local));
    if (isThere) return { kind: "merged-already", commit: local, earlier };
  }

  const planted = await plantedIn(hub, tip, branch);
  if (planted.reason !== null) return { kind: "refused", reason: planted.reason };
  if (planted.governing !== null) {
    await offerBranch(workplace, order.repo, order.branch);
    const merging = `git merge ${order.branch}`;
    const reason = `${planted.governing}; a person may merge that: \`${merging}\` on ${order.into}`;
    return { kind: "refused", reason };
  }
  const lacking = planted.hasLinks ? await bringSubmodules(hub, call, tip, branch, order.stop) : null;
  if (lacking !== null) return { kind: "refused", reason: lacking };
  const making: Making = { workplace, order, hub, from: call, top: paths.merge(order.into, order.slot) };
  let base = isDiverged ? local : tip;
  await makeWorkspace(workplace, { ...making, branch: null, commit: base });
  if (isDiverged) {
    const name = `${remote?.name}/${order.into}`;
    const made = await mergeAside(making, "merge", base, tip, `Merge ${name} into ${order.into}`);
    if ("files" in made) return { kind: "diverged", remote: remote?.name ?? "", files: made.files };
    base = made.commit;
  }
  const made = await mergeAside(making, how, base, branch, order.message);
  if ("files" in made) return { kind: "conflicts", files: made.files };
  const { commit } = made;
  const earlier = commit === base ? await earlierIn(hub, order, base) : null;
  const folder = insideOf(paths.checkout, making.top);
  return { kind: "prepared", folder, commit, base, onto: local, earlier, ...(remote ? { remote } : {}) };
}

/** Makes the folder of a prepared merge again, so that nothing a check left there stays. */
export async function renewMerge(workplace: Workplace, order: MergeOrder, merge: ReadyMerge): Promise<void> {
  const paths = worktreePathsOf(workplace, order.repo);
  const hub = await openHub(workplace, order.repo);
  const top = paths.merge(order.into, order.slot);
  await makeWorkspace(workplace, {
    ...{ hub, top, branch: null, commit: merge.commit },
    from: workplace.call(paths.checkout),
  });
}

interface Making {
  readonly workplace: Workplace;
  readonly order: MergeOrder;
  readonly hub: GitCall;
  /** The person's repository. */
  readonly from: GitCall;
  readonly top: AgentFolder;
}

const CONFLICTS = `files=$(git diff --name-only --diff-filter=U | head -c 1)
[ -n "$files" ] || { git merge-base HEAD "$1" >/dev/null || exit 4; exit 3; }
git diff --name-only --diff-filter=U -z
exit 1
`;
const SQUASH = `if git merge --squash --quiet "$1" >&2; then
  git diff --cached --quiet || git commit --quiet --no-verify -m "$2" >&2 || exit 3
  cat .git/HEAD; exit
fi
${CONFLICTS}`;

/** Brings the commit `$1` onto HEAD. Exit code 1: prints the files that conflict; 3: git failed. */
const SCRIPTS: Readonly<Record<Delivery, string>> = {
  merge: `
git merge --no-ff --no-edit --quiet -m "$2" "$1" >&2 && { cat .git/HEAD; exit; }
${CONFLICTS}`,
  squash: `
${SQUASH}`,
  // A merge in the branch may hold the resolution of a conflict. Then a squashed commit replaces the rebase.
  rebase: `
base=$(git rev-parse HEAD)
git checkout --quiet --detach "$1" && git rebase --quiet "$base" >&2 && { git rev-parse HEAD; exit; }
git rebase --abort >&2
git checkout --quiet --force --detach "$base" || exit 3
${SQUASH}`,
};

/**
 * Brings a commit onto HEAD in the merge folder, unless HEAD has it. Returns the new commit, which is then in
 * the hub, or the files that conflict.
 */
async function mergeAside(
  making: Making,
  how: Delivery,
  base: string,
  commit: string,
  message: string,
): Promise<{ readonly commit: string } | { readonly files: readonly string[] }> {
  const { from, hub, order, workplace, top } = making;
  if (await isAncestor(hub, commit, base)) return { commit: base };
  const environment = await committer(from);
  const answer = await inside(workplace, {
    ...{ folder: top, from, environment },
    script: SCRIPTS[how],
    args: [commit, await written(hub, message, base, commit)],
    accept: [1, 4],
    limit: MERGE_LIMIT,
    stop: order.stop,
  });
  if (answer.code === 1) return { files: pathsIn(answer.output) };
  if (answer.code === 4)
    throw new PawlError(
      "git-failed",
      `${order.branch} and ${order.into} have no commit in common: its agent rewrote the first one.`,
      `Make its commits again on top of ${order.into}, or begin the task anew.`,
    );
  const made = answer.output.trim();
  const ref = `refs/pawl/merge/${order.into}/${order.slot ?? 0}`;
  const tips = [{ ref, commit: made, before: await commitOf(hub, ref) }];
  const refused = await handIn(workplace, hub, top, tips, [base, commit], true);
  if (refused !== null) throw refusedWorkError(top, order.branch, refused);
  const commits = how === "merge" ? [made] : await commitsBetween(hub, base, made);
  return { commit: await signed({ from, hub }, commits, base) };
}

/** In order, the oldest first. */
async function commitsBetween(hub: GitCall, base: string, commit: string): Promise<readonly string[]> {
  return (await gitLine(hub, ["rev-list", "--reverse", commit, "--not", base])).split("\n").filter(Boolean);
}

const MAX_WORDS = 20_000;

/** The message; its placeholders get the messages of the branch's commits. */
async function written(hub: GitCall, message: string, base: string, commit: string): Promise<string> {
  if (!/\{(?:commits|type)\}/.test(message)) return message;
  const range = ["--reverse", "--no-merges", commit, "--not", base, "--"];
  const bodies = await gitLine(hub, ["log", "--format=%B", ...range]);
  const words = bodies
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .slice(0, MAX_WORDS);
  return message.replaceAll("{type}", typeIn(bodies)).replaceAll("{commits}", () => words);
}

/** The first type that the messages of Conventional Commits name. */
export function typeIn(messages: string): string {
  return /^([a-z]+)(?:\([^)\n]*\))?!?: /m.exec(messages)?.[1] ?? "chore";
}

/** Variables that make Pawl the committer if neither the repository nor its user names one. */
async function committer(from: GitCall): Promise<Readonly<Record<string, string>>> {
  if ((await missingIdentity(from)) === null) return {};
  const [name, email] = ["Pawl", "pawl@localhost"];
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

function pathsIn(text: string): readonly string[] {
  return [...new Set(text.split("\0").filter((path) => path !== ""))];
}

interface Target {
  readonly local: string;
  /** The remote branch's commit. Null: there is no remote to merge for, or no such branch. */
  readonly far: string | null;
  readonly remote?: NonNullable<ReadyMerge["remote"]>;
}

async function findTarget(
  call: GitCall,
  { into, remote: counts, onto, stop }: MergeOrder,
): Promise<Target | Extract<PreparedMerge, { kind: "missing" | "unreachable" }>> {
  const name = counts ? await upstreamOf(call, checkBranch(into)) : null;
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

/** Fetches the remote's branch, or drops its local copy if it is gone. Returns why that failed, or null. */
export async function fetchBranch(
  call: GitCall,
  remote: string,
  branch: string,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const lacking = await fetchMoved({ ...call, stop }, remote, [branch]);
  if (typeof lacking === "string") return lacking;
  if (lacking.length > 0) await git(call, ["update-ref", "-d", `refs/remotes/${remote}/${branch}`]);
  return null;
}

/** The merge that was prepared earlier, if the target contains it. */
async function earlierIn(hub: GitCall, { earlier }: MergeOrder, target: string): Promise<string | null> {
  const published = earlier === undefined ? null : await commitOf(hub, earlier);
  return published !== null && (await isAncestor(hub, published, target)) ? published : null;
}

/** The target's commit. If only the remote has the target, it becomes a local branch. */
async function targetOf(call: GitCall, into: string): Promise<string | null> {
  const local = await commitOf(call, `refs/heads/${into}`);
  if (local !== null) return local;
  const remote = await upstreamOf(call, into);
  const commit = remote ? await commitOf(call, `refs/remotes/${remote}/${into}`) : null;
  if (commit !== null) await git(call, ["branch", "--no-track", "--", into, commit]);
  return commit;
}

export type Overtaken = Extract<PublishedMerge, { readonly kind: "overtaken" }>;

export async function publishMerge(
  workplace: Workplace,
  order: MergeOrder,
  merge: ReadyMerge,
  send: Send<Overtaken> = pushCommit,
): Promise<PublishedMerge> {
  const call = workplace.call(worktreePathsOf(workplace, order.repo).checkout);
  await give(await openHub(workplace, order.repo), call, [merge.commit]);
  if (merge.remote === undefined) return publishHere(workplace, call, order, merge);
  const sent = await publishThere(call, order, { ...merge, remote: merge.remote }, send);
  if (sent !== null) return sent;
  // The remote has the merge, so the task is done even if this checkout cannot follow.
  const here = await publishHere(workplace, call, order, merge).catch((thrown: unknown) => {
    if (!(thrown instanceof PawlError)) throw thrown;
    return { kind: "in-the-way", reason: thrown.message, files: [] } as const;
  });
  if (here.kind !== "in-the-way") return here;
  const { reason, files } = here;
  return { kind: "published", commit: merge.commit, behind: { reason, files } };
}

/** Null: the remote has the merge. */
async function publishThere(
  call: GitCall,
  { into, stop }: MergeOrder,
  { commit, remote }: Required<ReadyMerge>,
  send: Send<Overtaken>,
): Promise<PublishedMerge | null> {
  if (remote.at === commit) return null;
  const pushed = await send(call, { remote: remote.name, commit, ref: `refs/heads/${into}`, stop });
  if (pushed.kind === "pushed" || pushed.kind === "unchanged") return null;
  if (pushed.kind === "overtaken") return pushed;
  if (pushed.kind === "unreachable") return { kind: "unreachable", reason: pushed.reason };
  // Git's messages differ by version and remote. The branch's position shows why it was rejected.
  const fetched = await fetchBranch(call, remote.name, into, stop);
  if (fetched !== null) return { kind: "unreachable", reason: fetched };
  const now = await commitOf(call, `refs/remotes/${remote.name}/${into}`);
  return now === remote.at ? { kind: "rejected", reason: pushed.reason } : { kind: "moved" };
}

async function publishHere(
  workplace: Workplace,
  call: GitCall,
  order: MergeOrder,
  merge: ReadyMerge,
): Promise<Exclude<PublishedMerge, { readonly kind: "overtaken" | "rejected" | "unreachable" }>> {
  const ref = `refs/heads/${checkBranch(order.into)}`;
  const now = await commitOf(call, ref);
  if (now !== null && (now === merge.commit || (await isAncestor(call, merge.commit, now))))
    return { kind: "published", commit: merge.commit };
  if (now !== merge.onto) return { kind: "moved" };

  // Written before the branch moves, so that the watch of the checkout can explain the move.
  notePublished(worktreePathsOf(workplace, order.repo), merge.commit);
  const holders = await holdersOf(workplace, call, order.into);
  const busy = holders.find((one) => one.why !== null);
  if (busy) return { kind: "in-the-way", reason: `${busy.folder}: ${busy.why}`, files: [] };
  const holder = holders[0];
  if (holder) return followIn(workplace.call(holder.folder), ref, merge);
  const args = ["update-ref", "-m", `pawl: merge ${order.branch}`, ref, merge.commit, merge.onto];
  const answer = await git({ ...call, accept: [1, 128] }, args);
  if (answer.code === 0) return { kind: "published", commit: merge.commit };
  if ((await commitOf(call, ref)) !== merge.onto) return { kind: "moved" };
  throw gitError(args, call.folder, answer.errors);
}

/** Records the commit, so that a moved branch can be explained. Only the latest are kept. */
function notePublished({ base, published }: WorktreePaths, commit: string): void {
  mkdirSync(base, { recursive: true });
  const earlier = linesOf(published).slice(-PUBLISHED_KEPT);
  if (!earlier.includes(commit)) writeWhole(published, `${[...earlier, commit].join("\n")}\n`);
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

/**
 * Checkouts that have the branch or will return to it. `why`: the reason that the branch cannot move there.
 */
async function holdersOf(
  workplace: Workplace,
  call: GitCall,
  into: string,
): Promise<readonly (Checkout & { readonly why: string | null })[]> {
  const holders: (Checkout & { why: string | null })[] = [];
  for (const checkout of await checkoutsOf(call)) {
    if (checkout.bare || !existsSync(checkout.folder)) continue;
    const gitDir = await gitFolder(workplace.call(checkout.folder));
    const operation = unfinishedIn(gitDir);
    if (checkout.branch !== into && branchHeldBy(gitDir) !== into) continue;
    holders.push({ ...checkout, why: operation === null ? null : `a ${operation} is unfinished there` });
  }
  return holders;
}

async function followIn(
  call: GitCall,
  ref: string,
  merge: ReadyMerge,
): Promise<Extract<PublishedMerge, { readonly kind: "published" | "moved" | "in-the-way" }>> {
  const args = ["merge", "--ff-only", "--no-overwrite-ignore", "--quiet", merge.commit];
  const answer = await git({ ...call, accept: [1, 2, 128] }, [...NO_HOOKS, ...args]);
  const now = await commitOf(call, ref);
  if (now === merge.commit) return { kind: "published", commit: merge.commit };
  if (now !== merge.onto || answer.code === 0) return { kind: "moved" };
  const lock = /Unable to create '(.*\.lock)'/.exec(answer.errors)?.[1];
  if (lock !== undefined)
    return {
      kind: "in-the-way",
      reason: `${lock} exists: another git works in ${call.folder}, or one that was killed left it behind (then remove it)`,
      files: [],
    };
  if (!/would be overwritten|would lose untracked|unmerged files|not uptodate/i.test(answer.errors))
    throw gitError(args, call.folder, answer.errors);
  const files = answer.errors.split("\n").flatMap((line) => (line.startsWith("\t") ? [line.trim()] : []));
  const reason = `${call.folder} has edits that the merge would overwrite`;
  return { kind: "in-the-way", reason, files };
}

const BRING_IN = `
conflicts() { git diff --name-only --diff-filter=U -z; }
[ -z "$(conflicts | tr '\\0' x)" ] || { conflicts; exit 1; }
message=$1; shift
for target do
  git merge-base --is-ancestor "$target" HEAD && continue
  echo merged >&2
  git merge --no-edit --quiet -m "$message" "$target" >&2 && continue
  [ -n "$(conflicts | tr '\\0' x)" ] || exit 3
  conflicts; exit 1
done
`;

export async function bringIn(
  workplace: Workplace,
  worktree: Worktree,
  { into, remote: counts }: MergeTarget,
): Promise<BroughtIn> {
  const from = workplace.call(worktreePathsOf(workplace, worktree.repo).checkout);
  const remote = counts ? await upstreamOf(from, checkBranch(into)) : null;
  await targetOf(from, checkBranch(into));
  const targets = await follow(await openHub(workplace, worktree.repo), from, branchRefs(into, remote));
  const answer = await inside(workplace, {
    ...{ folder: worktree.folder, from, script: BRING_IN, environment: await committer(from) },
    args: [`Merge ${into} into ${worktree.branch}`, ...new Set(targets.values())],
    accept: [1],
    limit: MERGE_LIMIT,
  });
  if (answer.code === 1) return { kind: "conflicts", files: pathsIn(answer.output) };
  return { kind: answer.errors.split("\n").includes("merged") ? "clean" : "unchanged" };
}
