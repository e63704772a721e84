/** Approvals of a commit, by the forge. */

export interface Approvals {
  /**
   * The pull requests whose head is the commit, or the one with the number, whatever its head is. Throws
   * `forge-failed`, or `forge-unconfigured` if there is no token or no repository.
   */
  find(order: { readonly commit: string; readonly pull: number | null }): Promise<PullsFound>;
}

export interface PullsFound {
  /** The searched repositories: `owner/name`. */
  readonly repositories: readonly string[];
  readonly pulls: readonly ReviewedPull[];
}

export interface ReviewedPull {
  /** `owner/name#7` */
  readonly name: string;
  readonly url: string;
  /** The commit that it would merge. */
  readonly head: string;
  /** The login that opened it; null: deleted. */
  readonly author: string | null;
  /** As far as the forge lists them. */
  readonly commits: readonly {
    readonly id: string;
    /** The logins of its author and committer, if the forge knows them. */
    readonly logins: readonly string[];
  }[];
  /** When its base branch was last changed or rewritten, ISO 8601; null: never. */
  readonly moved: string | null;
  readonly reviews: readonly Review[];
}

export interface Review {
  readonly login: string;
  /** Remarks without a verdict are left out. */
  readonly verdict: "approved" | "changes-requested" | "dismissed";
  /** The reviewed commit. */
  readonly commit: string | null;
  /** ISO 8601. */
  readonly time: string;
}
