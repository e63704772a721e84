import type { ChangedFile, GitCommits, PinnedBase } from "../../core/ports/git.ts";
import { fromRoot, prefixOf } from "./discover.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { isAncestor } from "./reader.ts";
import { unavailable } from "./reason.ts";
import { commitOf, remoteOf } from "./refs.ts";

const FALLBACKS = ["main", "master"];

/** The commits that `head` has made since it left the base branch. Never throws. */
export async function commits(
  gitCall: GitCall,
  base: PinnedBase | string | null,
  head: string,
): Promise<GitCommits> {
  const call: GitCall = { ...gitCall, accept: [1, 128], limit: 30_000 };
  try {
    const fork =
      base !== null && typeof base !== "string"
        ? { base: base.branch, commit: base.commit }
        : await forkOf(call, base, head);
    return "reason" in fork ? { kind: "unavailable", ...fork } : await commitsSince(call, fork, head);
  } catch (thrown) {
    return unavailable(thrown);
  }
}

export interface Fork {
  readonly commit: string;
  readonly base: string;
}

/**
 * The point where the head left the base branch; otherwise where it left the first of the usual branches that
 * exists and shares its history, local or remote-tracking.
 */
export async function forkOf(
  call: GitCall,
  base: string | null,
  head: string,
): Promise<Fork | { readonly reason: string }> {
  const there = await commitOf(call, head);
  if (there === null) return { reason: "there is no commit to compare with" };
  for (const branch of base === null ? FALLBACKS : [base, ...FALLBACKS]) {
    const newest = await newestOf(call, branch);
    if (newest === null) continue;
    const fork = await git(call, ["merge-base", "--", newest, there]);
    if (fork.code === 0) return { commit: fork.output.trim(), base: branch };
  }
  return { reason: `there is no base branch (${[base, ...FALLBACKS].filter(Boolean).join(", ")})` };
}

/**
 * The branch's commit. A local branch may be older than what was last fetched, so its remote-tracking branch
 * counts unless the local one contains it. Null if there is no such local branch.
 */
async function newestOf(call: GitCall, branch: string): Promise<string | null> {
  const local = await commitOf(call, `refs/heads/${branch}`);
  if (local === null) return null;
  const upstream = await gitLine(call, ["for-each-ref", "--format=%(upstream)", `refs/heads/${branch}`]);
  const remote = upstream === "" ? await remoteOf(call, branch) : null;
  const ref = remote === null ? upstream : `refs/remotes/${remote}/${branch}`;
  const fetched = ref.startsWith("refs/remotes/") ? await commitOf(call, ref) : null;
  return fetched === null || (await isAncestor(call, fetched, local)) ? local : fetched;
}

async function commitsSince(call: GitCall, { base, commit }: Fork, head: string): Promise<GitCommits> {
  const strict = { ...call, accept: [] };
  const range = `${commit}..${head}`;
  const log = await git(strict, [
    "log",
    "-z",
    "--reverse",
    "--no-merges",
    "--no-show-signature",
    "--format=%H %s",
    range,
    "--",
  ]);
  const stat = await git(strict, ["diff", "--numstat", "-z", "--no-renames", commit, head, "--"]);
  const prefix = prefixOf(call.folder);
  const entries = log.output.split("\0").filter((entry) => entry !== "");
  return {
    kind: "commits",
    base,
    from: commit,
    commits: entries.map((entry) => ({
      hash: entry.slice(0, entry.indexOf(" ")),
      title: entry.slice(entry.indexOf(" ") + 1),
    })),
    files: parseNumstat(stat.output)
      .filter(({ path }) => path.startsWith(prefix))
      .map((file) => ({ ...file, path: fromRoot(prefix, file.path) })),
  };
}

/**
 * Reads `added TAB deleted TAB path NUL`; a binary file has dashes for the numbers, and a renamed one both paths, each
 * with its NUL.
 */
export function parseNumstat(text: string): readonly ChangedFile[] {
  return [...text.matchAll(/(\d+|-)\t(\d+|-)\t(?:\0[^\0]*\0)?([^\0]+)\0/gy)].map(
    ([, added, deleted, path = ""]) => ({
      path,
      added: added === "-" ? null : Number(added),
      deleted: deleted === "-" ? null : Number(deleted),
    }),
  );
}

/** A file in which two trees differ, as `diff-tree --raw -z` prints it. */
export interface RawChange {
  readonly mode: string;
  readonly before: string;
  readonly after: string;
  /** `A`, `D`, `M`, `R` or `T`. */
  readonly status: string;
  /** Of a rename: 0 to 100. */
  readonly similarity: number;
  readonly was: string | null;
  readonly path: string;
}

/** Reads `:MODE MODE ID ID STATUS NUL PATH NUL`, with two paths of a rename. */
export function parseRaw(text: string): readonly RawChange[] {
  const fields = text.split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at < fields.length; ) {
    const [, mode = "", before = "", after = "", status = "", score = ""] =
      /^:\d+ (\d+) (\w+) (\w+) ([A-Z])(\d*)$/.exec(fields[at++] ?? "") ?? [];
    if (status === "") continue;
    const was = status === "R" ? (fields[at++] ?? "") : null;
    changes.push({ mode, before, after, status, similarity: Number(score), was, path: fields[at++] ?? "" });
  }
  return changes;
}
