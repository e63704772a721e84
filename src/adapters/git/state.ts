/**
 * Reads the state of the work in a workspace, after bringing the agent's commits into the hub. Uncommitted files
 * are found through a separate git folder, so that nothing in the workspace's own can hide them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObjectId } from "../../core/id.ts";
import type { AgentFolder, Repo, WorkDone, Worktree, WorktreeState } from "../../core/ports/worktrees.ts";
import { kindIn } from "../files/agent-folder.ts";
import { beside, topOf } from "../process/work-folder.ts";
import { configOf, type GitAnswer, type GitCall, gitError, gitLine } from "./git.ts";
import { follow, formOf, openHub } from "./hub.ts";
import { moveRef } from "./hub-refs.ts";
import { countMissing } from "./reader.ts";
import {
  branchRefs,
  commitOf,
  newestRefs,
  OPERATIONS,
  type Operation,
  remoteOf,
  upstreamOf,
} from "./refs.ts";
import { isSigning, signed } from "./sign.ts";
import { parseStatus } from "./status.ts";
import { handIn, refusedWorkError, type Tip } from "./workspace/hand-in.ts";
import { inside } from "./workspace/inside.ts";
import { bringLarge, isLargeName, MAX_LARGE } from "./workspace/large.ts";
import { HAS_CHANGED, takeChangedIn } from "./workspace/left-out.ts";
import { makeGitFolder } from "./workspace/skeleton.ts";
import { isWhole } from "./workspace/whole.ts";
import type { Workplace } from "./workspace/workplace.ts";
import { checkBranch, checkoutOf } from "./workspace/worktree-paths.ts";

/** A workspace's content, once the hub has its commits. */
export interface Held {
  readonly hub: GitCall;
  /** The branch that is checked out; null: HEAD is detached. */
  readonly branch: string | null;
  readonly head: string | null;
  /** The commits with work: that of the task's branch, and HEAD's. */
  readonly tips: readonly string[];
  /** Paths from the top of the workspace. */
  readonly uncommitted: readonly string[];
  readonly unfinished: Operation | null;
}

/** The hub's ref for a workspace's HEAD, if that is not its task's branch. */
export function checkedOut(branch: string): string {
  return `refs/pawl/head/${branch}`;
}

/** Throws `git-failed` if the commits cannot be brought into the hub. */
export async function holdings(workplace: Workplace, { branch, folder, repo }: Worktree): Promise<Held> {
  const hub = await openHub(workplace, repo);
  const from = workplace.call(checkoutOf(workplace.projectRoot, repo));
  const top = topOf(folder);
  if (!isWhole(top)) throw gitError(["status"], top.agentPath, "it has lost its .git");
  const [ref, headRef] = [`refs/heads/${branch}`, checkedOut(branch)];
  const [branchTip, elsewhere] = [await commitOf(hub, ref), await commitOf(hub, headRef)];
  const paths = { hub, from, top, branch };
  let state = await readCheckout(workplace, paths, [branchTip, elsewhere]);
  if (state.head === null && state.tip === null)
    throw gitError(
      ["status"],
      top.agentPath,
      "its .git is damaged: no commit is found on HEAD or on its branch",
    );
  const tips: Tip[] = [];
  if (state.tip !== null && state.tip !== branchTip) tips.push({ ref, commit: state.tip, before: branchTip });
  if (state.head !== null && state.head !== state.tip && state.head !== elsewhere)
    tips.push({ ref: headRef, commit: state.head, before: elsewhere });
  if (tips.length > 0) {
    const refs = await newestRefs(hub, ["refs/heads", "refs/person", "refs/pawl"]);
    const refused = await handIn(workplace, hub, top, tips, [...new Set(refs.values())]);
    if (refused !== null) throw refusedWorkError(folder, branch, refused);
    await bringLarge(workplace, hub, top, state.large);
  }
  const { tip } = state;
  if (tip !== null && tip !== branchTip && state.branch === branch && state.unfinished === null)
    state = { ...state, ...(await signTip(workplace, paths, tip, branchTip)) };
  if (state.status === null) state = await readCheckout(workplace, paths, [state.head]);
  const { uncommitted } = parseStatus(state.status ?? "");
  return {
    ...{ hub, uncommitted },
    branch: state.branch,
    head: state.head,
    tips: [...new Set([state.tip, state.head])].filter((tip) => tip !== null),
    unfinished: state.unfinished,
  };
}

interface WorkspacePaths {
  readonly hub: GitCall;
  /** The person's repository. */
  readonly from: GitCall;
  readonly top: AgentFolder;
  readonly branch: string;
}

const TIP = `
git update-ref "refs/heads/$1" "$2" "$3"
`;

/**
 * Signs the agent's commits like the person's, outside the wall. The workspace's branch follows, with the
 * same files.
 */
async function signTip(
  workplace: Workplace,
  { branch, from, hub, top }: WorkspacePaths,
  tip: string,
  before: string | null,
): Promise<{ readonly tip?: string; readonly head?: string; readonly status?: null }> {
  if (!(await isSigning(from))) return {};
  const order = [
    "rev-list",
    "--reverse",
    "--topo-order",
    tip,
    "--not",
    ...(before ? [before] : []),
    "--glob=refs/person",
  ];
  const commits = (await gitLine(hub, order)).split("\n").filter(Boolean);
  const anew = await signed({ from, hub }, commits, tip);
  if (anew === tip) return {};
  await inside(workplace, { folder: top, script: TIP, args: [branch, anew, tip] });
  await moveRef(hub, `refs/heads/${branch}`, anew, tip);
  return { tip: anew, head: anew, status: null };
}

interface CheckoutState {
  readonly branch: string | null;
  readonly head: string | null;
  /** The commit of the task's branch. */
  readonly tip: string | null;
  readonly unfinished: Operation | null;
  /** Files of Git LFS in them, by their hashes. */
  readonly large: readonly string[];
  /** Null: the hub lacks HEAD's commit, so there is nothing to compare with. */
  readonly status: string | null;
}

const READ_LIMIT = 180_000;

/** `read-tree` leaves out no sparse paths. In an empty folder git marks them, and touches no file. */
const SPARSE = `[ ! -f "$look/info/sparse-checkout" ] || [ "$(git config --type=bool core.sparsecheckout)" != true ] ||
      { mkdir -p "$look/none" && GIT_WORK_TREE="$look/none" git sparse-checkout reapply; } || exit`;

const READ_CHECKOUT = `
look=$1 branch=$2; shift 2
pipe=$(find .git -type p -print -quit)
[ -z "$pipe" ] || { echo "$pipe is a pipe: expected git's own files in its .git" >&2; exit 1; }
# Where git's files name the task's branch and a commit, no git is needed to say so.
ref= head= tip=
line() { found=; [ -f "$1" ] && { read -r found <"$1" || [ -n "$found" ]; }; }
line .git/HEAD && [ ! -e .git/reftable ] && ref=\${found#ref: }
if [ "$ref" = "refs/heads/$branch" ] && line ".git/$ref"; then
  case " $* " in *" $found "*) head=$found tip=$found ;; esac
  # A new commit is a file of its own; the hub finds out whether it is one.
  case "$found" in *[!0-9a-f]*) ;; ??*) [ ! -f ".git/objects/\${found%"\${found#??}"}/\${found#??}" ] || head=$found tip=$found ;; esac
fi
if [ -z "$head" ]; then
  case "$ref" in refs/heads/*) ;; *) ref=$(git symbolic-ref --quiet HEAD) ;; esac
  said=$(printf '%s^{commit}\\n' HEAD "refs/heads/$branch" | git cat-file --batch-check='%(objectname)') || exit 1
  head=\${said%%
*} tip=\${said#*
}
fi
printf '%s\\0' "$ref" "$head" "$tip"
for name in ${OPERATIONS.map(([file]) => file).join(" ")}; do [ -e ".git/$name" ] && printf '%s ' "$name"; done
printf '\\0'
find .git/lfs/objects -type f 2>/dev/null | sed 's|.*/||' | head -n ${MAX_LARGE}; printf '\\0'
case "$head" in "" | *missing) head=none ;; esac
case " $* " in *" $head "*) ;; *) exit 0 ;; esac
export GIT_OPTIONAL_LOCKS=1 GIT_DIR="$look" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$look/index"
if [ "$(cat "$look/at" 2>/dev/null)" != "$head" ]; then
  if [ "$head" = none ]; then git read-tree --empty; else
    echo "$head" >"$look/HEAD"
    git read-tree -i -m "$head" 2>/dev/null || git read-tree "$head" || exit
    ${SPARSE}
  fi
  echo "$head" >"$look/at"
fi
if ${HAS_CHANGED}; then printf 'changed\\0'; exit 0; fi
printf 'status\\0'
git status --porcelain=v2 --branch -z --untracked-files=all --ignore-submodules=dirty
`;

async function readCheckout(
  workplace: Workplace,
  paths: WorkspacePaths,
  refs: readonly (string | null)[],
): Promise<CheckoutState> {
  const answer = await askCheckout(workplace, paths, refs);
  if (!answer.output.endsWith("\0changed\0")) return parseCheckout(answer);
  await takeChangedIn(workplace, paths.top);
  return parseCheckout(await askCheckout(workplace, paths, refs));
}

async function askCheckout(
  workplace: Workplace,
  { branch, from, hub, top }: WorkspacePaths,
  known: readonly (string | null)[],
): Promise<GitAnswer> {
  const scratch = await openScratch(hub, top);
  const args = [scratch, branch, ...known.map((commit) => commit ?? "none")];
  return inside(workplace, {
    folder: top,
    from,
    script: READ_CHECKOUT,
    args,
    writes: [scratch],
    readOnly: true,
    limit: READ_LIMIT,
  });
}

function parseCheckout({ output }: GitAnswer): CheckoutState {
  const [ref = "", head = "", tip = "", operations = "", large = "", ...rest] = output.split("\0");
  const at = output.indexOf("\0status\0");
  return {
    branch: ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null,
    head: isObjectId(head) ? head : null,
    tip: isObjectId(tip) ? tip : null,
    large: large.split("\n").filter(isLargeName),
    unfinished: OPERATIONS.find(([file]) => operations.split(" ").includes(file))?.[1] ?? null,
    status: rest[0] === "status" ? output.slice(at + "\0status\0".length) : null,
  };
}

/** A git folder for inspecting a workspace: it has the hub's objects, and no agent can write it. */
export async function openScratch(hub: GitCall, top: AgentFolder): Promise<string> {
  const scratch = beside(top, "look");
  if (existsSync(join(scratch, "config"))) return scratch;
  const settings = formOf(await configOf(hub), { bare: false });
  makeGitFolder(scratch, { settings, objects: [join(hub.folder, "objects")] });
  return scratch;
}

const END_REBASE = `
[ -f .git/rebase-merge/git-rebase-todo ] && ! grep -q '^[^#]' .git/rebase-merge/git-rebase-todo || exit 3
git rebase --continue >&2
`;

/** Ends a rebase that lacks only its end, because agents commit the last conflict and stop there. */
async function settled(workplace: Workplace, worktree: Worktree): Promise<Held> {
  const held = await holdings(workplace, worktree);
  if (held.unfinished !== "rebase" || held.uncommitted.length > 0) return held;
  const order = {
    folder: worktree.folder,
    from: workplace.call(checkoutOf(workplace.projectRoot, worktree.repo)),
  };
  const { code } = await inside(workplace, {
    ...order,
    script: END_REBASE,
    accept: [1, 3, 128],
    limit: READ_LIMIT,
  });
  return code === 0 ? holdings(workplace, worktree) : held;
}

// ── The port's answers ───────────────────────────────────────────────────────────────────────────────────────────

export async function worktreeState(
  workplace: Workplace,
  worktree: Worktree,
  into?: string,
): Promise<WorktreeState> {
  const { branch, head, hub, tips, uncommitted, unfinished } = await settled(workplace, worktree);
  const from = workplace.call(checkoutOf(workplace.projectRoot, worktree.repo));
  const remote = await remoteOf(from, worktree.branch);
  const far = `refs/remotes/${remote}/${worktree.branch}`;
  const pushed = remote ? (await follow(hub, from, [far])).get(far) : undefined;
  return {
    branch,
    head,
    uncommitted,
    hooks: uncommitted.length === 0 ? [] : commitHooks(worktree.folder),
    unfinished,
    unmerged: into === undefined ? null : await unmergedCommits(workplace, hub, worktree.repo, tips, into),
    unpushed: pushed ? await countMissing(hub, tips, [pushed]) : null,
  };
}

const MAX_COMMITS = 30;

export async function workDone(
  workplace: Workplace,
  worktree: Worktree,
  since: string | undefined,
): Promise<WorkDone> {
  const { head, hub, uncommitted } = await holdings(workplace, worktree);
  const bases = since === undefined ? [] : await basesOf(workplace, hub, worktree.repo, since);
  if (bases.length === 0 || head === null) return { commits: [], uncommitted };
  const shape = ["--format=%s", "--reverse", `--max-count=${MAX_COMMITS}`];
  const lines = await gitLine(hub, ["log", ...shape, head, "--not", ...bases, "--"]);
  return { commits: lines.split("\n").filter(Boolean), uncommitted };
}

const COMMIT_HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/** The workspace's hooks, or husky's, which a commit runs. */
function commitHooks(folder: AgentFolder): readonly string[] {
  const top = topOf(folder);
  return [".git/hooks", ".husky"]
    .flatMap((hooks) => COMMIT_HOOKS.map((name) => `${hooks}/${name}`))
    .filter((path) => kindIn(top, path) !== null)
    .map((path) => join(top.agentPath, path));
}

/** How many commits are in neither the local nor the remote's `into`; null if there is no such branch. */
export async function unmergedCommits(
  workplace: Workplace,
  hub: GitCall,
  repo: Repo,
  tips: readonly string[],
  into: string,
): Promise<number | null> {
  const targets = await basesOf(workplace, hub, repo, into);
  return targets.length === 0 ? null : countMissing(hub, tips, targets);
}

/**
 * The commits of a branch of the person's repository, the local one and the remote's; or the given commit
 * itself.
 */
async function basesOf(
  workplace: Workplace,
  hub: GitCall,
  repo: Repo,
  name: string,
): Promise<readonly string[]> {
  if (isObjectId(name)) return [name];
  checkBranch(name);
  const from = workplace.call(checkoutOf(workplace.projectRoot, repo));
  const refs = branchRefs(name, await upstreamOf(from, name));
  return [...(await follow(hub, from, refs)).values()];
}
