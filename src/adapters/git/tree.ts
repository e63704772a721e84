/**
 * The content of a working folder as a tree. Write access to the repository is not enough to falsify it.
 *
 * E1  The git folder is Pawl's own, temporary and in a private place: the repository's configuration, hooks,
 *     attributes, index, replaced objects and grafts do not count. Only its objects are read.
 * E2  The index begins with the checked-out paths, without times: every file is read, whatever flags or times
 *     say.
 * E3  The `.gitignore` files of the tree itself decide what is ignored. Files that other lists hide are
 *     named.
 * E4  A checkout of a tree is hashed again before use.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { isObjectId } from "../../core/id.ts";
import type { ChangedFile, PinnedBase, Snapshot } from "../../core/ports/git.ts";
import { openOwnFolder } from "../files/own-folder.ts";
import { readLinkedText } from "../files/plain-file.ts";
import type { Environment } from "../process/environment.ts";
import { forkOf, parseNumstat } from "./changes.ts";
import { type Discovered, discover, fromRoot, prefixOf } from "./discover.ts";
import { configOf, type GitCall, git, gitLine, quotedPath } from "./git.ts";
import { isAncestor } from "./reader.ts";
import { unavailable } from "./reason.ts";
import { commitOf, currentBranch } from "./refs.ts";
import { isOwnScope, type KnownConfig, lastOf } from "./safe-config.ts";
import { makeGitFolder, type Setting } from "./workspace/skeleton.ts";

const GIT_TIMEOUT = 120_000;
/** New objects, kept so that two snapshots can be compared later. */
const OBJECTS = ".pawl/trees";

interface Scratch {
  /** Git on the working folder, through the private git folder. */
  readonly call: GitCall;
  readonly top: string;
  close(): void;
}

/** The repository around the project, or null. */
function repositoryOf({ folder }: GitCall): (Discovered & { readonly top: string }) | null {
  const repository = discover(folder);
  return repository?.top == null ? null : { ...repository, top: realpathSync(repository.top) };
}

/** A private git folder over `top`, with an empty index. */
function openScratch(call: GitCall, known: KnownConfig, common: string, top: string): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tree-"));
  const objects = openOwnFolder(call.folder, OBJECTS, 0o700);
  makeGitFolder(folder, { settings: scratchSettings(known), objects: [] });
  const ownFiles = {
    GIT_DIR: folder,
    GIT_WORK_TREE: top,
    GIT_INDEX_FILE: join(folder, "index"),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: [join(common, "objects"), ...(call.objects ? [call.objects] : [])]
      .map(quotedPath)
      .join(delimiter),
  };
  return {
    call: { ...call, folder: top, gitVariables: ownFiles, accept: [], limit: GIT_TIMEOUT },
    top,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Nothing of the repository's own configuration but its hash. */
function scratchSettings(known: KnownConfig): readonly Setting[] {
  const isSha256 = lastOf(known, "extensions.objectformat") === "sha256";
  const isWindows = process.platform === "win32";
  const isMac = process.platform === "darwin";
  const core = {
    ...{ repositoryformatversion: isSha256 ? 1 : 0, bare: false, filemode: !isWindows, symlinks: !isWindows },
    ...{
      ignorecase: isWindows || isMac,
      precomposeunicode: isMac,
      commitGraph: false,
      multiPackIndex: false,
    },
    excludesFile: "/dev/null",
  };
  return [
    ...Object.entries(core).map(([name, value]) => ({ key: `core.${name}`, value: String(value) })),
    ...(isSha256 ? [{ key: "extensions.objectformat", value: "sha256" }] : []),
  ];
}

/** Adds every file of the working folder to the index, as it is, except the project's own files. */
async function fillIndex(
  scratch: Scratch,
  call: GitCall,
  excluded: readonly string[],
  excludes: string,
): Promise<void> {
  const listed = await git({ ...call, accept: [128], limit: GIT_TIMEOUT }, [
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    "HEAD",
  ]);
  const entries = listed.code === 0 ? listed.output.split("\0").filter((entry) => entry !== "") : [];
  const kept = entries.filter((entry) => !isWithin(entry.slice(entry.indexOf("\t") + 1), excluded));
  writeFileSync(join(scratch.call.gitVariables?.GIT_DIR ?? "", "info", "exclude"), excludes);
  if (kept.length > 0)
    await git({ ...scratch.call, input: `${kept.join("\0")}\0` }, ["update-index", "-z", "--index-info"]);
  // Exit code 1: an excluded path is also ignored, and git warns about it.
  const quiet = ["-c", "advice.addEmbeddedRepo=false", "-c", "advice.addIgnoredFile=false"];
  await git({ ...scratch.call, accept: [1] }, [...quiet, "add", "-A", "--", ...pathspecs(excluded)]);
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function pathspecs(excluded: readonly string[]): readonly string[] {
  return [".", ...excluded.map((path) => `:(exclude,top,literal)${path}`)];
}

export async function snapshot(
  gitCall: GitCall,
  order: { readonly base: PinnedBase | string | null; readonly own: readonly string[] },
): Promise<Snapshot> {
  let scratch: Scratch | undefined;
  try {
    const repository = repositoryOf(gitCall);
    if (repository === null) return { kind: "not-a-repository" };
    const known = await configOf(gitCall);
    const { top, common } = repository;
    const prefix = prefixOf(gitCall.folder);
    const excluded = order.own.map((path) => `${prefix}${path}`);
    const hiding = hidingLists(known, repository, gitCall.environment);
    scratch = openScratch(gitCall, known, common, top);
    const { call } = scratch;
    const basing = findBase(gitCall, order.base);
    // Awaited below. If the index fails first, this failure must not end the process as unhandled.
    basing.catch(() => {});
    await fillIndex(scratch, gitCall, excluded, hiding.map(({ text }) => text).join("\n"));
    const base = await basing;
    const [tree, stat, others, branch, branchNow, holdsBase] = await Promise.all([
      gitLine(call, ["write-tree"]),
      base
        ? git(call, [
            "diff-index",
            "--cached",
            "--numstat",
            "-z",
            "--no-renames",
            base.commit,
            "--",
            ...pathspecs(excluded),
          ])
        : null,
      git(call, [
        "ls-files",
        "--others",
        "-z",
        "--exclude-per-directory=.gitignore",
        "--directory",
        "--no-empty-directory",
        "--",
        ...pathspecs(excluded),
      ]),
      currentBranch(gitCall),
      base ? commitOf(gitCall, `refs/heads/${base.branch}`) : null,
      base ? isInHistory(gitCall, base.commit) : false,
    ]);
    const hidden = others.output.split("\0").filter((path) => path !== "");
    return {
      kind: "tree",
      tree,
      base,
      branch,
      branchNow,
      holdsBase,
      files: parseNumstat(stat?.output ?? "").map((file) => ({ ...file, path: fromRoot(prefix, file.path) })),
      hidden: await hiddenBy(call, hiding, hidden, (path) => fromRoot(prefix, path)),
    };
  } catch (thrown) {
    return unavailable(thrown);
  } finally {
    scratch?.close();
  }
}

async function findBase(
  call: GitCall,
  base: PinnedBase | string | null,
): Promise<Extract<Snapshot, { kind: "tree" }>["base"]> {
  if (base !== null && typeof base !== "string") return { ...base, isPinned: true };
  const fork = await forkOf({ ...call, accept: [1, 128] }, base, "HEAD");
  return "reason" in fork ? null : { branch: fork.base, commit: fork.commit, isPinned: false };
}

async function isInHistory(call: GitCall, commit: string): Promise<boolean> {
  const head = await commitOf(call, "HEAD");
  return head !== null && isAncestor(call, commit, head);
}

interface HidingList {
  readonly by: "repository" | "person";
  readonly text: string;
}

/** The lists besides `.gitignore` that make git leave files out. */
function hidingLists(
  known: KnownConfig,
  repository: Discovered,
  environment: Environment,
): readonly HidingList[] {
  const home = environment.HOME ?? homedir();
  const named = known.entries.findLast(({ key }) => key === "core.excludesfile");
  const expanded = named?.value.startsWith("~/") ? join(home, named.value.slice(2)) : named?.value;
  const usual = join(environment.XDG_CONFIG_HOME || join(home, ".config"), "git", "ignore");
  const person = named === undefined || isOwnScope(named);
  return [
    { by: "repository", text: textOf(join(repository.common, "info", "exclude")) },
    {
      by: person ? "person" : "repository",
      text: textOf(expanded === undefined ? usual : resolve(repository.top ?? repository.own, expanded)),
    },
  ];
}

function textOf(path: string): string {
  return attempt(() => readLinkedText(path), "");
}

/** Which of the lists hides each path. Called only if something is hidden. */
async function hiddenBy(
  call: GitCall,
  lists: readonly HidingList[],
  hidden: readonly string[],
  fromRoot: (path: string) => string,
): Promise<Extract<Snapshot, { kind: "tree" }>["hidden"]> {
  if (hidden.length === 0) return [];
  const texts = lists.filter(({ by }) => by === "repository").map(({ text }) => text);
  writeFileSync(join(call.gitVariables?.GIT_DIR ?? "", "info", "exclude"), texts.join("\n"));
  const args = ["check-ignore", "--no-index", "-z", "--stdin"];
  const { output } = await git({ ...call, accept: [1], input: `${hidden.join("\0")}\0` }, args);
  const byRepository = new Set(output.split("\0"));
  return hidden.map((path) => ({
    path: fromRoot(path),
    by: byRepository.has(path) ? "repository" : "person",
  }));
}

/** The paths in which two trees differ; null if one is unknown. */
export async function between(
  gitCall: GitCall,
  one: string,
  other: string,
): Promise<readonly ChangedFile[] | null> {
  return withScratch(gitCall, null, async ({ call }) => {
    const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", checkedId(one), checkedId(other)];
    const { code, output } = await git({ ...call, accept: [128] }, args);
    const prefix = prefixOf(gitCall.folder);
    const files = parseNumstat(output).map((file) => ({ ...file, path: fromRoot(prefix, file.path) }));
    return code === 0 ? files : null;
  });
}

/** Writes the tree's files into a new folder. Throws if the result is not the tree. */
export async function checkOut(gitCall: GitCall, tree: string, into: string): Promise<void> {
  mkdirSync(into, { mode: 0o700 });
  await withScratch(gitCall, into, async ({ call }) => {
    await git(call, ["read-tree", checkedId(tree)]);
    await git(call, ["checkout-index", "--all", "--quiet"]);
  });
  await withScratch(gitCall, into, async ({ call }) => {
    await git(call, ["read-tree", checkedId(tree)]);
    await git(call, ["add", "--all", "--force", "--", "."]);
    const written = await gitLine(call, ["write-tree"]);
    if (written !== tree)
      throw new PawlError(
        "git-failed",
        `The checkout of the tree ${tree} differs from what was handed in: expected that tree in ${into}, found ${written}.`,
        `Check the repository's objects with \`git -C ${gitCall.folder} fsck\`.`,
      );
  });
}

/** Runs `work` over a private git folder, with `top` (null: the repository's own) as its working folder. */
export async function withScratch<T>(
  call: GitCall,
  top: string | null,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const repository = repositoryOf(call);
  if (repository === null)
    throw new PawlError(
      "repository-missing",
      `${call.folder} is not in a git repository.`,
      "Run `git init`.",
    );
  const scratch = openScratch(call, await configOf(call), repository.common, top ?? repository.top);
  try {
    return await work(scratch);
  } finally {
    scratch.close();
  }
}

/** Throws `git-failed` unless the text is an object's id. */
export function checkedId(id: string): string {
  if (isObjectId(id)) return id;
  throw new PawlError(
    "git-failed",
    `${JSON.stringify(id.slice(0, 80))} is not a tree id: expected 40 or 64 hexadecimal digits.`,
    "Hand the work in again.",
  );
}

/** The commit that work starts from; null if there is none. Never throws. */
export async function pin(call: GitCall, work: string): Promise<PinnedBase | null> {
  try {
    const [branch, commit] = await Promise.all([
      gitLine({ ...call, accept: [1, 128] }, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
      commitOf(call, "HEAD"),
    ]);
    if (commit === null) return null;
    if (branch !== "" && branch !== work) return { branch, commit };
    const fork = await forkOf({ ...call, accept: [1, 128] }, null, "HEAD");
    return "reason" in fork ? null : { branch: fork.base, commit: fork.commit };
  } catch {
    return null;
  }
}

/** The folder of the project inside a checkout of its repository. */
export function placeIn(call: GitCall, checkout: string): string {
  return join(checkout, prefixOf(call.folder));
}
