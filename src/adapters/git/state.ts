/** How far the work in a worktree is. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObjectId } from "../../core/object-id.ts";
import type { WorkDone, Worktree, WorktreeState } from "../../core/ports/worktrees.ts";
import { commonFolderOf, gitFolderIn } from "./discover.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { parseStatus, type Status } from "./look.ts";
import { commitOf, gitFolder, remoteOf, unfinishedIn } from "./refs.ts";
import type { Workplace } from "./workplace.ts";
import { checkBranch, worktreePathsOf } from "./worktree-paths.ts";

export async function worktreeState(
  place: Workplace,
  worktree: Worktree,
  into?: string,
): Promise<WorktreeState> {
  const call = place.call(worktree.folder);
  const status = await statusOf(call);
  const tips = await tipsOf(call, worktree.branch);
  const remote = await remoteOf(call, worktree.branch);
  const pushed = remote ? await commitOf(call, `refs/remotes/${remote}/${worktree.branch}`) : null;
  return {
    branch: status.branch || null,
    head: status.head,
    uncommitted: status.uncommitted,
    hooks: status.uncommitted.length === 0 ? [] : commitHooks(place, worktree),
    unfinished: unfinishedIn(await gitFolder(call)),
    unmerged: into === undefined ? null : await unmergedCommits(call, tips, into, remote),
    unpushed: pushed ? await countMissing(call, tips, [pushed]) : null,
  };
}

const MOST_COMMITS = 30;

export async function workDone(
  place: Workplace,
  { branch, folder }: Worktree,
  since: string | undefined,
): Promise<WorkDone> {
  const call = place.call(folder);
  const { uncommitted } = await statusOf(call);
  const bases = since === undefined ? [] : await basesOf(call, since, await remoteOf(call, branch));
  if (bases.length === 0) return { commits: [], uncommitted };
  const shape = ["--format=%s", "--reverse", `--max-count=${MOST_COMMITS}`];
  const lines = await gitLine(call, ["log", ...shape, "HEAD", "--not", ...bases, "--"]);
  return { commits: lines.split("\n").filter(Boolean), uncommitted };
}

const COMMIT_HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/** Hooks in the repository's own folder, or husky's: a person's or an agent's commit runs them. */
function commitHooks(place: Workplace, { repo, folder }: Worktree): readonly string[] {
  const own = gitFolderIn(worktreePathsOf(place.projectRoot, repo).checkout);
  const shared = own === null ? [] : [join(commonFolderOf(own), "hooks")];
  return [...shared, join(folder, ".husky")]
    .flatMap((hooks) => COMMIT_HOOKS.map((name) => join(hooks, name)))
    .filter((path) => existsSync(path));
}

export async function statusOf(call: GitCall): Promise<Status> {
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];
  return parseStatus((await git(call, args)).output);
}

/** The branch's commit and the checked-out one: an agent may have left work on either. */
export async function tipsOf(call: GitCall, branch: string): Promise<readonly string[]> {
  const tips = [await commitOf(call, `refs/heads/${branch}`), await commitOf(call, "HEAD")];
  return tips.filter((tip) => tip !== null);
}

/** How many commits are in neither the local nor the remote's `into`; null if there is no such branch. */
export async function unmergedCommits(
  call: GitCall,
  tips: readonly string[],
  into: string,
  remote: string | null,
): Promise<number | null> {
  const targets = await basesOf(call, into, remote);
  return targets.length === 0 ? null : countMissing(call, tips, targets);
}

/** The commits of a branch, the local one and the remote's; or the commit itself. */
async function basesOf(call: GitCall, name: string, remote: string | null): Promise<readonly string[]> {
  if (isObjectId(name)) return [name];
  checkBranch(name);
  const refs = [`refs/heads/${name}`, ...(remote ? [`refs/remotes/${remote}/${name}`] : [])];
  const found: string[] = [];
  for (const ref of refs) {
    const commit = await commitOf(call, ref);
    if (commit) found.push(commit);
  }
  return found;
}

export async function countMissing(
  call: GitCall,
  tips: readonly string[],
  targets: readonly string[],
): Promise<number> {
  if (tips.length === 0) return 0;
  return Number(await gitLine(call, ["rev-list", "--count", ...tips, "--not", ...targets]));
}
