/**
 * Makes a branch's worktree.
 *
 * W1  Parallel `git worktree add` fails at random, so additions to one repository queue up behind a lock. `reset
 *     --hard` then fills in the files, in parallel.
 * W2  From before the addition until the files are there, a note beside the folder says that it is incomplete. If the
 *     note is there, nobody has worked in the folder yet, and filling it again loses nothing.
 * W3  A folder that is no longer a worktree of the repository (an agent removed its `.git`) is set aside whole and
 *     recreated: git, started in it, would work on the surrounding checkout.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PawlError } from "../../core/error.ts";
import type { EnsureOrder, Folder, Worktree } from "../../core/ports/worktrees.ts";
import { errnoOf, isAbsence } from "../files/disk.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { checkoutsOf, commitOf, gitFolder, isAncestor, missingIdentity, remoteOf } from "./refs.ts";
import { clearStaleLocks } from "./stale.ts";
import { isWhole, setAside } from "./whole.ts";
import { lockName, type Workplace } from "./workplace.ts";
import {
  checkBranch,
  checkRepository,
  setupNote,
  type WorktreePaths,
  worktreePathsOf,
} from "./worktree-paths.ts";

const FETCH_LIMIT = 60_000;
const LOCK_LIMIT = 300_000;

type From = "kept" | "local" | "remote" | "base";

interface Ensured {
  readonly from: From;
  readonly lost?: Folder;
}

export async function ensureWorktree(place: Workplace, order: EnsureOrder): Promise<Worktree & Ensured> {
  const branch = checkBranch(order.branch);
  if (order.base !== undefined) checkBranch(order.base);
  const paths = worktreePathsOf(place.projectRoot, order.repo);
  const call = place.call(paths.checkout);
  await checkRepository(place.projectRoot, order.repo, call);
  const folder = paths.worktree(branch);
  const what = `the worktree of ${branch}`;
  const own = await place.locks.acquire(lockName("worktree", order.repo, branch), what, LOCK_LIMIT);
  try {
    const ensured = await ensure(place, order, paths, call);
    return { repo: order.repo, branch, folder, ...ensured };
  } finally {
    own.release();
  }
}

async function ensure(
  place: Workplace,
  order: EnsureOrder,
  paths: WorktreePaths,
  call: GitCall,
): Promise<Ensured> {
  const { branch } = order;
  const folder = paths.worktree(branch);
  const note = paths.unfinished(branch);
  const there = (await checkoutsOf(call)).find((one) => one.folder === folder);
  const isUntouched = existsSync(note);
  const isThere = existsSync(folder) && !isUntouched;
  if (there && isThere && isWhole(folder, paths.checkout)) return { from: "kept" };
  const aside = isThere ? setAside(folder, (n) => paths.lost(branch, n)) : null;

  await checkIdentity(call);
  const start = isUntouched ? readStart(note) : await findStart(call, order);
  mkdirSync(dirname(folder), { recursive: true });
  writeFileSync(note, JSON.stringify(start));
  rmSync(setupNote(folder), { force: true });
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
  writeFileSync(paths.label(branch), JSON.stringify({ repo: order.repo, branch }));
  rmSync(note, { force: true });
  return { from: start.from, ...(aside === null ? {} : { lost: aside as Folder }) };
}

/** Runs before an agent works there: without an identity, none of its commits could succeed. */
async function checkIdentity(call: GitCall): Promise<void> {
  const errors = await missingIdentity(call);
  if (errors === null) return;
  throw new PawlError(
    "git-identity-missing",
    `git does not know who commits in ${call.folder}: expected user.name and user.email; found: ${errors.trim().split("\n").at(-1) ?? "none"}`,
    `Run \`git -C ${call.folder} config user.name NAME\` and the same with user.email.`,
  );
}

interface Start {
  readonly from: Exclude<From, "kept">;
  readonly commit: string;
}

/** A note torn by a crash counts as none: then the folder's content decides. */
function readStart(note: string): Start {
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Start;
  } catch (thrown) {
    if (errnoOf(thrown) !== null && !isAbsence(thrown)) throw thrown;
    return { from: "local", commit: "HEAD" };
  }
}

async function findStart(call: GitCall, { branch, base, stop }: EnsureOrder): Promise<Start> {
  const local = await commitOf(call, `refs/heads/${branch}`);
  if (local) return { from: "local", commit: local };
  const remote = await remoteOf(call, branch);
  if (remote) {
    const spec = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
    // Offline, or the remote has no such branch: then what is known counts.
    const there = { remote: { name: remote }, accept: [1, 124, 128], limit: FETCH_LIMIT, stop };
    await fetch({ ...call, ...there }, ["--no-tags", remote, spec]);
    const commit = await commitOf(call, `refs/remotes/${remote}/${branch}`);
    if (commit) return { from: "remote", commit };
  }
  const commit = await baseCommit(call, base, remote);
  if (commit) return { from: "base", commit };
  throw new PawlError(
    "base-missing",
    base === undefined
      ? `The branch ${branch} cannot be created: the repository ${call.folder} has no commit to start from.`
      : `The branch ${branch} cannot be created: its base ${base} is neither a local branch nor one of the remote.`,
    base === undefined
      ? "Make a first commit."
      : "Create that branch, or correct `base_branch` (without it `merge_into`) in tasks.yaml.",
  );
}

/**
 * The local base, or the remote's if the local one only lags behind it: this task may depend on a pull request that was
 * merged there.
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
      `The branch ${branch} is checked out in ${elsewhere.folder}, so it cannot have its own worktree.`,
      `Switch ${elsewhere.folder} to another branch, or name another branch for the task.`,
    );
  const exists = (await commitOf(call, `refs/heads/${branch}`)) !== null;
  // A folder deleted by hand is still registered; --force adds it again.
  const force = there ? ["--force"] : [];
  const made = exists ? [folder, branch] : ["--no-track", "-b", branch, folder, start.commit];
  await git(call, ["worktree", "add", "--quiet", "--no-checkout", ...force, ...made]);
}
