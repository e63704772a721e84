/** The forge, as far as the work loop needs it to open and watch pull requests. */
import type { Repo } from "./worktrees.ts";

export interface PullRequests {
  /**
   * Finds the pull request of the branch's commit into `into`: an open one, otherwise one merged or closed with this
   * very commit. Opens one if there is none; never a second one.
   */
  ensure(order: PullRequestOrder, stop?: AbortSignal): Promise<PullRequestEnsured>;
  /** Its state on the forge. */
  look(pull: { readonly repo: Repo; readonly number: number }, stop?: AbortSignal): Promise<PullRequestLook>;
}

export interface PullRequestOrder {
  readonly repo: Repo;
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
  /** The branch's. */
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

export type PullRequestLook =
  | { readonly kind: "open" | "closed" }
  /**
   * `head`: the branch's commit that was merged, by any method (a squash leaves none of its commits in the target).
   */
  | { readonly kind: "merged"; readonly head: string }
  | ForgeFailure;

export type ForgeFailure =
  /** Network, rate limit, or a fault of the forge: retry, but not before `retryAfter` seconds if given. */
  | { readonly kind: "unreachable"; readonly reason: string; readonly retryAfter?: number }
  /** No token, no such repository, nothing to merge: a person must act. */
  | { readonly kind: "refused"; readonly reason: string };
