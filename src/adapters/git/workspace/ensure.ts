/**
 * Makes a branch's workspace: a repository of its own, which borrows the hub's objects. It depends on nothing
 * of the person's repository, and no other git process works in it.
 *
 * W1  Git behind the wall checks out its files: filters and attributes come with the commits.
 * W2  While it is being made, a note beside the folder says that it is incomplete. A folder with the note
 *     holds no work yet and is made again.
 * W3  No process of the task is alive when an agent is about to work there. So a lock in its git folder is of
 *     one that was killed, and would make each commit fail.
 * W4  A folder that is no longer a repository (an agent removed its `.git`) is set aside whole and made
 *     again.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { AgentFolder, EnsureOrder, Worktree } from "../../../core/ports/worktrees.ts";
import { folderIn, isThere, removeFileIn, removeFolder } from "../../files/agent-folder.ts";
import { errnoOf, isAbsence } from "../../files/disk.ts";
import { beside, GIT_CONFIG, GIT_READS } from "../../process/work-folder.ts";
import { SET_UP } from "../../setup/setup.ts";
import { discover, prefixOf } from "../discover.ts";
import { fetchMoved } from "../fetch.ts";
import { configOf, type GitCall } from "../git.ts";
import { alternatesOf, follow, followAll, formOf, openHub, promisesOf } from "../hub.ts";
import { moveRef } from "../hub-refs.ts";
import { isAncestor } from "../reader.ts";
import { listRefs, plainRepository } from "../ref-files.ts";
import {
  branchRefs,
  checkoutsOf,
  commitOf,
  currentBranch,
  identityOf,
  missingIdentity,
  newestRefs,
  remoteOf,
  upstreamOf,
} from "../refs.ts";
import { checkSigning } from "../sign.ts";
import { openScratch } from "../state.ts";
import { bringIncluded } from "./include.ts";
import { inside } from "./inside.ts";
import { fetchLarge } from "./large.ts";
import { copyUncommitted, personConfig } from "./person-config.ts";
import { makeGitFolder } from "./skeleton.ts";
import { isWhole, setAside } from "./whole.ts";
import { lockName, type Workplace } from "./workplace.ts";
import { checkBranch, checkRepository, type WorktreePaths, worktreePathsOf } from "./worktree-paths.ts";

const LOCK_LIMIT = 300_000;
const CHECKOUT_LIMIT = 1_800_000;

type From = "kept" | "local" | "remote" | "base";

interface Ensured {
  readonly from: From;
  readonly head: string | null;
  readonly lost?: AgentFolder;
}

export async function ensureWorktree(workplace: Workplace, order: EnsureOrder): Promise<Worktree & Ensured> {
  const branch = checkBranch(order.branch);
  if (order.base !== undefined) checkBranch(order.base);
  const paths = worktreePathsOf(workplace, order.repo);
  const call = workplace.call(paths.checkout);
  await checkRepository(workplace.projectRoot, order.repo, call);
  const what = `the workspace of ${branch}`;
  const lock = await workplace.locks.acquire(lockName("worktree", order.repo, branch), what, LOCK_LIMIT);
  try {
    const ensured = await ensure(workplace, order, paths, call);
    const folder = insideOf(paths.checkout, paths.worktree(branch));
    return { repo: order.repo, branch, folder, ...ensured };
  } finally {
    lock.release();
  }
}

/** The folder of the workspace in which tasks work: the project may be a subfolder of its repository. */
export function insideOf(checkout: string, top: AgentFolder): AgentFolder {
  const prefix = prefixOf(checkout);
  return prefix === "" ? top : folderIn(top, prefix.slice(0, -1));
}

async function ensure(
  workplace: Workplace,
  order: EnsureOrder,
  paths: WorktreePaths,
  call: GitCall,
): Promise<Ensured> {
  const { branch } = order;
  // Sets the workspaces of an earlier repository at this path aside, with its hub.
  const hub = await openHub(workplace, order.repo);
  const top = paths.worktree(branch);
  const note = paths.unfinished(branch);
  const isUntouched = existsSync(note);
  const isKept = isThere(top) && !isUntouched;
  if (isKept && isWhole(top)) {
    for (const name of ["index", "HEAD", `refs/heads/${branch}`]) removeFileIn(top, `.git/${name}.lock`);
    return { from: "kept", head: await commitOf(hub, `refs/heads/${branch}`) };
  }
  const aside = isKept ? setAside(top, (n) => paths.lost(branch, n)) : null;

  await checkIdentity(call);
  const start = (isUntouched ? readStart(note) : null) ?? (await findStart(hub, call, order));
  mkdirSync(paths.base, { recursive: true, mode: 0o700 });
  writeFileSync(note, JSON.stringify(start));
  await checkSigning(call, hub, start.commit);
  await makeWorkspace(workplace, { hub, from: call, top, branch, commit: start.commit });
  await moveBranch(hub, branch, start.commit);
  writeFileSync(paths.label(branch), JSON.stringify({ repo: order.repo, branch }));
  rmSync(note, { force: true });
  return { from: start.from, head: start.commit, ...(aside === null ? {} : { lost: aside }) };
}

/** Called before an agent works there: without an identity, none of its commits could succeed. */
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

/** A note that a crash cut short counts as none. */
function readStart(note: string): Start | null {
  try {
    const start = JSON.parse(readFileSync(note, "utf8")) as Partial<Start>;
    return typeof start.commit === "string" ? (start as Start) : null;
  } catch (thrown) {
    if (errnoOf(thrown) !== null && !isAbsence(thrown)) throw thrown;
    return null;
  }
}

async function findStart(hub: GitCall, call: GitCall, order: EnsureOrder): Promise<Start> {
  const { base, branch, stop, work } = order;
  const ref = `refs/heads/${branch}`;
  const remote = await remoteOf(call, branch);
  const far = `refs/remotes/${remote}/${branch}`;
  const [tip, local] = [await commitOf(hub, ref), await commitOf(call, ref)];
  if (tip === null && order.fetch === true) await checkPush(call, branch, remote);
  if (tip === null) await fetchStart({ ...call, stop }, order, local === null ? remote : null);
  const wanted = [ref, ...(remote === null ? [] : [far]), ...(await baseRefs(call, base))];
  const fetched = await follow(hub, call, wanted);
  const theirs = fetched.get(ref) ?? null;
  if (tip !== null) {
    // The person may have added commits to the branch that Pawl left in their repository.
    const isAhead = theirs !== null && theirs !== tip && (await isAncestor(hub, tip, theirs));
    return { from: "local", commit: isAhead ? theirs : tip };
  }
  if (theirs !== null) await checkFree(call, branch);
  const from = await baseCommit(hub, call, fetched, base);
  for (const [commit, where] of [
    [theirs, "local"],
    [fetched.get(far) ?? null, "remote"],
  ] as const) {
    if (commit === null) continue;
    const isPlain = from !== null && (await isAncestor(hub, commit, from));
    const isOwn = order.adopts === true || (await has(hub, commit, work));
    if (!isPlain && !isOwn) throw takenBranchError(call.folder, branch, where === "local" ? null : remote);
    if (!isPlain) return { from: where, commit };
  }
  if (from !== null) return { from: "base", commit: from };
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

/** Called before an agent works on a branch that is to be pushed. Throws if the remote could not take it. */
async function checkPush(call: GitCall, branch: string, remote: string | null): Promise<void> {
  if (remote === null)
    throw new PawlError(
      "repository-missing",
      `${call.folder} has no remote to push ${branch} to: expected one, since \`push_to_remote\` is set.`,
      `Run \`git -C ${call.folder} remote add origin ADDRESS\`, or set \`git: {push_to_remote: false}\` in tasks.yaml.`,
    );
  const taken = await branchInTheWay(call, branch, remote);
  if (taken === null) return;
  throw new PawlError(
    "branch-in-use",
    `The branch ${branch} cannot be pushed: the remote ${remote} of ${call.folder} has the branch ${taken}, and git keeps no branch below another.`,
    `Write another \`branch: NAME\` into the task; or remove that one from the remote, and run \`git fetch --prune\`.`,
  );
}

const MAX_BELOW = 1000;

/** A branch of the remote above or below this one, as far as the repository knows it. */
async function branchInTheWay(call: GitCall, branch: string, remote: string): Promise<string | null> {
  const far = `refs/remotes/${remote}`;
  const names = branch.split("/");
  for (let length = 1; length < names.length; length++) {
    const above = names.slice(0, length).join("/");
    if ((await commitOf(call, `${far}/${above}`)) !== null) return above;
  }
  const repository = plainRepository(await configOf(call));
  const [below] = (repository && listRefs(repository, [`${far}/${branch}`], MAX_BELOW))?.keys() ?? [];
  return below?.slice(far.length + 1) ?? null;
}

/** Throws if a person has checked the branch out: then only they move it. */
async function checkFree(call: GitCall, branch: string): Promise<void> {
  const there = (await checkoutsOf(call)).find((one) => one.branch === branch);
  if (there === undefined) return;
  throw new PawlError(
    "branch-in-use",
    `The branch ${branch} is checked out in ${there.folder}, so no task can work on it.`,
    `Switch ${there.folder} to another branch, or name another branch for the task.`,
  );
}

function takenBranchError(folder: string, branch: string, remote: string | null): PawlError {
  const where = remote === null ? folder : `the remote ${remote} of ${folder}`;
  return new PawlError(
    "branch-in-use",
    `The branch ${branch} exists already in ${where}, and has commits that Pawl did not make: expected no such branch, since its work would pass for the task's.`,
    `To continue from its commits, write \`branch: ${branch}\` into the task. Otherwise rename or remove the branch, or write another name there.`,
  );
}

/** False: the commit is unknown or not in that history. */
async function has(hub: GitCall, tip: string, commit: string | undefined): Promise<boolean> {
  return commit !== undefined && (await commitOf(hub, commit)) !== null && isAncestor(hub, commit, tip);
}

async function baseRefs(call: GitCall, base: string | undefined): Promise<readonly string[]> {
  const name = base ?? (await currentBranch(call));
  if (name === "") return ["HEAD"];
  return branchRefs(name, await upstreamOf(call, name));
}

/**
 * Fetches the branches to start from. If the remote is unreachable or lacks one, the local knowledge counts.
 */
async function fetchStart(call: GitCall, order: EnsureOrder, remote: string | null): Promise<void> {
  const base = order.fetch === true ? (order.base ?? (await currentBranch(call))) : "";
  const upstream = base === "" ? null : await upstreamOf(call, base);
  const wanted = new Map<string, string[]>();
  for (const [from, branch] of [
    [remote, order.branch],
    [upstream, base],
  ] as const)
    if (from !== null) wanted.set(from, [...(wanted.get(from) ?? []), branch]);
  for (const [from, branches] of wanted) await fetchMoved(call, from, branches);
}

/**
 * The local base, or the remote's if the local one is only behind: this task may depend on a pull request
 * that was merged there.
 */
async function baseCommit(
  hub: GitCall,
  call: GitCall,
  fetched: ReadonlyMap<string, string>,
  base: string | undefined,
): Promise<string | null> {
  const [one = "", other = ""] = await baseRefs(call, base);
  const [local, far] = [fetched.get(one) ?? null, fetched.get(other) ?? null];
  if (local === null || far === null) return local ?? far;
  return (await isAncestor(hub, local, far)) ? far : local;
}

async function moveBranch(hub: GitCall, branch: string, commit: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await commitOf(hub, ref)) === commit) return;
  await moveRef(hub, ref, commit);
}

// ── Making one ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Making {
  readonly hub: GitCall;
  /** The person's repository. */
  readonly from: GitCall;
  readonly top: AgentFolder;
  /** The branch to check out; null: detaches HEAD at the commit. */
  readonly branch: string | null;
  readonly commit: string;
}

/** Replaces the folder at `top`, which holds no work yet. */
export async function makeWorkspace(workplace: Workplace, making: Making): Promise<void> {
  const { branch, commit, from, hub, top } = making;
  const gitDir = join(top.agentPath, ".git");
  await removeFolder(top);
  for (const kind of [SET_UP, GIT_CONFIG, GIT_READS, "look"])
    rmSync(beside(top, kind), { recursive: true, force: true });
  workplace.makeWork();
  const config = await configOf(from);
  const who = await identityOf(from);
  const settings = [
    ...formOf(config, { bare: false }),
    ...promisesOf(config),
    { key: "core.logallrefupdates", value: "true" },
    // Some agents' shells read no other configuration.
    ...Object.entries(who ?? {}).map(([name, value]) => ({ key: `user.${name}`, value })),
  ];
  const checkout = discover(from.folder)?.top ?? from.folder;
  makeGitFolder(gitDir, { settings, objects: [join(hub.folder, "objects")], mode: 0o755 });
  const shallow = attempt(() => readFileSync(join(hub.folder, "shallow")), null);
  if (shallow !== null) writeFileSync(join(gitDir, "shallow"), shallow);
  const { places, text } = await personConfig(from, checkout);
  writeFileSync(beside(top, GIT_CONFIG), text);
  writeFileSync(
    beside(top, GIT_READS),
    JSON.stringify([...places, ...alternatesOf(join(hub.folder, "objects"))]),
  );
  await copyUncommitted(from, gitDir, true);
  const scratch = await openScratch(hub, top);
  await copyUncommitted(from, scratch, false);
  const refs = await newestRefs(from, ["refs/heads", "refs/remotes", "refs/tags"]);
  await followAll(hub, from, refs);
  writeFileSync(join(gitDir, "packed-refs"), packed(refs, branch));
  if (branch !== null) {
    const ref = join(gitDir, "refs/heads", branch);
    mkdirSync(dirname(ref), { recursive: true });
    writeFileSync(ref, `${commit}\n`);
  }
  writeFileSync(join(gitDir, "HEAD"), branch === null ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
  await fetchLarge(from, commit);
  const modules = join(discover(from.folder)?.common ?? "", "modules");
  await inside(workplace, {
    folder: top,
    from,
    script: CHECK_OUT,
    args: [modules, scratch, commit],
    writes: [scratch],
    limit: CHECKOUT_LIMIT,
  });
  await bringIncluded(from, top);
}

/** The content of `packed-refs`, without refs whose names conflict with the workspace's own branch. */
function packed(refs: ReadonlyMap<string, string>, branch: string | null): string {
  const branchRef = `refs/heads/${branch}`;
  const isInTheWay = (ref: string) =>
    branchRef === ref || branchRef.startsWith(`${ref}/`) || ref.startsWith(`${branchRef}/`);
  const lines = [...refs]
    .filter(([ref]) => !isInTheWay(ref) && !ref.endsWith("/HEAD"))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([ref, commit]) => `${commit} ${ref}\n`);
  return `# pack-refs with: sorted \n${lines.join("")}`;
}

/**
 * Submodules come from the person's repository, as far as it has them, since no remote is in reach.
 * Afterwards their addresses are those of the commit.
 */
const CHECK_OUT = `
git reset --hard --quiet || exit
cp -p .git/index "$2/index" && echo "$3" >"$2/HEAD" && echo "$3" >"$2/at"
modules() (
  cd "$2" && [ -f .gitmodules ] && [ -d "$1" ] || exit 0
  git config --file .gitmodules --name-only --get-regexp '^submodule\\..*\\.path$' | while read -r key; do
    name=\${key#submodule.}; name=\${name%.path}
    path=$(git config --file .gitmodules "$key")
    [ -d "$1/$name/objects" ] || continue
    git submodule --quiet init -- "$path" &&
    git -c protocol.file.allow=always -c "submodule.$name.url=$1/$name" submodule --quiet update -- "$path" &&
    git submodule --quiet sync -- "$path" &&
    modules "$1/$name/modules" "$path"
  done
)
modules "$1" .
`;
