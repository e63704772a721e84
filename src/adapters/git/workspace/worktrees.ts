/** Implements the port `Worktrees` with real git. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import type {
  HeldLease,
  Meanwhile,
  Repo,
  SharedWorktrees,
  Worktree,
  Worktrees,
} from "../../../core/ports/worktrees.ts";
import { isThere } from "../../files/agent-folder.ts";
import { errnoOf, isAbsence } from "../../files/disk.ts";
import type { Wall } from "../../wall/wall.ts";
import { baseOf, checkOut, treeOf } from "../base.ts";
import { type Fence, openFence, pushFenced } from "../fence.ts";
import type { GitCall } from "../git.ts";
import { bringIn, prepareMerge, publishMerge, renewMerge, takeTurn } from "../merge.ts";
import { hookOptions, offerBranch, PUSH_LIMIT, push, type Send } from "../push.ts";
import { reached } from "../reached.ts";
import { workDone, worktreeState } from "../state.ts";
import { watchCheckout } from "../watch-checkout.ts";
import { ensureWorktree, insideOf } from "./ensure.ts";
import { removeWorktree } from "./remove.ts";
import { checkHeld, forgetWork, type Held, saveWork, takeUp } from "./wip.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";
import { worktreePathsOf } from "./worktree-paths.ts";

export interface WorktreesSetup {
  readonly filters?: GitCall["filters"];
  /** The wall for git in a workspace; absent: there is none. */
  readonly wall?: Wall | undefined;
  /** How a remote separates the workers of a task; by default by refs of Pawl's own. */
  readonly fence?: Pick<Fence, "kind" | "project">;
}

export function openWorktrees(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
  { fence = { kind: "refs", project: "" }, filters, wall }: WorktreesSetup = {},
): Worktrees {
  const workplace = openWorkplace(projectRoot, environment, filters, wall);
  const fenced = openFence(fence);
  const local: Worktrees = {
    ensure: (order) => ensureWorktree(workplace, order),
    list: async () => listWorktrees(workplace),
    done: (worktree, since) => workDone(workplace, worktree, since),
    state: (worktree, into) => worktreeState(workplace, worktree, into),
    // Behind the wall no agent can change it.
    watchCheckout: (repo) => (wall ? Promise.resolve(async () => NOTHING) : watchCheckout(workplace, repo)),
    reached: (order) => reached(workplace, order),
    push: (repo, branch, stop) => push(workplace, { repo, branch, stop }),
    leave: (repo, branch) => offerBranch(workplace, repo, branch),
    takeTurn: (repo, into, owner) => takeTurn(workplace, repo, into, owner),
    prepareMerge: (order) => prepareMerge(workplace, order),
    renewMerge: (order, merge) => renewMerge(workplace, order, merge),
    publishMerge: (order, merge) => publishMerge(workplace, order, merge),
    baseOf: (order) => baseOf(workplace, order),
    treeOf: (repo, commit) => treeOf(workplace, repo, commit),
    checkOut: (repo, commit) => checkOut(workplace, repo, commit),
    bringIn: (worktree, target) => bringIn(workplace, worktree, target),
    remove: (worktree, keep) => removeWorktree(workplace, worktree, keep),
    under: (lease) =>
      openShared(local, { workplace, fence: fenced, lease, taken: new Set(), saved: new Map() }),
  };
  return local;
}

/** The worktrees of work that other machines may take over. */
function openShared(local: Worktrees, held: Held): SharedWorktrees {
  const { lease, workplace } = held;
  return {
    ...local,
    ensure: (order) => takeUp(held, { ...order, adopts: true }),
    push: (repo, branch, stop) =>
      push(workplace, { repo, branch, stop }, async (call, order) =>
        checkHeld(await sendUnder(held, [lease])(call, order)),
      ),
    prepareMerge: (order) => prepareMerge(workplace, { ...order, remote: true }),
    publishMerge: (order, merge) => {
      const send = sendUnder(held, [lease, ...(order.lease ? [order.lease] : [])]);
      return publishMerge(workplace, { ...order, remote: true }, merge, async (call, target) => {
        const sent = await send(call, target);
        return sent.kind === "overtaken" && sent.lease !== lease
          ? { kind: "overtaken", by: sent.by }
          : checkHeld(sent);
      });
    },
    baseOf: (order) => baseOf(workplace, { ...order, remote: true }),
    bringIn: (worktree, target) => bringIn(workplace, worktree, { ...target, remote: true }),
    save: (worktree, order) => saveWork(held, worktree, order),
    forget: ({ repo, branch }) => forgetWork(held, repo, branch),
  };
}

const NOTHING: Meanwhile = { files: [], branches: [] };

function sendUnder({ fence }: Held, leases: readonly HeldLease[]) {
  return async (call: GitCall, { commit, ref, remote, stop }: Parameters<Send>[1]) =>
    pushFenced(fence, call, {
      ...{ remote, leases, stop },
      updates: [{ ref, commit }],
      hooks: await hookOptions(call),
      limit: PUSH_LIMIT,
    });
}

/** Lists the workspaces by the labels beside their folders, in the order of their names. */
function listWorktrees(workplace: Workplace): readonly Worktree[] {
  return namesIn(workplace.work).flatMap((repoName) =>
    namesIn(join(workplace.work, repoName)).flatMap((name) => {
      if (!name.startsWith("@of-")) return [];
      const label = readLabel(join(workplace.work, repoName, name));
      if (label === null) return [];
      const paths = worktreePathsOf(workplace, label.repo);
      const top = paths.worktree(label.branch);
      return isThere(top) ? [{ ...label, folder: insideOf(paths.checkout, top) }] : [];
    }),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (isAbsence(thrown) || errnoOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function readLabel(path: string): { readonly repo: Repo; readonly branch: string } | null {
  return attempt(() => {
    const label = JSON.parse(readFileSync(path, "utf8")) as { repo: Repo; branch: string };
    return typeof label.repo === "string" && typeof label.branch === "string" ? label : null;
  }, null);
}
