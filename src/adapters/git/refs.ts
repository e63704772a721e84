/** What a repository knows of commits, branches, remotes and checkouts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitCall, git, gitLine } from "./git.ts";

/** The commit of a ref written out (`refs/heads/…`), or null. */
export async function commitOf(call: GitCall, ref: string): Promise<string | null> {
  const answer = await git({ ...call, accept: [1, 128] }, [
    "rev-parse",
    "--verify",
    "--quiet",
    `${ref}^{commit}`,
  ]);
  return answer.code === 0 ? answer.output.trim() : null;
}

export async function isAncestor(call: GitCall, older: string, newer: string): Promise<boolean> {
  return (await git({ ...call, accept: [1] }, ["merge-base", "--is-ancestor", older, newer])).code === 0;
}

/** The remote that branches go to: the configured one, else `origin`, else the only one. */
export async function remoteOf(call: GitCall, branch: string): Promise<string | null> {
  const remotes = (await gitLine(call, ["remote"])).split("\n").filter((name) => name !== "");
  for (const key of [`branch.${branch}.pushRemote`, "remote.pushDefault", `branch.${branch}.remote`]) {
    const { output } = await git({ ...call, accept: [1] }, ["config", "--get", key]);
    if (remotes.includes(output.trim())) return output.trim();
  }
  if (remotes.includes("origin")) return "origin";
  return remotes.length === 1 ? (remotes[0] ?? null) : null;
}

export interface Checkout {
  readonly folder: string;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  readonly bare: boolean;
}

export async function checkoutsOf(call: GitCall): Promise<readonly Checkout[]> {
  const { output } = await git(call, ["worktree", "list", "--porcelain", "-z"]);
  return output
    .split("\0\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const fields = entry.split("\0");
      const value = (name: string) =>
        fields.find((field) => field.startsWith(`${name} `))?.slice(name.length + 1);
      const branch = value("branch")?.replace(/^refs\/heads\//, "") ?? null;
      return { folder: value("worktree") ?? "", branch, bare: fields.includes("bare") };
    });
}

/** The folder in which git keeps a checkout's own state. */
export async function gitFolder(call: GitCall): Promise<string> {
  return gitLine(call, ["rev-parse", "--absolute-git-dir"]);
}

/** Checked by their files, as `git status` does. */
const OPERATIONS = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_START", "bisect"],
] as const;

export type Operation = (typeof OPERATIONS)[number][1];

export function unfinishedIn(gitFolderPath: string): Operation | null {
  return OPERATIONS.find(([file]) => existsSync(join(gitFolderPath, file)))?.[1] ?? null;
}

/** The branch that a rebase or bisect in a checkout will come back to, though HEAD is detached meanwhile. */
export function branchHeldBy(gitFolderPath: string): string | null {
  for (const file of ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"]) {
    try {
      const name = readFileSync(join(gitFolderPath, file), "utf8").trim();
      return name.replace(/^refs\/heads\//, "");
    } catch {
      // Not this one.
    }
  }
  return null;
}

/** Who commits, where the repository and its user have not said. */
export async function identityOptions(call: GitCall): Promise<readonly string[]> {
  const { code } = await git({ ...call, accept: [128] }, ["var", "GIT_COMMITTER_IDENT"]);
  return code === 0 ? [] : ["-c", "user.name=Pawl", "-c", "user.email=pawl@localhost"];
}
