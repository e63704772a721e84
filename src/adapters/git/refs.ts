/** Commits, branches, remotes and checkouts of a repository. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObjectId } from "../../core/id.ts";
import { readPlainText } from "../files/plain-file.ts";
import { discover, realOr } from "./discover.ts";
import { configOf, type GitCall, git, gitLine } from "./git.ts";
import { ask } from "./reader.ts";
import { ABSENT, type Checkout, listRefs, plainRepository, readCheckouts, readRef } from "./ref-files.ts";
import { type KnownConfig, lastOf } from "./safe-config.ts";

/** No tag, and no ref that the remote alone controls: those may point to objects other than commits. */
const NAMES_COMMIT =
  /^(?:HEAD|refs\/(?:person\/)?(?:heads|remotes)\/.+|refs\/pawl\/(?:head|left|merge)\/.+)$/;

/** The commit of a name: of a full ref (`refs/heads/…`), which takes no git, or any other; or null. */
export async function commitOf(call: GitCall, ref: string): Promise<string | null> {
  const read = NAMES_COMMIT.test(ref) ? await readCommit(call, ref) : null;
  if (read !== null) return read === ABSENT ? null : read;
  const object = isObjectId(ref) ? (await ask(call, [ref])).get(ref) : undefined;
  if (object?.type === "commit") return ref;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const answer = await git({ ...call, accept: [1, 128] }, args);
  return answer.code === 0 ? answer.output.trim() : null;
}

/** The branch that is checked out; empty: none is. */
export async function currentBranch(call: GitCall): Promise<string> {
  return gitLine({ ...call, accept: [1] }, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
}

async function readCommit(call: GitCall, ref: string): Promise<string | typeof ABSENT | null> {
  const repository = plainRepository(await configOf(call));
  return repository === null ? null : readRef(repository, ref);
}

const MAX_REFS = 300;

/** The refs in these folders, each with its commit or tag; of many, the newest. */
export async function newestRefs(
  call: GitCall,
  folders: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const repository = plainRepository(await configOf(call));
  const read = repository && listRefs(repository, folders, MAX_REFS);
  if (read) return read;
  const args = ["--sort=-creatordate", "--format=%(objectname) %(refname)", ...folders];
  const listed = await gitLine(call, ["for-each-ref", `--count=${MAX_REFS}`, ...args]);
  const lines = listed.split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}

/** The full names of a branch in a person's repository: the local one and the remote-tracking one. */
export function branchRefs(branch: string, remote: string | null | undefined): readonly string[] {
  return [`refs/heads/${branch}`, ...(remote ? [`refs/remotes/${remote}/${branch}`] : [])];
}

/** The remote to which a branch is pushed: the configured one, else `origin`, else the only one. */
export async function remoteOf(call: GitCall, branch: string): Promise<string | null> {
  return firstRemote(call, [`branch.${branch}.pushremote`, "remote.pushdefault", `branch.${branch}.remote`]);
}

/**
 * The remote from which a target is fetched and for which it is merged: its upstream's. A fork's push remote
 * does not count.
 */
export async function upstreamOf(call: GitCall, target: string): Promise<string | null> {
  return firstRemote(call, [`branch.${target}.remote`]);
}

async function firstRemote(call: GitCall, keys: readonly string[]): Promise<string | null> {
  const config = await configOf(call);
  const remotes = remotesIn(config);
  for (const key of keys) {
    const remote = lastOf(config, key);
    if (remote !== null && remotes.includes(remote)) return remote;
  }
  if (remotes.includes("origin")) return "origin";
  return remotes.length === 1 ? (remotes[0] ?? null) : null;
}

function remotesIn({ entries }: KnownConfig): readonly string[] {
  return [...new Set(entries.flatMap(({ key }) => /^remote\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []))];
}

export type { Checkout };

export async function checkoutsOf(call: GitCall): Promise<readonly Checkout[]> {
  const config = await configOf(call);
  const repository = plainRepository(config);
  const read = repository === null ? null : readCheckouts(repository, config);
  if (read !== null) return read;
  const { output } = await git(call, ["worktree", "list", "--porcelain", "-z"]);
  // For a git folder outside its checkout, git lists that folder instead of the checkout.
  const repositoryOfCall = discover(call.folder);
  const elsewhere =
    repositoryOfCall !== null && repositoryOfCall.own === repositoryOfCall.common
      ? realOr(repositoryOfCall.common)
      : null;
  return output
    .split("\0\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const fields = entry.split("\0");
      const value = (name: string) =>
        fields.find((field) => field.startsWith(`${name} `))?.slice(name.length + 1);
      const branch = value("branch")?.replace(/^refs\/heads\//, "") ?? null;
      const folder = value("worktree") ?? "";
      return {
        folder: folder === elsewhere ? (repositoryOfCall?.top ?? folder) : folder,
        branch,
        bare: fields.includes("bare"),
      };
    });
}

/** The folder in which git keeps a checkout's own state. */
export async function gitFolder(call: GitCall): Promise<string> {
  const repository = discover(call.folder);
  return repository === null ? gitLine(call, ["rev-parse", "--absolute-git-dir"]) : repository.own;
}

/** The files that mark an unfinished operation, as in `git status`. */
export const OPERATIONS = [
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

/** The branch to which a rebase or bisect in a checkout will return, although HEAD is detached. */
export function branchHeldBy(gitFolderPath: string): string | null {
  for (const file of ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"]) {
    try {
      const name = readPlainText(join(gitFolderPath, file)).trim();
      return name.replace(/^refs\/heads\//, "");
    } catch {
      // Absent: try the next one.
    }
  }
  return null;
}

/** Options that name the committer: the person, or else Pawl. */
export async function identityOptions(call: GitCall): Promise<readonly string[]> {
  const { email, name } = (await identityOf(call)) ?? { name: "Pawl", email: "pawl@localhost" };
  return ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
}

/** The committer that the person's git uses for the project. */
export async function identityOf(
  call: GitCall,
): Promise<{ readonly name: string; readonly email: string } | null> {
  const config = await configOf(call);
  const of = (name: "name" | "email") =>
    call.environment[`GIT_COMMITTER_${name.toUpperCase()}`] ?? lastOf(config, `user.${name}`) ?? "";
  const [name, email] = [of("name"), of("email")];
  return name === "" || email === "" ? null : { name, email };
}

/** Git's error message if it knows no committer; otherwise null. */
export async function missingIdentity(call: GitCall): Promise<string | null> {
  if ((await identityOf(call)) !== null) return null;
  const { code, errors } = await git({ ...call, accept: [1, 128] }, ["var", "GIT_COMMITTER_IDENT"]);
  return code === 0 ? null : errors;
}
