/** Checks: commands of the project's configuration. */

export interface Checks {
  /**
   * Runs a shell command in the project's folder, once for each key. A run that began earlier under the key, even
   * before a restart, is found again. Waits for a limited time only; then the answer is `running`. Throws
   * `project-untrusted`, and if a requested checkout cannot be made. When aborted, it answers at once with what is
   * known: a command on a tree is ended, one in the project's folder runs on.
   */
  run(key: string, command: string, on?: CheckPlace, waiting?: Waiting): Promise<CheckOutcome>;
  /** What is known of that run; null: nothing. Starts nothing, ends nothing, waits for nothing. Absent: nothing is ever known. */
  look?(key: string, command: string, on?: Pick<CheckPlace, "tree">): Promise<CheckOutcome | null>;
}

/** The caller who waits for a check. */
export interface Waiting {
  /** Aborting ends the wait. */
  readonly stop?: AbortSignal;
  /** Called about once a second during a long wait, with a few words. */
  readonly onWait?: (words: string) => void;
}

export interface CheckPlace {
  /** The command as the project's files write it, if it was derived from that. */
  readonly named?: string;
  /** A snapshot's tree. The command runs in a fresh checkout of it, made and removed for this run. */
  readonly tree?: string | null;
  /** The command acts on the world (publishes, deploys) instead of only looking: no wall is around it. */
  readonly acts?: boolean;
  /** Runs the command again if it failed more than a minute ago. */
  readonly retry?: boolean;
}

export type CheckOutcome =
  | {
      readonly kind: "ended";
      /** Null if something else ended it. */
      readonly exitCode: number | null;
      readonly milliseconds: number;
      /** The last part of its output, both streams. */
      readonly tail: string;
    }
  | { readonly kind: "running"; readonly milliseconds: number; readonly tail: string };
