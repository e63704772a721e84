/** The forge, as far as the work loop needs it to open and watch pull requests. */
import type { Repo } from "./worktrees.ts";

export interface PullRequests {
  /**
   * Finds the pull request of the branch's commit into `into`: an open one, otherwise one merged or closed
   * with this very commit. Opens one if there is none; never a second one.
   */
  ensure(order: PullRequestOrder, stop?: AbortSignal): Promise<PullRequestEnsured>;
  /** Its state on the forge. */
  inspect(pull: WatchedPull, stop?: AbortSignal): Promise<PullRequestState>;
}

export interface WatchedPull {
  readonly repo: Repo;
  /** Its target. */
  readonly into: string;
  readonly number: number;
  /** Present: also fetch the objections to this commit, as long as it is the pull request's head. */
  readonly returns?: {
    readonly commit: string;
    /** Reviews that no longer count. */
    readonly reviews: readonly string[];
  };
}

export interface PullRequestOrder {
  readonly repo: Repo;
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
  /** The branch's commit. */
  readonly commit: string | null;
  /** A closed pull request that a person wants replaced by a new one. */
  readonly inPlaceOf?: number;
}

export type PullRequestEnsured =
  | {
      readonly kind: "opened" | "found" | "merged" | "closed";
      readonly number: number;
      readonly url: string;
    }
  | ForgeFailure;

export type PullRequestState =
  /** `returned`: what its author must do before it can be merged. */
  | { readonly kind: "open"; readonly returned?: Returned }
  | { readonly kind: "closed" }
  /**
   * `head`: the branch's commit that was merged, by any method (a squash leaves none of its commits in the
   * target).
   */
  | { readonly kind: "merged"; readonly head: string }
  | ForgeFailure;

export interface Returned {
  /** Once no check is running any more. */
  readonly checks: readonly FailedForgeCheck[];
  /** The last verdict of each person who may write in the repository. */
  readonly reviews: readonly RequestedChanges[];
  readonly isConflicting: boolean;
}

export interface FailedForgeCheck {
  readonly name: string;
  readonly url: string | null;
  /** The check's own summary of its failure. */
  readonly summary: string;
  /** The end of its log; null: the forge does not offer it. */
  readonly tail: string | null;
}

/** Text of other people. */
export interface RequestedChanges {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly comments: readonly {
    readonly file: string;
    /** Null: about the whole file, or about lines that no longer exist. */
    readonly line: number | null;
    readonly text: string;
  }[];
}

export type ForgeFailure =
  /** Network, rate limit, or a fault of the forge: retry, but not before `retryAfter` seconds if given. */
  | { readonly kind: "unreachable"; readonly reason: string; readonly retryAfter?: number }
  /** No token, no such repository, nothing to merge: a person must act. */
  | { readonly kind: "refused"; readonly reason: string };
