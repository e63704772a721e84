import { type GitAnswer, type GitCall, git } from "./git.ts";
import { reasonOf } from "./reason.ts";
import { branchRefs, commitOf } from "./refs.ts";

const MAX_TRIES = 5;
/**
 * While git adds a worktree, its HEAD names no commit for a moment, and a concurrent fetch reports a damaged
 * repository. Other programs add worktrees too, so a lock of Pawl's would not prevent it.
 */
const HALF_MADE = /bad object worktrees\//;
/** A concurrent fetch into this repository was first: another task's, or the person's. */
const OVERTAKEN = /cannot lock ref|unable to update local ref/;

/** Milliseconds for one branch. */
const FETCH_LIMIT = 60_000;

/**
 * Queries a remote for the branches, and fetches those that moved. Returns the branches that it lacks, or as
 * a text why the query failed.
 */
export async function fetchMoved(
  call: GitCall,
  remote: string,
  branches: readonly string[],
): Promise<readonly string[] | string> {
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128], limit: FETCH_LIMIT };
  const answer = await git(there, ["ls-remote", remote, ...branches.map((branch) => `refs/heads/${branch}`)]);
  if (answer.code !== 0) return reasonOf(answer.errors);
  const commits = new Map(
    answer.output.split("\n").map((line) => line.split("\t").reverse() as [string, string]),
  );
  const specs: string[] = [];
  for (const branch of branches) {
    const [ref = "", tip = ""] = branchRefs(branch, remote);
    const commit = commits.get(ref);
    if (commit !== undefined && commit !== (await commitOf(call, tip))) specs.push(`+${ref}:${tip}`);
  }
  if (specs.length > 0) {
    const answer = await fetch(there, ["--no-tags", remote, ...specs]);
    if (answer.code !== 0) return reasonOf(answer.errors);
  }
  return branches.filter((branch) => !commits.has(`refs/heads/${branch}`));
}

/** `git fetch`, repeated if a worktree was just being added or a concurrent fetch held the lock. */
export async function fetch(call: GitCall, args: readonly string[]): Promise<GitAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await git(call, ["fetch", "--quiet", ...args]);
    const passes = HALF_MADE.test(answer.errors) || OVERTAKEN.test(answer.errors);
    if (answer.code === 0 || tries === MAX_TRIES || !passes) return answer;
  }
}
