/** Implements the port `Worktrees` with real git. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { Repo, Worktree, Worktrees } from "../../core/ports/worktrees.ts";
import { isAbsence } from "../files/disk.ts";
import { ensureWorktree } from "./ensure.ts";
import type { GitCall } from "./git.ts";
import { bringIn, leaveOut, prepareMerge, publishMerge, takeTurn } from "./merge.ts";
import { push } from "./push.ts";
import { reached } from "./reached.ts";
import { removeWorktree } from "./remove.ts";
import { worktreeState } from "./state.ts";
import { watchCheckout } from "./watch-checkout.ts";
import { openWorkplace } from "./workplace.ts";
import { WORKTREES, worktreePathsOf } from "./worktree-paths.ts";

export function openWorktrees(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
  filters?: GitCall["filters"],
): Worktrees {
  const place = openWorkplace(projectRoot, environment, filters);
  return {
    ensure: (order) => ensureWorktree(place, order),
    list: async () => listWorktrees(place.projectRoot),
    state: (worktree, into) => worktreeState(place, worktree, into),
    watchCheckout: (repo) => watchCheckout(place, repo),
    reached: (order) => reached(place, order),
    push: (repo, branch, stop) => push(place, repo, branch, stop),
    takeTurn: (repo, into, owner) => takeTurn(place, repo, into, owner),
    prepareMerge: (order) => prepareMerge(place, order),
    publishMerge: (order, merge) => publishMerge(place, order, merge),
    leaveOut: (order, merge) => leaveOut(place, order, merge),
    bringIn: (worktree, target) => bringIn(place, worktree, target),
    remove: (worktree, keep) => removeWorktree(place, worktree, keep),
  };
}

/** Lists the worktrees by the labels beside their folders, in the order of their names. */
function listWorktrees(projectRoot: string): readonly Worktree[] {
  return namesIn(join(projectRoot, WORKTREES)).flatMap((repoName) =>
    namesIn(join(projectRoot, WORKTREES, repoName)).flatMap((name) => {
      if (!name.startsWith("@of-")) return [];
      const label = readLabel(join(projectRoot, WORKTREES, repoName, name));
      if (label === null) return [];
      const folder = worktreePathsOf(projectRoot, label.repo).worktree(label.branch);
      return existsSync(folder) ? [{ ...label, folder }] : [];
    }),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (isAbsence(thrown)) return [];
    throw thrown;
  }
}

function readLabel(path: string): { readonly repo: Repo; readonly branch: string } | null {
  return attempt(() => {
    const label = JSON.parse(readFileSync(path, "utf8")) as { repo: Repo; branch: string };
    return typeof label.repo === "string" && typeof label.branch === "string" ? label : null;
  }, null);
}
