/** Implements the port `Repositories` with real git. */
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Repositories, RepositoryState } from "../../core/ports/repositories.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { openOwnFolder } from "../files/own-folder.ts";
import { firstEntries } from "../files/plain-file.ts";
import { gitFolderIn } from "./discover.ts";
import { type GitCall, git } from "./git.ts";
import { remoteOf } from "./refs.ts";
import { statusOf } from "./status.ts";
import { sync } from "./sync.ts";
import { lockName, openWorkplace, type Workplace } from "./workspace/workplace.ts";
import { checkoutOf, checkRepository, encodeName } from "./workspace/worktree-paths.ts";

/** How deep the project is searched for repositories. */
const DEPTH = 4;
const CLONES = ".pawl/clones";
const CLONE_LIMIT = 1_800_000;
const LOCK_LIMIT = 10_000;

export function openRepositories(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
  filters?: GitCall["filters"],
): Repositories {
  const workplace = openWorkplace(projectRoot, environment, filters);
  return {
    find: async () => [...findIn(workplace.projectRoot, "", DEPTH)],
    inspect: (repo) => inspect(workplace, repo),
    check: (path) => check(workplace, path),
    clone: (url, into) => clone(workplace, url, into),
    sync: (repo) => sync(workplace, repo),
  };
}

function* findIn(root: string, path: string, depth: number): Generator<Repo> {
  const folder = join(root, path);
  if (gitFolderIn(folder) !== null) yield path === "" ? "." : projectPath(path);
  if (depth === 0) return;
  for (const entry of entriesOf(folder))
    if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      yield* findIn(root, path === "" ? entry.name : `${path}/${entry.name}`, depth - 1);
}

const MAX_NAMES = 10_000;

function entriesOf(folder: string) {
  // This user may not read the folder.
  return attempt(() => firstEntries(folder, MAX_NAMES).toSorted((a, b) => (a.name < b.name ? -1 : 1)), []);
}

async function inspect(workplace: Workplace, repo: Repo): Promise<RepositoryState> {
  try {
    const call = workplace.call(checkoutOf(workplace.projectRoot, repo));
    await checkRepository(workplace.projectRoot, repo, call);
    const { branch, uncommitted } = await statusOf(call);
    const name = await remoteOf(call, branch);
    const url =
      name === null
        ? null
        : (await git({ ...call, accept: [1, 2] }, ["remote", "get-url", name])).output.trim();
    return {
      kind: "repository",
      branch: branch === "" ? null : branch,
      uncommitted: uncommitted.length,
      remote: url === null ? null : withoutPassword(url),
    };
  } catch (thrown) {
    if (!(thrown instanceof PawlError)) throw thrown;
    return { kind: "unusable", reason: thrown.message };
  }
}

async function check(workplace: Workplace, path: string): Promise<Repo> {
  const folder = resolve(workplace.projectRoot, path);
  if (!existsSync(folder))
    throw new PawlError(
      "usage",
      `There is no folder ${path} in the project.`,
      "Give a path from the project's root, or the address of a repository to clone.",
    );
  const inside = relative(workplace.projectRoot, realpathSync(folder));
  if (inside === ".." || inside.startsWith(`..${sep}`))
    throw new PawlError(
      "path-outside-project",
      `${path} is outside the project, but tasks work only on repositories inside it.`,
      `Clone it into the project: \`bloom repo add file://${realpathSync(folder)}\`.`,
    );
  const repo: Repo = inside === "" ? "." : projectPath(inside.split(sep).join("/"));
  await checkRepository(workplace.projectRoot, repo, workplace.call(folder));
  return repo;
}

async function clone(
  workplace: Workplace,
  url: string,
  into: ProjectPath,
): Promise<{ readonly repo: Repo; readonly isSeen: boolean }> {
  const target = join(workplace.projectRoot, into);
  checkParent(workplace.projectRoot, into);
  const lock = await workplace.locks.acquire(lockName("clone", into), `cloning ${into}`, LOCK_LIMIT);
  try {
    if (existsSync(target))
      throw new PawlError(
        "usage",
        `${into} already exists.`,
        `Choose another name, or use what exists: \`bloom repo add ${into}\`.`,
      );
    const aside = join(openOwnFolder(workplace.projectRoot, CLONES), encodeName(into));
    // Left by a killed clone.
    rmSync(aside, { recursive: true, force: true });
    try {
      await runClone(workplace, url, aside);
      mkdirSync(dirname(target), { recursive: true });
      renameSync(aside, target);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
  const { code } = await git({ ...workplace.call(workplace.projectRoot), accept: [1, 128] }, [
    "check-ignore",
    "--quiet",
    "--",
    into,
  ]);
  return { repo: into, isSeen: code === 1 };
}

async function runClone(workplace: Workplace, url: string, aside: string): Promise<void> {
  const there = { remote: { name: url }, accept: [1, 124, 128], limit: CLONE_LIMIT };
  const call = { ...workplace.call(workplace.projectRoot), ...there };
  const { code, errors } = await git(call, ["clone", "--quiet", "--", url, aside]);
  if (code === 0) return;
  throw new PawlError(
    "git-failed",
    `${withoutPassword(url)} could not be cloned: ${withoutPassword(errors.trim()).slice(0, 1000)}`,
    "Check the address, and that git may read it. Nothing was left behind.",
  );
}

/** Checks the path's parents: a link there could put the clone outside the project. */
function checkParent(root: string, into: ProjectPath): void {
  let folder = dirname(join(root, into));
  while (!existsSync(folder)) folder = dirname(folder);
  const inside = relative(root, realpathSync(folder));
  if (inside === ".." || inside.startsWith(`..${sep}`))
    throw new PawlError(
      "path-outside-project",
      `${into} would be outside the project: a folder of its path is a link to ${realpathSync(folder)}.`,
      "Give another name.",
    );
}

function withoutPassword(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1");
}
