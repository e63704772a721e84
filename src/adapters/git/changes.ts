import type { ChangedFile, GitChanges, GitCommits } from "../../base/ports.ts";
import { type GitCall, git, gitLine } from "./git.ts";

const FALLBACKS = ["main", "master"];

/** What the working tree has changed since it left the base branch: committed, staged, edited and new. Never throws. */
export async function changes(place: GitCall, base: string | null): Promise<GitChanges> {
  const call: GitCall = { ...place, accept: [1, 128], limit: 30_000 };
  try {
    const fork = await forkOf(call, base, "HEAD");
    return "reason" in fork ? { kind: "unavailable", ...fork } : await changesSince(call, fork);
  } catch (thrown) {
    return { kind: "unavailable", reason: reasonOf(thrown) };
  }
}

/** What is committed in `head` since it left the base branch. Never throws. */
export async function commits(place: GitCall, base: string | null, head: string): Promise<GitCommits> {
  const call: GitCall = { ...place, accept: [1, 128], limit: 30_000 };
  try {
    const fork = await forkOf(call, base, head);
    return "reason" in fork ? { kind: "unavailable", ...fork } : await commitsSince(call, fork, head);
  } catch (thrown) {
    return { kind: "unavailable", reason: reasonOf(thrown) };
  }
}

interface Fork {
  readonly commit: string;
  readonly base: string;
}

/** Where the head left the base branch, or the first of the usual ones that it shares a history with. */
async function forkOf(
  call: GitCall,
  base: string | null,
  head: string,
): Promise<Fork | { readonly reason: string }> {
  const there = await git(call, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${head}^{commit}`]);
  if (there.code !== 0) return { reason: "there is no commit to compare with" };
  for (const branch of base === null ? FALLBACKS : [base, ...FALLBACKS]) {
    const fork = await git(call, ["merge-base", "--", `refs/heads/${branch}`, there.output.trim()]);
    if (fork.code === 0) return { commit: fork.output.trim(), base: branch };
  }
  return { reason: `there is no base branch (${[base, ...FALLBACKS].filter(Boolean).join(", ")})` };
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
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
  const prefix = await gitLine(strict, ["rev-parse", "--show-prefix"]);
  const entries = log.output.split("\0").filter((entry) => entry !== "");
  return {
    kind: "commits",
    base,
    commits: entries.map((entry) => ({
      hash: entry.slice(0, entry.indexOf(" ")),
      title: entry.slice(entry.indexOf(" ") + 1),
    })),
    files: within(prefix, parseNumstat(stat.output)),
  };
}

function within<T extends { readonly path: string }>(prefix: string, files: readonly T[]): readonly T[] {
  const inside = files.filter(({ path }) => path.startsWith(prefix));
  return inside.map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}

async function changesSince(call: GitCall, { base, commit }: Fork): Promise<GitChanges> {
  const strict = { ...call, accept: [] };
  const stat = await git(strict, ["diff", "--numstat", "-z", "--no-renames", commit, "--"]);
  const untracked = await git(strict, ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"]);
  const prefix = await gitLine(strict, ["rev-parse", "--show-prefix"]);
  const files = [
    ...parseNumstat(stat.output),
    ...untracked.output
      .split("\0")
      .filter((path) => path !== "")
      .map((path) => ({ path, added: null, deleted: null })),
  ];
  return { kind: "changes", base, files: within(prefix, files) };
}

/** `added TAB deleted TAB path NUL`; a dash for the numbers of a binary file. */
export function parseNumstat(text: string): readonly ChangedFile[] {
  return text
    .split("\0")
    .map((entry) => /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(entry))
    .filter((match) => match !== null)
    .map(([, added, deleted, path]) => ({
      path: path ?? "",
      added: added === "-" ? null : Number(added),
      deleted: deleted === "-" ? null : Number(deleted),
    }));
}
