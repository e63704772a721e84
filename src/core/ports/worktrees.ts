/** Worktrees: where the work on tasks happens, and how it reaches a branch. */
import type { ProjectPath } from "../path.ts";

/**
 * A folder in which an agent works, and so may have put anything: links, pipes, a million names. It is no text, so that
 * no call of `node:fs` and no git takes it; few files open one, and `test/checks/architecture.test.ts` names them.
 */
export interface AgentFolder {
  readonly agentPath: string;
}

/** A repository of the project: a path inside it, or `.` for the project's own. */
export type Repo = ProjectPath | ".";

/** A changed file. `at`: when it last changed (ISO 8601); null if it is gone. */
export type ChangedOutside = Readonly<{ path: string; at: string | null }>;

/** A branch that moved from a commit to another. */
export type MovedBranch = Readonly<{ branch: string; from: string; to: string }>;

/** Changes outside a worktree during the work in it. */
export interface Meanwhile {
  readonly files: readonly ChangedOutside[];
  readonly branches: readonly MovedBranch[];
}

/** A branch of a repository, checked out in a folder of its own. */
export interface Worktree {
  readonly repo: Repo;
  readonly branch: string;
  readonly folder: AgentFolder;
}

/** A lease in its holder's hands. A later holder has a higher epoch. */
export interface HeldLease {
  readonly what: string;
  readonly epoch: number;
  readonly holder: string;
}

/**
 * Worktrees, and how work leaves them. Every method checks the present state before it acts, so it can be
 * called again after a crash; none ever discards work. If git itself fails (disk full) they throw
 * `git-failed`; without a repository, `repository-missing`. A method that contacts a remote takes a `stop`:
 * when aborted, it ends at once as if the remote were unreachable.
 */
export interface Worktrees {
  /**
   * The branch's worktree, made if it is missing: from the local branch, otherwise the remote's, otherwise
   * `base` (default: the branch that the repository has checked out). Concurrent calls for one repository
   * queue up. Throws `branch-invalid`, `branch-in-use` (checked out elsewhere; the message says where) and
   * `base-missing`. `lost`: the folder had lost its `.git`. Its content was moved there, and the worktree is
   * new.
   */
  ensure(order: EnsureOrder): Promise<EnsuredWorktree>;
  /** The worktrees that Pawl made and that still exist. */
  list(): Promise<readonly Worktree[]>;
  /**
   * The work in it: the first lines of the messages of the commits that `since` (a branch or a commit) lacks,
   * the oldest first, and the uncommitted files.
   */
  done(worktree: Worktree, since: string | undefined): Promise<WorkDone>;
  /** How far the work is. `into`: its target branch. */
  state(worktree: Worktree, into?: string): Promise<WorktreeState>;
  /**
   * Records the content of the repository's own checkout, and its branches' commits. The returned function
   * reports, once, what has changed since, without known changes of others: a commit of earlier edits, or a
   * log that another program has open; for branches, merges that Pawl published.
   */
  watchCheckout(repo: Repo): Promise<() => Promise<Meanwhile>>;
  /**
   * Whether `into`, local or remote, has every commit of the branch. `fetch`: fetches the remote's first;
   * `unreachable` if that fails and the answer is not yes without it.
   */
  reached(order: ReachedOrder): Promise<"yes" | "no" | "unreachable">;
  /** Pushes the branch to its remote, never forced. `unchanged`: the remote had it already. */
  push(repo: Repo, branch: string, stop?: AbortSignal): Promise<Pushed>;
  /**
   * Puts the branch into the person's repository: for work that a person inspects, or that is neither merged
   * nor pushed.
   */
  leave(repo: Repo, branch: string): Promise<void>;
  /**
   * Takes the merge lock of a branch: one owner at a time over all processes, free at once if its process
   * dies. `taken` names the owner.
   */
  takeTurn(repo: Repo, into: string, owner: string): Promise<MergeTurn>;
  /**
   * Makes the merge (by default a merge commit) in the separate folder of its slot, so that checks can run on
   * the result. It touches no branch and no person's checkout. With `remote`, it first fetches the remote's
   * target and merges onto that. Call it with the merge lock held.
   */
  prepareMerge(order: MergeOrder): Promise<PreparedMerge>;
  /** Makes the folder of a prepared merge again, so that nothing a check left there stays. */
  renewMerge(order: MergeOrder, merge: ReadyMerge): Promise<void>;
  /**
   * Moves `into` to the prepared commit, if it has not moved since the preparation: with `remote` first the
   * remote's branch, never forced, then the local one. A checkout of `into` follows. A checkout whose edits
   * would be overwritten stays untouched; without `remote` that stops the merge (`in-the-way`).
   */
  publishMerge(order: MergeOrder, merge: ReadyMerge): Promise<PublishedMerge>;
  /**
   * What a branch builds on. With `remote`, the remote's target is fetched first; if that fails, the local
   * knowledge of it counts. Null: the branch or its target does not exist.
   */
  baseOf(order: BaseOrder): Promise<Base | null>;
  /** The id of a commit's tree: equal for equal files. */
  treeOf(repo: Repo, commit: string): Promise<string>;
  /**
   * Checks a commit out in a fresh folder, apart from all work, to run a check on it alone. A repository has
   * one such folder: call it with a lease on that.
   */
  checkOut(repo: Repo, commit: string): Promise<CheckedOut>;
  /**
   * Merges the target (with `remote` also the local knowledge of the remote's) into the task's branch. Leaves
   * conflicts in its worktree for the agent to resolve and commit.
   */
  bringIn(worktree: Worktree, target: MergeTarget): Promise<BroughtIn>;
  /**
   * Removes the worktree, and on request the branch, if nothing would be lost: no uncommitted work, no stash, no
   * commits on another branch of its own, and every commit is in `into` (local or remote) or, without `into`, on
   * the remote's branch of that name; or in `landed`, a commit that the forge reports as merged. If the worktree
   * is already gone, only the branch is removed.
   */
  remove(worktree: Pick<Worktree, "repo" | "branch">, keep: Keep): Promise<Removed>;
  /**
   * The same for work on one task that other machines may take over: the remote gets everything first, and
   * refuses it once another worker holds the task's lease. Methods then throw `lease-lost`; `fence-refused`
   * if the remote cannot separate leases. `ensure` begins with the work that a worker elsewhere saved last.
   */
  under(lease: HeldLease): SharedWorktrees;
}

export interface EnsureOrder {
  readonly repo: Repo;
  readonly branch: string;
  readonly base?: string;
  /** Continues a branch of that name that Pawl did not make: the task names it. */
  readonly adopts?: boolean;
  /** The commit at which the task's run left its work. A branch that has it is the task's own. */
  readonly work?: string;
  /**
   * The work goes to a remote, so the base's upstream is fetched first, if it is reachable. Throws
   * `repository-missing` without a remote, and `branch-in-use` if the remote cannot take the branch's name.
   */
  readonly fetch?: boolean;
  readonly stop?: AbortSignal;
}

export interface BaseOrder extends MergeTarget {
  readonly repo: Repo;
  readonly branch: string;
  readonly stop?: AbortSignal;
}

export interface Base {
  /** The last commit of the target that the branch has. */
  readonly base: string;
  /** The target's present commit. */
  readonly target: string;
}

export interface CheckedOut {
  readonly folder: AgentFolder;
  /** Removes the folder. */
  release(): Promise<void>;
}

export interface ReachedOrder {
  readonly repo: Repo;
  readonly branch: string;
  readonly into: string;
  readonly fetch: boolean;
  readonly stop?: AbortSignal;
}

/** Where the branch's commits may be, so that no work is lost; and whether the branch stays. */
export interface Keep {
  readonly into?: string;
  readonly landed?: string;
  readonly branch: boolean;
}

/** The worktrees of a task that other machines may take over. */
export interface SharedWorktrees extends Worktrees {
  /**
   * Saves the worktree's content on the remote: its commits, and the uncommitted files unchanged. Only a
   * worker that takes the task over sees it there. `hurried`: the worker is about to end.
   */
  save(worktree: Worktree, order: { readonly hurried: boolean; readonly stop?: AbortSignal }): Promise<Saved>;
  /** Removes the saved work of a finished task from the remote. Best effort. */
  forget(worktree: Pick<Worktree, "repo" | "branch">): Promise<void>;
}

export type Saved =
  /** `commit`: the branch's, which the remote has now; `unchanged`: it had everything. */
  | { readonly kind: "saved" | "unchanged"; readonly commit: string }
  /** A rule of the remote rejects it: another try does not help. */
  | { readonly kind: "rejected" | "unreachable"; readonly reason: string };

export interface EnsuredWorktree extends Worktree {
  /** `elsewhere`: a worker on another machine saved it. */
  readonly from: "kept" | "local" | "remote" | "base" | "elsewhere";
  readonly lost?: AgentFolder;
  /** The branch's commit as far as its work has come in. */
  readonly head: string | null;
  /** The new place of the folder's content, if another machine had continued without it. */
  readonly aside?: AgentFolder;
}

export interface WorkDone {
  readonly commits: readonly string[];
  readonly uncommitted: readonly string[];
}

export interface WorktreeState {
  /** The branch checked out there (an agent may have switched), or null if HEAD is detached. */
  readonly branch: string | null;
  readonly head: string | null;
  /** Paths, including untracked files but not ignored ones. */
  readonly uncommitted: readonly string[];
  /** The paths of hooks that may refuse a commit. Searched only if something is uncommitted. */
  readonly hooks: readonly string[];
  /** An unfinished git operation there. */
  readonly unfinished: "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | null;
  /**
   * The number of commits that both the local `into` and the remote's lack; null if no `into` is given, or it
   * does not exist.
   */
  readonly unmerged: number | null;
  /**
   * The number of commits that the remote's branch lacks, without querying it; null if it has no such branch.
   */
  readonly unpushed: number | null;
}

export type Pushed =
  | { readonly kind: "pushed" | "unchanged"; readonly commit: string; readonly remote: string }
  /** The remote has commits that the branch lacks, or a rule of its own rejects the push. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Network, credentials, time limit: retry. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "no-remote" };

export type MergeTurn =
  /** `lease`: the one on the target, if other machines merge into it, too. */
  | { readonly kind: "mine"; readonly lease?: HeldLease; release(): Promise<void> }
  | { readonly kind: "taken"; readonly owner: string };

export interface MergeTarget {
  readonly into: string;
  /** The remote's branch is the target, if there is a remote. The local one follows it. */
  readonly remote?: boolean;
}

/** A merge commit, one squashed commit, or each commit rebased onto the target. */
export type Delivery = "merge" | "squash" | "rebase";

export interface MergeOrder extends MergeTarget {
  readonly repo: Repo;
  readonly branch: string;
  /** How the branch's commits come into the target; default: merge. */
  readonly how?: Delivery;
  /**
   * The new commit's message. `{commits}`: the messages of the branch's own; `{type}`: the type in the title
   * of the first of them (`feat: …`), or chore.
   */
  readonly message: string;
  /**
   * A merge commit that was prepared earlier. It may have been published by a process that died before it
   * reported that.
   */
  readonly earlier?: string;
  /** A merge commit that is about to be published. It replaces the target, and nothing is fetched. */
  readonly onto?: string;
  /**
   * The number of the folder in which the merge is made. Concurrent merges into one branch use different
   * ones.
   */
  readonly slot?: number;
  /** The lease on the target, if other machines merge into it, too. */
  readonly lease?: HeldLease;
  /** Aborted: calls to the remote end at once as if it were unreachable. */
  readonly stop?: AbortSignal;
}

/** A merge commit, and the commits of its targets when it was made. */
export interface ReadyMerge {
  readonly commit: string;
  /** The local branch's commit. */
  readonly onto: string;
  /**
   * The commit that the branch was merged onto: the target, with the remote's commits. Equal to `commit` if
   * the target already has the branch.
   */
  readonly base: string;
  /**
   * The remote, which gets it first. `at`: the remote branch's commit; null if the remote has no such branch
   * yet.
   */
  readonly remote?: { readonly name: string; readonly at: string | null };
}

export type PreparedMerge =
  | ({ readonly kind: "prepared"; readonly folder: AgentFolder } & ReadyMerge & EarlierMerge)
  /** `into` already holds the branch's commits, the local one and the remote's. */
  | ({ readonly kind: "merged-already"; readonly commit: string } & EarlierMerge)
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  /** The local and the remote's `into` each have commits that the other lacks, and these conflict. */
  | { readonly kind: "diverged"; readonly remote: string; readonly files: readonly string[] }
  | { readonly kind: "missing"; readonly branch: string }
  /** The branch's commits contain files that must not be in a repository. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** Null: the target lacks the merge that was prepared earlier, or there was none. */
interface EarlierMerge {
  readonly earlier: string | null;
}

export type PublishedMerge =
  /** `behind`: the remote has it, but edits in a checkout kept the local branch from following. */
  | { readonly kind: "published"; readonly commit: string; readonly behind?: InTheWay }
  /** `into` has moved since: prepare again. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "in-the-way" } & InTheWay)
  /** Another worker holds the lease on the target now. */
  | { readonly kind: "overtaken"; readonly by: string }
  /** A rule of the remote rejects it: another try does not help. */
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

export interface InTheWay {
  readonly reason: string;
  readonly files: readonly string[];
}

export type BroughtIn =
  | { readonly kind: "clean" | "unchanged" }
  | { readonly kind: "conflicts"; readonly files: readonly string[] };

export type Removed =
  | { readonly kind: "removed" | "gone-already" }
  | {
      readonly kind: "kept";
      readonly reason: "uncommitted" | "unfinished" | "unmerged" | "other";
      readonly detail: string;
    };
