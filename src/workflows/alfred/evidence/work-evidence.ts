/**
 * The submitted work as the server sees it: one tree, made from the files themselves, compared with the
 * commit that the work started from. Findings about anything that could make evidence look better than the
 * work come first.
 */
import type { ChangedFile, Snapshot } from "../../../core/ports/git.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import { type ProcessFileKind, processFiles } from "../../../core/process-files.ts";
import type { Context } from "../../../runtime/module.ts";
import { branchOf, type LoadedRun } from "../state/load.ts";
import { baseOf, named } from "./diff-evidence.ts";
import type { Finding } from "./evidence.ts";
import { branchWords, isOwn, sameBranch } from "./git-evidence.ts";

/** Tasks' files and Pawl's own change with every call, so they are not part of the work. */
function ownPaths({ settings }: Context): readonly string[] {
  return [".alfred", ".pawl", settings.bloom.tasks_file];
}

export function inspectWork(run: LoadedRun, outside: Outside, context: Context): Promise<Snapshot> {
  return outside.git.snapshot({ base: baseOf(run), own: ownPaths(context) });
}

/** The files that the work changed, without the project's own. */
export function changedIn(work: Snapshot, { settings }: Context): readonly ChangedFile[] {
  if (work.kind !== "tree") return [];
  return work.files.filter(({ path }) => !isOwn(path) && path !== settings.bloom.tasks_file);
}

/**
 * Warnings that a reviewer must see first: work on another branch, changed process files, a base that moved, files
 * that git would not see.
 */
export function warningsOf(work: Snapshot, { state }: LoadedRun, context: Context): readonly Finding[] {
  if (work.kind !== "tree") return [];
  return [
    ...branchFinding(work, branchOf(state)),
    ...processFinding(changedIn(work, context)),
    ...baseFinding(work),
    ...hiddenFinding(work.hidden),
  ];
}

/** The subjects of these warnings. */
export const WARNINGS: readonly string[] = ["work", "branch", "process files", "base", "hidden files"];

const KINDS: readonly ProcessFileKind[] = ["tests", "scripts", "CI", "lock files", "configuration"];

function processFinding(changed: readonly ChangedFile[]): readonly Finding[] {
  const deciding = processFiles(changed.map(({ path }) => path.replace(/^(?:\.\.\/)+/, "")));
  if (deciding.length === 0) return [];
  const byKind = KINDS.flatMap((kind) => {
    const paths = deciding.filter((file) => file.kind === kind).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${kind}: ${named(paths)}`];
  });
  const words = `The work changes what decides whether it passes. Read these changes first: ${byKind.join("; ")}.`;
  return [{ about: "process files", verdict: "unknown", words }];
}

/** `made`: the branch that was made for the work; null: none. */
function branchFinding({ branch }: Extract<Snapshot, { kind: "tree" }>, made: string | null) {
  if (made === null || sameBranch(made, branch)) return [];
  const words = `The work is on the branch ${branchWords(branch)}, not on ${branchWords(made)}, which was made for it.`;
  return finding("branch", "differs", words);
}

function baseFinding(work: Extract<Snapshot, { kind: "tree" }>): readonly Finding[] {
  const { base, branchNow, holdsBase } = work;
  if (base === null) return [];
  if (!base.isPinned)
    return finding(
      "base",
      "unknown",
      `No base was pinned when the task began: ${base.branch} counts as it is now.`,
    );
  const at = `${base.commit.slice(0, 12)} of ${base.branch}, at which the work began`;
  if (!holdsBase)
    return finding("base", "differs", `What is checked out does not have ${at}, in its history.`);
  if (branchNow === base.commit) return [];
  const now = branchNow === null ? "is gone" : `is at ${branchNow.slice(0, 12)} now`;
  return finding(
    "base",
    "unknown",
    `The branch ${base.branch} ${now}. The work is compared with ${at}: what was merged since is part of it.`,
  );
}

function hiddenFinding(hidden: Extract<Snapshot, { kind: "tree" }>["hidden"]): readonly Finding[] {
  if (hidden.length === 0) return [];
  const theRepositorys = hidden.filter(({ by }) => by === "repository").map(({ path }) => path);
  const isProcess = processFiles(theRepositorys).length > 0;
  const words = `No .gitignore names these files, yet git would not see them (info/exclude, core.excludesFile): ${named(hidden.map(({ path }) => path))}. They are no part of what was handed in.`;
  return finding("hidden files", isProcess ? "differs" : "unknown", words);
}

function finding(about: string, verdict: Finding["verdict"], words: string): readonly Finding[] {
  return [{ about, verdict, words }];
}

/**
 * A finding if the work is no longer the tree that was submitted; none if it is, or if no tree was stored.
 */
export async function changedSince(
  tree: string | undefined,
  work: Snapshot,
  outside: Outside,
): Promise<readonly Finding[]> {
  if (tree === undefined) return [];
  if (work.kind !== "tree") {
    const reason =
      work.kind === "unavailable" ? work.reason : "the project's folder is no longer a git repository";
    return finding("work", "differs", `Whether the work is still what was handed in is unknown: ${reason}`);
  }
  if (work.tree === tree) return [];
  const changed = await outside.git.between(tree, work.tree);
  const files =
    changed === null || changed.length === 0 ? "" : `: files ${named(changed.map(({ path }) => path))}`;
  return finding(
    "work",
    "differs",
    `The work changed after it was handed in${files}. What is there now has not been handed in.`,
  );
}
