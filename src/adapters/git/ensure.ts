/**
 * Makes a branch's worktree.
 *
 * W1  `git worktree add` in parallel fails at random: additions to one repository queue up by a lock. The files are
 *     then filled in by `reset --hard`, side by side.
 * W2  A note beside the folder says that it is not yet whole, from before the addition until the files are there. Where
 *     it is found, nobody has worked in the folder yet, so that filling it in again loses nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PawlError } from "../../base/error.ts";
import type { Repo, Worktree } from "../../base/ports.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { checkBranch, checkRepository, type Places, placesOf } from "./places.ts";
import { checkoutsOf, commitOf, gitFolder, isAncestor, remoteOf } from "./refs.ts";
import { clearStaleLocks } from "./stale.ts";
import { lockName, type Workplace } from "./workplace.ts";

const FETCH_LIMIT = 60_000;
const LOCK_LIMIT = 300_000;

interface Order {
  readonly repo: Repo;
  readonly branch: string;
  readonly base?: string;
  readonly stop?: AbortSignal;
}

type From = "kept" | "local" | "remote" | "base";

export async function ensureWorktree(
  place: Workplace,
  order: Order,
): Promise<Worktree & { readonly from: From }> {
  const branch = checkBranch(order.branch);
  if (order.base !== undefined) checkBranch(order.base);
  const places = placesOf(place.projectRoot, order.repo);
  const call = place.call(places.checkout);
  await checkRepository(place.projectRoot, order.repo, call);
  const folder = places.worktree(branch);
  const what = `the worktree of ${branch}`;
  const own = await place.locks.acquire(lockName("worktree", order.repo, branch), what, LOCK_LIMIT);
  try {
    const from = await ensure(place, order, places, call);
    return { repo: order.repo, branch, folder, from };
  } finally {
    own.release();
  }
}

async function ensure(place: Workplace, order: Order, places: Places, call: GitCall): Promise<From> {
  const { branch } = order;
  const folder = places.worktree(branch);
  const note = places.unfinished(branch);
  const there = (await checkoutsOf(call)).find((one) => one.folder === folder);
  if (there && existsSync(folder) && !existsSync(note)) return "kept";

  const start = existsSync(note) ? readStart(note) : await findStart(call, order);
  mkdirSync(dirname(folder), { recursive: true });
  writeFileSync(note, JSON.stringify(start));
  const lock = await place.locks.acquire(
    lockName("git", order.repo),
    `adding the worktree of ${branch}`,
    LOCK_LIMIT,
  );
  try {
    await add(call, folder, branch, start);
  } finally {
    lock.release();
  }
  const inside = { ...call, folder };
  clearStaleLocks(await gitFolder(inside));
  await git(inside, ["reset", "--hard", "--quiet"]);
  writeFileSync(places.label(branch), JSON.stringify({ repo: order.repo, branch }));
  rmSync(note, { force: true });
  return start.from;
}

interface Start {
  readonly from: Exclude<From, "kept">;
  readonly commit: string;
}

/** A note that a crash left torn is as good as none: then what there is tells. */
function readStart(note: string): Start {
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Start;
  } catch {
    return { from: "local", commit: "HEAD" };
  }
}

async function findStart(call: GitCall, { branch, base, stop }: Order): Promise<Start> {
  const local = await commitOf(call, `refs/heads/${branch}`);
  if (local) return { from: "local", commit: local };
  const remote = await remoteOf(call, branch);
  if (remote) {
    const spec = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
    // Offline, or no such branch there: then what is known counts.
    await git({ ...call, accept: [1, 124, 128], limit: FETCH_LIMIT, stop }, [
      "fetch",
      "--quiet",
      "--no-tags",
      remote,
      spec,
    ]);
    const commit = await commitOf(call, `refs/remotes/${remote}/${branch}`);
    if (commit) return { from: "remote", commit };
  }
  const commit = await baseCommit(call, base, remote);
  if (commit) return { from: "base", commit };
  throw new PawlError(
    "base-missing",
    base === undefined
      ? `The branch ${branch} cannot be made: the repository ${call.folder} has no commit to start from.`
      : `The branch ${branch} cannot be made: its base ${base} is neither a local branch nor one of the remote.`,
    base === undefined
      ? "Make a first commit."
      : "Create that branch, or correct `base_branch` (without it `merge_into`) in tasks.yaml.",
  );
}

/**
 * The local base; the remote's where the local one only lags behind it: a pull request that was merged there is work
 * that this task may depend on.
 */
async function baseCommit(
  call: GitCall,
  base: string | undefined,
  remote: string | null,
): Promise<string | null> {
  const local = await commitOf(call, base === undefined ? "HEAD" : `refs/heads/${base}`);
  const name =
    base ?? (await gitLine({ ...call, accept: [1] }, ["symbolic-ref", "--short", "--quiet", "HEAD"]));
  const far = remote && name !== "" ? await commitOf(call, `refs/remotes/${remote}/${name}`) : null;
  if (local === null || far === null) return local ?? far;
  return (await isAncestor(call, local, far)) ? far : local;
}

async function add(call: GitCall, folder: string, branch: string, start: Start): Promise<void> {
  const checkouts = await checkoutsOf(call);
  const there = checkouts.find((one) => one.folder === folder);
  if (there && existsSync(folder)) return;
  const elsewhere = checkouts.find((one) => one.branch === branch && one.folder !== folder);
  if (elsewhere)
    throw new PawlError(
      "branch-in-use",
      `The branch ${branch} is checked out in ${elsewhere.folder}, so that it cannot have a worktree of its own.`,
      `Switch ${elsewhere.folder} to another branch, or name another branch for the task.`,
    );
  const exists = (await commitOf(call, `refs/heads/${branch}`)) !== null;
  // A folder that was deleted by hand is still registered; --force adds it anew.
  const force = there ? ["--force"] : [];
  const made = exists ? [folder, branch] : ["--no-track", "-b", branch, folder, start.commit];
  await git(call, ["worktree", "add", "--quiet", "--no-checkout", ...force, ...made]);
}
