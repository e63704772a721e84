/** Branches and merges as a graph of commits in memory, and the folders in which agents work. */
import type { MergeOrder, Worktree, Worktrees } from "../../../src/core/ports/worktrees.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import type { Process, Simulator } from "./simulator.ts";

export interface MemoryGit {
  readonly heads: Map<string, string>;
  /** Commits anew on the branch. */
  commit(branch: string): void;
  /** A commit that joins the branch and the other. */
  join(branch: string, other: string): void;
  isIn(branch: string, into: string): boolean;
  /** The trees of commits that have no tree of their own. */
  readonly trees: Map<string, string>;
  /** Commits from which on the check fails, and those that mend it. */
  readonly breaks: Set<string>;
  readonly mends: Set<string>;
  /** The commits that were checked out by themselves, in order. */
  readonly checkedOut: string[];
  /** The merges whose folders were made anew. */
  readonly renewed: string[];
  /** What came into branches while they were worked on. */
  readonly broughtIn: { readonly branch: string; readonly at: string | undefined }[];
  /** Whether the check fails on what the folder holds. */
  isRed(folder: string): boolean;
  /** Branches whose merge conflicts until they were joined with the target. */
  readonly conflicting: Set<string>;
  /** How often the remote is yet to be out of reach. */
  away: number;
  onPublish(order: MergeOrder, by: Process): void;
  onFault(what: string): void;
  worktreesOf(process: Process): Worktrees;
}

/** `remote`: there is one to push to, which has at once what is pushed. */
export function openMemoryGit(simulator: Simulator, disk: MemoryDisk, { remote = false } = {}): MemoryGit {
  const parents = new Map<string, readonly string[]>([["c0", []]]);
  const heads = new Map([["main", "c0"]]);
  const conflicting = new Set<string>();
  /** What each folder for merges holds now, by its process. */
  const slots = new Map<string, string>();
  const slotOf = (process: Process, { into, slot = 0 }: MergeOrder) => `${process.name} ${into} ${slot}`;
  const add = (...of: readonly string[]) => {
    const id = `c${parents.size}`;
    parents.set(id, of);
    return id;
  };
  const history = (commit: string | undefined): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = commit === undefined ? [] : [commit];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(parents.get(next) ?? []));
    }
    return found;
  };
  const contains = (whole: string | undefined, part: string | undefined) =>
    part !== undefined && history(whole).has(part);
  const folderOf = (branch: string) => ({ agentPath: `/worktrees/${branch}` });
  const missing = (branch: string | undefined, others: readonly (string | undefined)[]) =>
    [...history(branch)].filter((commit) => !others.some((other) => contains(other, commit))).length;

  const commitIn = (folder: string) =>
    heads.get(folder.slice("/worktrees/".length)) ?? folder.slice("/at/".length);
  const git: MemoryGit = {
    heads,
    trees: new Map(),
    breaks: new Set(),
    mends: new Set(),
    checkedOut: [],
    renewed: [],
    broughtIn: [],
    isRed(folder) {
      const all = history(commitIn(folder));
      return [...git.breaks].some((each) => all.has(each)) && ![...git.mends].some((each) => all.has(each));
    },
    conflicting,
    away: 0,
    commit: (branch) => void heads.set(branch, add(heads.get(branch) as string)),
    join(branch, other) {
      heads.set(branch, add(heads.get(branch) as string, heads.get(other) as string));
      conflicting.delete(branch);
    },
    isIn: (branch, into) => contains(heads.get(into), heads.get(branch)),
    onPublish: () => {},
    onFault: () => {},
    worktreesOf: (process) => worktreesOf(process),
  };

  const isAway = () => git.away > 0 && git.away-- > 0;
  const AWAY = { kind: "unreachable", reason: "Could not resolve host" } as const;

  const worktreesOf = (process: Process): Worktrees => {
    const step = (what: string) => simulator.step(process, what);
    const own: Worktrees = {
      async ensure({ repo, branch, base }) {
        await step(`worktree of ${branch}`);
        const kept = heads.has(branch);
        if (!kept) heads.set(branch, heads.get(base ?? "main") as string);
        const head = heads.get(branch) ?? null;
        return { repo, branch, folder: folderOf(branch), from: kept ? "kept" : "base", head };
      },
      list: async () => [],
      async state({ branch }: Worktree, into?: string) {
        await step("");
        const unmerged = into === undefined ? null : missing(heads.get(branch), [heads.get(into)]);
        return {
          branch,
          head: heads.get(branch) ?? null,
          uncommitted: [],
          hooks: [],
          unfinished: null,
          unmerged,
          unpushed: null,
        };
      },
      watchCheckout: async () => async () => ({ files: [], branches: [] }),
      reached: async ({ branch, into }) => (git.isIn(branch, into) ? "yes" : "no"),
      async push(_, branch) {
        if (!remote) return { kind: "no-remote" };
        await step(`pushes ${branch}`);
        if (isAway()) return AWAY;
        return { kind: "pushed", commit: heads.get(branch) ?? "", remote: "origin" };
      },
      async takeTurn(_, into, owner) {
        await step("");
        const turn = disk.turns.get(into);
        if (turn) return { kind: "taken", owner: turn.owner };
        disk.turns.set(into, { process, owner });
        return {
          kind: "mine",
          async release() {
            await step(`${owner} lets go of the turn`);
            if (disk.turns.get(into)?.owner === owner) disk.turns.delete(into);
          },
        };
      },
      async renewMerge(order, merge) {
        await step(`makes the merge of ${order.branch} anew`);
        slots.set(slotOf(process, order), merge.commit);
        git.renewed.push(merge.commit);
      },
      async prepareMerge(order) {
        await step(`prepares the merge of ${order.branch} on ${order.onto ?? order.into}`);
        const branch = heads.get(order.branch);
        const onto = order.onto ?? heads.get(order.into);
        if (branch === undefined || onto === undefined) return { kind: "missing", branch: order.branch };
        if (contains(onto, branch)) {
          const earlier = contains(onto, order.earlier) ? (order.earlier as string) : null;
          return { kind: "merged-already", commit: onto, earlier };
        }
        if (conflicting.has(order.branch)) return { kind: "conflicts", files: ["same.txt"] };
        const commit = add(onto, branch);
        slots.set(slotOf(process, order), commit);
        return {
          kind: "prepared",
          folder: { agentPath: `/at/${commit}` },
          commit,
          base: onto,
          onto,
          earlier: null,
        };
      },
      async publishMerge(order, { commit, onto }) {
        await step(`publishes the merge of ${order.branch}`);
        if (order.remote && isAway()) return AWAY;
        if (contains(heads.get(order.into), commit)) return { kind: "published", commit };
        if (heads.get(order.into) !== onto) return { kind: "moved" };
        if (!parents.get(commit)?.includes(onto)) git.onFault(`${commit} is published, and lacks ${onto}`);
        if (slots.get(slotOf(process, order)) !== commit)
          git.onFault(`${commit} is published, and another merge was prepared in its folder`);
        heads.set(order.into, commit);
        git.onPublish(order, process);
        await step("");
        return { kind: "published", commit };
      },
      async bringIn({ branch }, { into }) {
        await step(`brings ${into} into ${branch}`);
        if (conflicting.has(branch)) return { kind: "conflicts", files: ["same.txt"] };
        if (git.isIn(into, branch)) return { kind: "unchanged" };
        git.broughtIn.push({ branch, at: heads.get(into) });
        if (git.isIn(branch, into)) heads.set(branch, heads.get(into) as string);
        else git.join(branch, into);
        return { kind: "clean" };
      },
      leave: async () => {},
      async baseOf({ branch, into }) {
        await step("");
        const [own, target] = [heads.get(branch), heads.get(into)];
        if (own === undefined || target === undefined) return null;
        const shared = [...history(own)].find((commit) => contains(target, commit));
        return shared === undefined ? null : { base: shared, target };
      },
      treeOf: async (_, commit) => git.trees.get(commit) ?? commit,
      async checkOut(_, commit) {
        await step(`checks out ${commit}`);
        git.checkedOut.push(commit);
        return { folder: { agentPath: `/at/${commit}` }, release: async () => {} };
      },
      remove: async () => ({ kind: "gone-already" }),
      done: async () => ({ commits: [], uncommitted: [] }),
      under: () => ({
        ...own,
        save: async ({ branch }) => ({ kind: "unchanged", commit: heads.get(branch) ?? "" }),
        forget: async () => {},
      }),
    };
    return own;
  };
  return git;
}
