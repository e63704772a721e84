/** Reviewers' comments on a pull request. */
import type { FetchFailure } from "./references.ts";

/** Comments on pull requests. */
export interface Reviews {
  /** Fetches the comments on the pull request of the checked-out branch. Never throws. */
  fetch(order: { readonly missing?: ReviewMissing }): Promise<ReviewFetch>;
}

export type ReviewPart = "reviews" | "review-comments" | "comments";

/** Where a fetch stopped: the incomplete parts, each with the page to resume from. */
export interface ReviewMissing {
  /** `owner/name` */
  readonly repository: string;
  readonly number: number;
  readonly pages: Readonly<Partial<Record<ReviewPart, number>>>;
}

export type ReviewFetch =
  | {
      readonly kind: "fetched";
      readonly pull: PullRequest;
      /** In the order of the parts, then in the forge's order. */
      readonly remarks: readonly Remark[];
      /** Whether `resolved` is known. */
      readonly threads: "known" | "unknown";
      readonly missing: ReviewMissing | null;
      /** Why something is missing, if anything is. */
      readonly failure: FetchFailure | null;
    }
  | { readonly kind: "no-pull-request"; readonly branch: string; readonly repositories: readonly string[] }
  /** `detail`: what is missing. `help`: the fix, as a sentence. */
  | { readonly kind: "not-configured"; readonly detail: string; readonly help: string }
  | { readonly kind: "failed"; readonly failure: FetchFailure };

export interface PullRequest {
  /** `owner/name` */
  readonly repository: string;
  /** The remote's name for it, if it was renamed or moved since. */
  readonly former?: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly branch: string;
}

/** One review, review comment or comment. Text of other people. */
export interface Remark {
  readonly part: ReviewPart;
  readonly author: string;
  readonly url: string;
  readonly text: string;
  /** ISO 8601. */
  readonly time: string;
  /** A review's verdict: `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`. */
  readonly verdict?: string;
  readonly file?: string;
  /** The last line that it is about: of the present file, unless `side` says otherwise. */
  readonly line?: number;
  /** The first line, if there are several. */
  readonly startLine?: number;
  /** The lines are those of the old file: the change removes them. */
  readonly side?: "former";
  /** The file that `startLine` counts in, if it is the other one: a range from a removed line to an added one. */
  readonly startSide?: "former" | "present";
  /** The part of the diff that it is about, as it was then; begins with `@@`. */
  readonly hunk?: string;
  /** A program wrote it. */
  readonly bot?: true;
  /** The comment replies to an earlier one of its thread. */
  readonly reply?: true;
  readonly resolved?: boolean;
  /** The commented code has changed since. */
  readonly outdated?: true;
}
