/** What a repository says of a range of commits, from its objects alone: a bare clone will do. */
import type { View } from "./store.ts";

export interface RangeHistory {
  /** Of the range `BASE..HEAD`, as commits. */
  readonly base: string;
  readonly head: string;
  /** What HEAD has and BASE has not, newest first. */
  readonly commits: readonly RangeCommit[];
  /** A file of Pawl's own folder that some commit of the range brings along, in words; null: none does. */
  readonly planted: string | null;
  /** The files of the project as the commit has them. */
  view(commit: string): View;
  /** The tree without `BOOKKEEPING` of a commit in or out of the range. */
  workOf(commit: string): Promise<string>;
  /** Whether the one is in the history of the other, or is it. */
  isAncestor(one: string, other: string): Promise<boolean>;
  /** The tree that git makes of the parents of a merge by itself; null: they conflict. */
  merged(parents: readonly string[]): Promise<string | null>;
  /** The paths from the project's root in which two commits differ; those outside of it begin with `../`. */
  changed(from: string, to: string): Promise<readonly string[]>;
  /** The paths below a folder of the project, as the commit has them. */
  list(commit: string, folder: string): Promise<readonly string[]>;
}

export interface RangeCommit {
  readonly id: string;
  readonly parents: readonly string[];
  /** As a whole. */
  readonly tree: string;
  /** Without `BOOKKEEPING`. */
  readonly work: string;
  readonly title: string;
  /** Against its parent; of a merge, what differs from all of its parents. From the project's root. */
  readonly changes: readonly { readonly path: string; readonly what: "added" | "deleted" | "modified" }[];
}
