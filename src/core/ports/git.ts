/** What git says of the project's own checkout. */

export interface Git {
  /** What git says of the project's folder, or why it cannot say. */
  look(): Promise<GitLook>;
  /**
   * The commit that work starts from: what is checked out, as a branch other than `work` or one that work on it left main
   * or master at. Null: there is none.
   */
  pin(work: string): Promise<PinnedBase | null>;
  /**
   * The tree of what is in the working folder now, made from the files alone: the repository's index, its configuration
   * and replaced objects do not count. `own`: paths of the project that are no part of the work. Never throws.
   */
  snapshot(order: {
    readonly base: PinnedBase | string | null;
    readonly own: readonly string[];
  }): Promise<Snapshot>;
  /** What the working folder changed since the base, new files included, as a snapshot sees it. */
  changes(base: PinnedBase | string | null): Promise<GitChanges>;
  /** The paths in which two trees of snapshots differ; null: one of them is no longer known. */
  between(one: string, other: string): Promise<readonly string[] | null>;
  /**
   * A commit's tree without the `own` paths of the project, and what it changed since it left the branch (null: main or
   * master). Absent: no commit can be signed for.
   */
  committed?(order: {
    readonly commit: string;
    readonly target: string | null;
    readonly own: readonly string[];
  }): Promise<CommittedTree>;
  /** What is committed in `head` (a commit's hash) and not in the base branch (null: main or master). */
  commits(base: PinnedBase | string | null, head: string): Promise<GitCommits>;
}

/** The numbers of lines are null for binary and for new, untracked files. */
export type ChangedFile = Readonly<{ path: string; added: number | null; deleted: number | null }>;

/** A branch, and the commit that it was at when work began. */
export interface PinnedBase {
  readonly branch: string;
  readonly commit: string;
}

export type CommittedTree =
  | {
      readonly kind: "tree";
      readonly tree: string;
      /** The commit at which it left the branch. */
      readonly base: string;
      /** Paths from the project's root. */
      readonly files: readonly string[];
    }
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitChanges =
  | { readonly kind: "changes"; readonly base: string; readonly files: readonly ChangedFile[] }
  | { readonly kind: "unavailable"; readonly reason: string };

export type Snapshot =
  | {
      readonly kind: "tree";
      /** The tree's id: equal for equal files. */
      readonly tree: string;
      /** What was compared with: the pinned commit, or where the branch was left; null where there is none. */
      readonly base: (PinnedBase & { readonly isPinned: boolean }) | null;
      /** Where the base's branch is now; null: it is gone. */
      readonly branchNow: string | null;
      /** The commit that is checked out has the base in its history. */
      readonly holdsBase: boolean;
      /** Against the base; paths from the project's root, those outside it begin with `../`. */
      readonly files: readonly ChangedFile[];
      /**
       * Paths that no `.gitignore` names, yet git would not see: by the repository's own list (`info/exclude`,
       * `core.excludesFile`), or by the person's.
       */
      readonly hidden: readonly { readonly path: string; readonly by: "repository" | "person" }[];
    }
  | { readonly kind: "not-a-repository" }
  /** There is a repository, but git cannot answer. */
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitCommits =
  | {
      readonly kind: "commits";
      readonly base: string;
      /** Oldest first; merges are left out. */
      readonly commits: readonly { readonly hash: string; readonly title: string }[];
      readonly files: readonly ChangedFile[];
    }
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitLook =
  | {
      readonly kind: "repository";
      readonly branch: string;
      readonly head: string | null;
      readonly uncommitted: readonly string[];
    }
  | { readonly kind: "not-a-repository" }
  | { readonly kind: "unavailable"; readonly reason: string };
