import type { GitChanges } from "../../base/ports.ts";
import { type GitCall, git, gitLine } from "./git.ts";

const FALLBACKS = ["main", "master"];

/** What the working tree has changed since it left the base branch: committed, staged, edited and new. Never throws. */
export async function changes(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  base: string | null,
): Promise<GitChanges> {
  const call: GitCall = { folder, environment, accept: [1, 128], limit: 30_000 };
  try {
    const head = await git(call, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    if (head.code !== 0) return { kind: "unavailable", reason: "there is no commit to compare with" };
    for (const branch of base === null ? FALLBACKS : [base, ...FALLBACKS]) {
      const fork = await git(call, ["merge-base", `refs/heads/${branch}`, "HEAD"]);
      if (fork.code === 0) return await changesSince(call, fork.output.trim(), branch);
    }
    return {
      kind: "unavailable",
      reason: `there is no base branch (${[base, ...FALLBACKS].filter(Boolean).join(", ")})`,
    };
  } catch (thrown) {
    return { kind: "unavailable", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function changesSince(call: GitCall, commit: string, base: string): Promise<GitChanges> {
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
  const inside = files.filter(({ path }) => path.startsWith(prefix));
  return {
    kind: "changes",
    base,
    files: inside.map((file) => ({ ...file, path: file.path.slice(prefix.length) })),
  };
}

/** `added TAB deleted TAB path NUL`; a dash for the numbers of a binary file. */
export function parseNumstat(
  text: string,
): readonly { path: string; added: number | null; deleted: number | null }[] {
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
