/**
 * Fetches from a repository's remote, and fast-forwards branches if that loses nothing.
 *
 * F1  A branch moves only forward, to its upstream, and only from where it was read.
 * F2  A checkout with edits or an unfinished git operation stays unchanged, and so do worktrees of tasks.
 */
import { realpathSync } from "node:fs";
import type { Synced } from "../../core/ports/repositories.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { realOr } from "./discover.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { NO_HOOKS } from "./push.ts";
import { countMissing, isAncestor } from "./reader.ts";
import { reasonOf } from "./reason.ts";
import { branchHeldBy, checkoutsOf, currentBranch, gitFolder, remoteOf, unfinishedIn } from "./refs.ts";
import { lockName, type Workplace } from "./workspace/workplace.ts";
import { checkoutOf, checkRepository } from "./workspace/worktree-paths.ts";

const FETCH_LIMIT = 600_000;
const LOCK_LIMIT = 300_000;

type Fetched = Extract<Synced, { readonly kind: "fetched" }>;

export async function sync(workplace: Workplace, repo: Repo): Promise<Synced> {
  const call = workplace.call(checkoutOf(workplace.projectRoot, repo));
  await checkRepository(workplace.projectRoot, repo, call);
  const remote = await remoteOf(call, await currentBranch(call));
  if (remote === null) return { kind: "no-remote" };
  const before = await branchesOf(call, `refs/remotes/${remote}/`);
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128], limit: FETCH_LIMIT };
  const { code, errors } = await fetch(there, [remote]);
  if (code !== 0) return { kind: "failed", reason: reasonOf(errors) };
  const after = await branchesOf(call, `refs/remotes/${remote}/`);
  const came: Fetched["came"][number][] = [];
  for (const [branch, commit] of after) {
    const old = before.get(branch);
    if (branch === "HEAD" || old === commit) continue;
    came.push({ branch, commits: old === undefined ? null : await countMissing(call, [commit], [old]) });
  }
  const lock = await workplace.locks.acquire(lockName("git", repo), "fetching", LOCK_LIMIT);
  try {
    return { kind: "fetched", remote, came, ...(await forward(call, remote)) };
  } finally {
    lock.release();
  }
}

async function branchesOf(call: GitCall, prefix: string): Promise<ReadonlyMap<string, string>> {
  const text = await gitLine(call, ["for-each-ref", "--format=%(refname) %(objectname)", prefix]);
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(prefix.length).split(" ") as [string, string]),
  );
}

async function forward(call: GitCall, remote: string): Promise<Pick<Fetched, "forwarded" | "left">> {
  const forwarded: Fetched["forwarded"][number][] = [];
  const left: Fetched["left"][number][] = [];
  const held = await heldBranches(call);
  const locals = await branchesOf(call, "refs/heads/");
  const remotes = await branchesOf(call, `refs/remotes/${remote}/`);
  for (const [branch, commit] of locals) {
    const upstream = await gitLine(call, ["for-each-ref", "--format=%(upstream)", `refs/heads/${branch}`]);
    const prefix = `refs/remotes/${remote}/`;
    const to = upstream.startsWith(prefix) ? remotes.get(upstream.slice(prefix.length)) : undefined;
    if (to === undefined || to === commit) continue;
    const commits = await countMissing(call, [to], [commit]);
    if (commits === 0) continue;
    const reason = (await isAncestor(call, commit, to))
      ? await move(call, { branch, commit, to }, held.get(branch))
      : `it has commits that ${remote} lacks, and lacks ${commits} of its`;
    if (reason === null) forwarded.push({ branch, commits });
    else left.push({ branch, reason });
  }
  return { forwarded, left };
}

type Held = "here" | string;

/** The branches that are checked out, or will be after an unfinished operation ends. */
async function heldBranches(call: GitCall): Promise<ReadonlyMap<string, Held>> {
  const held = new Map<string, Held>();
  const top = realpathSync(call.folder);
  for (const { folder, branch, bare } of await checkoutsOf(call)) {
    if (bare) continue;
    const isOwn = realOr(folder) === top;
    const state = await gitFolder({ ...call, folder }).catch(() => null);
    const back = state === null ? null : branchHeldBy(state);
    const operation = state === null ? null : unfinishedIn(state);
    if (back !== null) held.set(back, `a ${operation ?? "rebase"} of it is in progress`);
    if (branch === null) continue;
    if (!isOwn) held.set(branch, `it is checked out in ${folder}`);
    else held.set(branch, operation === null ? "here" : `a ${operation} is in progress`);
  }
  return held;
}

/** Null if it moved, otherwise the reason why it did not. */
async function move(
  call: GitCall,
  { branch, commit, to }: { readonly branch: string; readonly commit: string; readonly to: string },
  held: Held | undefined,
): Promise<string | null> {
  if (held === undefined) {
    const update = await git({ ...call, accept: [1, 128] }, [
      "update-ref",
      `refs/heads/${branch}`,
      to,
      commit,
    ]);
    return update.code === 0 ? null : "it moved meanwhile";
  }
  if (held !== "here") return held;
  const { output } = await git(call, ["status", "--porcelain", "-z", "--untracked-files=no"]);
  if (output !== "") return "it is checked out and has uncommitted edits";
  const args = ["merge", "--quiet", "--ff-only", "--no-overwrite-ignore", to];
  const merge = await git({ ...call, accept: [1, 128] }, [...NO_HOOKS, ...args]);
  return merge.code === 0 ? null : (merge.errors.trim().split("\n")[0] ?? "git refused").slice(0, 300);
}
