/** A range of commits in a repository, from its objects alone: a bare clone is enough. */
import type { View } from "./store.ts";

export interface RangeHistory {
  /** The range `BASE..HEAD`, as commits. */
  readonly base: string;
  readonly head: string;
  /** The commits of HEAD that BASE lacks, newest first. */
  readonly commits: readonly RangeCommit[];
  /** Names a file of Pawl's own folder that some commit of the range adds; null if none does. */
  readonly planted: string | null;
  /** The project's files in the commit. */
  view(commit: string): View;
  /** A commit's tree without `BOOKKEEPING`, in or out of the range. */
  workOf(commit: string): Promise<string>;
  /** Whether `one` is `other`, or in its history. */
  isAncestor(one: string, other: string): Promise<boolean>;
  /** Git's tree of a merge's parents without manual changes; null if they conflict. */
  merged(parents: readonly string[]): Promise<string | null>;
  /** The paths in which two commits differ, from the project's root; those outside it begin with `../`. */
  changed(from: string, to: string): Promise<readonly string[]>;
  /** The paths below a folder of the project in the commit. */
  list(commit: string, folder: string): Promise<readonly string[]>;
}

export interface RangeCommit {
  readonly id: string;
  readonly parents: readonly string[];
  /** The whole tree. */
  readonly tree: string;
  /** Without `BOOKKEEPING`. */
  readonly work: string;
  readonly title: string;
  /**
   * The changes against its parent; for a merge, the differences from every parent. Paths start at the
   * project's root.
   */
  readonly changes: readonly { readonly path: string; readonly what: "added" | "deleted" | "modified" }[];
}
