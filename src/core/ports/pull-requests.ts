/** The forge, as far as the work loop opens and watches pull requests on it. */
import type { Repo } from "./worktrees.ts";

export interface PullRequests {
  /**
   * The pull request of the branch's commit into `into`: an open one, else one that was merged or closed with this very
   * commit; opened where there is none. Never a second one.
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
  /** One that was closed, and that a person wants another in place of. */
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
  /** `head`: the branch's commit that was merged, in whatever way (a squash leaves none of its commits in the target). */
  | { readonly kind: "merged"; readonly head: string }
  | ForgeFailure;

export type ForgeFailure =
  /** Network, rate limit, the forge's own fault: worth a retry, not before `retryAfter` seconds where given. */
  | { readonly kind: "unreachable"; readonly reason: string; readonly retryAfter?: number }
  /** No token, no such repository, nothing to merge: a person must act. */
  | { readonly kind: "refused"; readonly reason: string };
