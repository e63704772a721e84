/**
 * Where workspaces are: `<work>/<repo>/<branch>`, outside the project, so that tools that search upward do
 * not find the person's files. Each name is encoded so that no two names share a folder, in characters
 * without a special meaning to shells, addresses and file systems (some agents treat a path as part of a
 * URL). Names that begin with `@` are Pawl's own, never a branch's.
 */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { branchFault } from "../../../core/id.ts";
import { projectPath } from "../../../core/path.ts";
import type { AgentFolder, Repo } from "../../../core/ports/worktrees.ts";
import { ownPath } from "../../files/own-folder.ts";
import { discover } from "../discover.ts";
import { type GitCall, git } from "../git.ts";

const MAX_NAME_LENGTH = 180;

/**
 * Makes one path segment of any text. Different texts give different segments, even if letter case is
 * ignored.
 */
export function encodeName(text: string): string {
  const characters = [...text];
  const inside = (at: number) => at > 0 && at < characters.length - 1;
  const encoded = characters.map((character, at) => encodeCharacter(character, inside(at))).join("");
  if (encoded.length <= MAX_NAME_LENGTH) return encoded;
  return `${encoded.slice(0, MAX_NAME_LENGTH - 70)}@${hashOf(text)}`;
}

function encodeCharacter(character: string, inside: boolean): string {
  // For some programs a dot at the end of a name is as special as one at its beginning.
  if (/[a-z0-9-]/.test(character) || (character === "." && inside)) return character;
  if (character === "/") return "_-";
  if (character === "_") return "__";
  // `Fix` and `fix` are two branches, and one folder on some systems.
  if (/[A-Z]/.test(character)) return `_${character.toLowerCase()}`;
  return [...Buffer.from(character)].map((byte) => `_0${byte.toString(16).padStart(2, "0")}`).join("");
}

export interface WorktreePaths {
  /** The repository's own checkout. */
  readonly checkout: string;
  /** The folder of all its workspaces. */
  readonly base: string;
  /** The hub. */
  readonly hub: string;
  /** The top of the branch's workspace. */
  readonly worktree: (branch: string) => AgentFolder;
  /** The folders in which merges into a branch are made, with a slot for each concurrent one. */
  readonly merge: (into: string, slot?: number) => AgentFolder;
  /** The folder in which a commit is checked out apart from all tasks. */
  readonly apart: AgentFolder;
  /** The note that marks a workspace as incomplete. */
  readonly unfinished: (branch: string) => string;
  /** The note that names the branch of a folder. */
  readonly label: (branch: string) => string;
  /** The commits of published merges, one per line. */
  readonly published: string;
  /** The folder for a workspace that lost its `.git`; the nth of the branch. */
  readonly lost: (branch: string, n: number) => string;
}

/** The repository's own checkout. */
export function checkoutOf(projectRoot: string, repo: Repo): string {
  const root = realpathSync(projectRoot);
  return repo === "." ? root : join(root, projectPath(repo));
}

export function worktreePathsOf(
  { projectRoot, work }: { readonly projectRoot: string; readonly work: string },
  repo: Repo,
): WorktreePaths {
  const folder = repo === "." ? "@project" : encodeName(repo);
  const base = ownPath(work, folder);
  const at = (name: string) => ownPath(work, `${folder}/${name}`);
  return {
    checkout: checkoutOf(projectRoot, repo),
    base,
    hub: at("@hub.git"),
    worktree: (branch) => ({ agentPath: at(encodeName(branch)) }),
    merge: (into, slot = 0) => ({
      agentPath: at(`@into-${encodeName(into)}${slot === 0 ? "" : `@${slot}`}`),
    }),
    apart: { agentPath: at("@base") },
    unfinished: (branch) => at(`@new-${encodeName(branch)}`),
    label: (branch) => at(`@of-${encodeName(branch)}.json`),
    published: at("@published"),
    lost: (branch, n) => at(`@lost-${n}-${encodeName(branch)}`),
  };
}

/** Throws unless the path is a repository inside the project. */
export async function checkRepository(projectRoot: string, repo: Repo, call: GitCall): Promise<void> {
  const checkout = checkoutOf(projectRoot, repo);
  const real = realOr(checkout);
  const where = repo === "." ? "the project's root" : repo;
  const fix = `Run \`git init\` or \`git clone\` in ${where}, or correct \`repo\` in tasks.yaml.`;
  if (real === "") throw new PawlError("repository-missing", `The repository ${repo} does not exist.`, fix);
  if (relative(realpathSync(projectRoot), real).startsWith(".."))
    throw new PawlError(
      "path-outside-project",
      `The repository ${repo} is outside the project: expected a folder inside it, found a link to ${real}.`,
      fix,
    );
  const repository = discover(real);
  if (repository?.top != null && (repo === "." || realOr(repository.top) === real)) return;
  const answer = await git({ ...call, folder: checkout, accept: [128] }, ["rev-parse", "--show-toplevel"]);
  const top = answer.output.replace(/\n$/, "");
  // A plain folder of the project's own repository is not a valid `repo`.
  if (answer.code !== 0 || (repo !== "." && realOr(top) !== real))
    throw new PawlError(
      "repository-missing",
      `${where.replace("the p", "The p")} is not a git repository: ${answer.errors.trim() || `it is part of ${top}`}.`,
      fix,
    );
}

function realOr(path: string): string {
  return attempt(() => realpathSync(path), "");
}

/** Throws `branch-invalid`. A name that passes is safe on a command line and as a ref. */
export function checkBranch(branch: string): string {
  const fault = branchFault(branch);
  if (fault === null) return branch;
  throw new PawlError(
    "branch-invalid",
    `The branch name ${JSON.stringify(branch.slice(0, 200))} cannot be used: ${fault}.`,
    "Use a name such as feature/login-form.",
  );
}
