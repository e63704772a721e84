/** Worktrees: where tasks are worked on, and how their work reaches a branch. */
import type { ProjectPath } from "../path.ts";

/** A folder in which work is done; opaque to the core, which only hands it from one port to another. */
export type Folder = string & { readonly __folder: true };

/** A repository of the project: a path inside it, or `.` for the project's own. */
export type Repo = ProjectPath | ".";

/** A file that changed; `at`: when it last did (ISO 8601); null: it is gone. */
export type ChangedOutside = Readonly<{ path: string; at: string | null }>;

/** A branch that moved from a commit to another. */
export type MovedBranch = Readonly<{ branch: string; from: string; to: string }>;

/** What changed outside of a worktree while somebody worked in it. */
export interface Meanwhile {
  readonly files: readonly ChangedOutside[];
  readonly branches: readonly MovedBranch[];
}

/** A branch of a repository, at work in a folder of its own. */
export interface Worktree {
  readonly repo: Repo;
  readonly branch: string;
  readonly folder: Folder;
}

/**
 * Worktrees, and what leaves them. Every method looks before it does, so that it can be called again after a crash;
 * none ever discards work. Where git itself fails (disk full) they throw `git-failed`; without a repository `repository-missing`. What asks a
 * remote takes a `stop`: aborted, it ends at once as if the remote could not be reached.
 */
export interface Worktrees {
  /**
   * The branch's worktree, made where it is missing: from the local branch, else the remote's, else `base` (else the
   * branch that the repository has checked out). Additions to one repository queue up. Throws `branch-invalid`,
   * `branch-in-use` (checked out elsewhere: the message says where) and `base-missing`. `lost`: the folder had lost its
   * `.git`; what was in it is there, and the worktree is new.
   */
  ensure(order: {
    readonly repo: Repo;
    readonly branch: string;
    readonly base?: string;
    readonly stop?: AbortSignal;
  }): Promise<Worktree & { readonly from: "kept" | "local" | "remote" | "base"; readonly lost?: Folder }>;
  /** Those that Pawl made and that still exist. */
  list(): Promise<readonly Worktree[]>;
  /** How far the work is. `into`: the branch that it shall reach. */
  state(worktree: Worktree, into?: string): Promise<WorktreeState>;
  /**
   * Notes what the repository's own checkout holds, and where its branches are; what it gives back tells, once, what of it
   * has changed since and is not known to be another's doing (a commit of what was there before, a log that some program
   * has open; of branches: those that have a worktree of Pawl's, and merges that Pawl published).
   */
  watchCheckout(repo: Repo): Promise<() => Promise<Meanwhile>>;
  /**
   * Whether every commit of the branch is in `into`, the local or the remote's. `fetch`: the remote's is brought here
   * first; `unreachable` where that failed and the answer is not yes without it.
   */
  reached(order: {
    readonly repo: Repo;
    readonly branch: string;
    readonly into: string;
    readonly fetch: boolean;
    readonly stop?: AbortSignal;
  }): Promise<"yes" | "no" | "unreachable">;
  /** The branch to its remote, never forced. `unchanged`: the remote had it already. */
  push(repo: Repo, branch: string, stop?: AbortSignal): Promise<Pushed>;
  /**
   * Takes the turn to merge into a branch; one owner at a time over all processes, free at once if its process dies.
   * `taken` names the owner.
   */
  takeTurn(repo: Repo, into: string, owner: string): Promise<MergeTurn>;
  /**
   * Makes the merge commit (--no-ff) aside, in the folder of its slot, so that checks can run on the result. No branch
   * and no checkout of a person is touched. With `remote` the remote's target is fetched first, and merged onto. To be
   * called in a turn.
   */
  prepareMerge(order: MergeOrder): Promise<PreparedMerge>;
  /**
   * Moves `into` to the prepared commit, if it is still where the preparation found it: with `remote` the remote's
   * branch first, never forced, and then the local one. Where `into` is checked out, the checkout follows; a checkout
   * whose edits would be overwritten stays untouched: without `remote` that stops the merge (`in-the-way`).
   */
  publishMerge(order: MergeOrder, merge: ReadyMerge): Promise<PublishedMerge>;
  /** Brings the folder of a prepared merge to what was merged onto, so that checks can tell whose fault a failure is. */
  leaveOut(order: MergeOrder, merge: ReadyMerge): Promise<void>;
  /**
   * Brings the target into the task's branch (with `remote` what is known of the remote's too), leaving conflicts in its
   * worktree for the agent to resolve and commit.
   */
  bringIn(worktree: Worktree, target: MergeTarget): Promise<BroughtIn>;
  /**
   * Removes the worktree, and the branch too where asked, if nothing would be lost: no uncommitted work, and every
   * commit in `into` (local or remote) or, without `into`, on the remote's branch of that name; or in `landed`, a commit
   * that the forge says it merged. A worktree that is gone already leaves the branch to be removed.
   */
  remove(
    worktree: Pick<Worktree, "repo" | "branch">,
    keep: { readonly into?: string; readonly landed?: string; readonly branch: boolean },
  ): Promise<Removed>;
}

export interface WorktreeState {
  /** What is checked out there now (an agent may have switched), or null where HEAD is detached. */
  readonly branch: string | null;
  readonly head: string | null;
  /** Paths, untracked ones included, ignored ones not. */
  readonly uncommitted: readonly string[];
  /** The hooks that may refuse a commit, by path; looked for where something is uncommitted. */
  readonly hooks: readonly string[];
  /** A git operation that was begun and not ended there. */
  readonly unfinished: "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | null;
  /** Commits that `into` lacks, in the local branch as in the remote's; null: no `into` given, or it does not exist. */
  readonly unmerged: number | null;
  /** Commits that the remote's branch lacks as far as known without asking it; null: it has no such branch. */
  readonly unpushed: number | null;
}

export type Pushed =
  | { readonly kind: "pushed" | "unchanged"; readonly commit: string; readonly remote: string }
  /** The remote has commits that the branch lacks, or refuses by a rule. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Network, credentials, time limit: worth a retry. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "no-remote" };

export type MergeTurn =
  | { readonly kind: "mine"; release(): Promise<void> }
  | { readonly kind: "taken"; readonly owner: string };

export interface MergeTarget {
  readonly into: string;
  /** The remote's branch is the target, if there is a remote; the local one follows it. */
  readonly remote?: boolean;
}

export interface MergeOrder extends MergeTarget {
  readonly repo: Repo;
  readonly branch: string;
  /** The merge commit's message. */
  readonly message: string;
  /** A merge commit that was prepared before, and may have been published: nobody was left to tell. */
  readonly earlier?: string;
  /** A merge commit that is about to be published: it stands for the target, and nothing is fetched. */
  readonly onto?: string;
  /** Which of the folders for merges into the branch it is made in; those of merges under way differ. */
  readonly slot?: number;
  /** Aborted: what asks the remote ends at once as if it could not be reached. */
  readonly stop?: AbortSignal;
}

/** A merge commit, and where its targets were when it was made. */
export interface ReadyMerge {
  readonly commit: string;
  /** The local branch's commit. */
  readonly onto: string;
  /** What the branch was merged onto: the target, with the remote's commits. The same as `commit`: it has the branch. */
  readonly base: string;
  /** Where it goes first; `at`: the remote branch's commit, null where the remote has no such branch yet. */
  readonly remote?: { readonly name: string; readonly at: string | null };
}

export type PreparedMerge =
  | ({ readonly kind: "prepared"; readonly folder: Folder } & ReadyMerge & EarlierMerge)
  /** `into` holds the branch's commits already, the local one and the remote's. */
  | ({ readonly kind: "merged-already"; readonly commit: string } & EarlierMerge)
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  /** The local and the remote's `into` each have commits that the other lacks, and these conflict. */
  | { readonly kind: "diverged"; readonly remote: string; readonly files: readonly string[] }
  | { readonly kind: "missing"; readonly branch: string }
  /** The branch's commits hold what must not be in a repository. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** Null: the target has not the merge that was prepared before, or there was none. */
export interface EarlierMerge {
  readonly earlier: string | null;
}

export type PublishedMerge =
  /** `behind`: the remote has it, but a checkout's edits kept the local branch where it was. */
  | { readonly kind: "published"; readonly commit: string; readonly behind?: InTheWay }
  /** `into` moved meanwhile: prepare again. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "in-the-way" } & InTheWay)
  /** The remote refuses by a rule of its own: no further try mends that. */
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
