import type { ProjectPath } from "../path.ts";

/** Git in a checkout: the project's own, or that of another repository inside the project. */
export interface Git {
  /**
   * The same for another repository of the project; its paths start at its own root. Throws
   * `repository-missing` and `path-outside-project`. Absent: only the project's own is available.
   */
  in?(repo: ProjectPath): Promise<Git>;
  /** Git's view of the project's folder, or why it is unavailable. */
  state(): Promise<GitState>;
  /**
   * The commit that work starts from: the checked-out branch if it is not `work`; otherwise the point at
   * which `work` left main or master. Null if there is none.
   */
  pin(work: string): Promise<PinnedBase | null>;
  /**
   * The tree of the working folder's content, made from the files alone: the repository's index,
   * configuration and replaced objects do not count. `own`: project paths that do not belong to the work.
   * Never throws.
   */
  snapshot(order: {
    readonly base: PinnedBase | string | null;
    readonly own: readonly string[];
  }): Promise<Snapshot>;
  /** The files in which two trees or commits differ; null if one of them is no longer known. */
  between(one: string, other: string): Promise<readonly ChangedFile[] | null>;
  /**
   * The differences between two trees or commits, as text. No attributes and no configuration hide any. Never
   * throws. Absent: none can be shown.
   */
  diff?(order: DiffOrder): Promise<GitDiff>;
  /** What needs no reading line by line, and where links lead. Throws where git cannot tell. Absent: it is not known. */
  shapes?(from: string, to: string): Promise<readonly FileShape[]>;
  /** A file's bytes in a tree or commit; null: there is none, or it is larger than `most`. Never throws. */
  blob?(order: {
    readonly object: string;
    readonly path: string;
    readonly most: number;
  }): Promise<Uint8Array | null>;
  /**
   * A commit's tree without the `own` paths of the project, and what it changed since it left the branch
   * (null: main or master). Absent: no commit can be judged at a signed gate.
   */
  committed?(order: {
    readonly commit: string;
    readonly target: string | null;
    readonly own: readonly string[];
  }): Promise<CommittedTree>;
  /** The commits that `head` (a commit's hash) has and the base branch (null: main or master) lacks. */
  commits(base: PinnedBase | string | null, head: string): Promise<GitCommits>;
}

/** The line counts are null for binary files and for new, untracked files. */
export type ChangedFile = Readonly<{ path: string; added: number | null; deleted: number | null }>;

export interface FileShape {
  readonly path: string;
  /** Its name before; absent: it was not renamed. */
  readonly was?: string;
  /** Of a rename: 0 to 100, and the lines that differ. */
  readonly similarity?: number;
  readonly added?: number;
  readonly deleted?: number;
  /** Only blanks or line ends differ. */
  readonly isBlank: boolean;
  /** By an attribute in the base, or by the file's own first lines; null: a person may have written it. */
  readonly generated: "attribute" | "header" | null;
  /** Of binary files; null: not on that side, or not binary. */
  readonly bytes: { readonly before: number | null; readonly after: number | null };
  /** Where a symbolic link leads; absent: it is none. */
  readonly link?: string;
  /** The commits of a submodule; zeros: it is new. Absent: it is none. */
  readonly module?: { readonly before: string; readonly after: string };
}

export interface DiffOrder {
  /** Ids of trees or commits. */
  readonly from: string;
  readonly to: string;
  /** A file or folder, from the project's root; null: everything. */
  readonly path: string | null;
  /** The name in `from` of a file that was renamed: the path is compared with it. */
  readonly was?: string;
  /** Of all files: compares renamed ones as `shapes` pairs them. */
  readonly renames?: true;
  /** Lines around each change; default: 3. */
  readonly context?: number;
  /** Maximum bytes of text, in all and per file (default: the same). */
  readonly bytes: number;
  readonly bytesOfFile?: number;
}

export type GitDiff =
  /** In git's order. Without `renames`, a renamed file is a deletion and an addition. */
  | { readonly kind: "diff"; readonly files: readonly FileDiff[] }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface FileDiff {
  /** From the project's root. */
  readonly path: string;
  /** The name of the file that it is compared with; absent: the same. */
  readonly was?: string;
  /** A unified diff with its headings, in whole lines; of a binary file, the line that it differs. */
  readonly text: string;
  readonly isBinary: boolean;
  /** Bytes that the limits left out at its end; null: an unknown number of them. */
  readonly leftOut: number | null;
}

/** A branch, and its commit when work began. */
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
      /**
       * The commit that the tree was compared with: the pinned one, or the point where the work left its
       * branch; null if there is none.
       */
      readonly base: (PinnedBase & { readonly isPinned: boolean }) | null;
      /** The checked-out branch; "": none (detached HEAD). */
      readonly branch: string;
      /** The base branch's present commit; null if the branch is gone. */
      readonly branchNow: string | null;
      /** Whether the checked-out commit has the base in its history. */
      readonly holdsBase: boolean;
      /** Changes against the base. Paths start at the project's root; those outside it begin with `../`. */
      readonly files: readonly ChangedFile[];
      /**
       * Paths that no `.gitignore` names, but that git would not see, because of the repository's own list
       * (`info/exclude`, `core.excludesFile`) or the person's.
       */
      readonly hidden: readonly { readonly path: string; readonly by: "repository" | "person" }[];
    }
  | { readonly kind: "not-a-repository" }
  /** There is a repository, but git fails. */
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitCommits =
  | {
      readonly kind: "commits";
      readonly base: string;
      /** The commit at which they left the base branch; absent: not known. */
      readonly from?: string;
      /** Oldest first; merges are left out. */
      readonly commits: readonly { readonly hash: string; readonly title: string }[];
      readonly files: readonly ChangedFile[];
    }
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitState =
  | {
      readonly kind: "repository";
      /** Empty if HEAD is detached. */
      readonly branch: string;
      /** Null in a repository without a commit. */
      readonly head: string | null;
      readonly uncommitted: readonly string[];
    }
  | { readonly kind: "not-a-repository" }
  | { readonly kind: "unavailable"; readonly reason: string };
