/** Checks: commands of the project's configuration. */

export interface Checks {
  /**
   * Runs a shell command in the project's folder, once for each key: a run that was begun under the key, be it before
   * a restart, is found again. It is waited for a limited time only; then the answer is `running`. Throws
   * `project-untrusted`, and where a checkout that is asked for cannot be made. Called off, it answers at once with what
   * is known; a command on a tree is ended, one in the project's folder runs on.
   */
  run(key: string, command: string, on?: CheckPlace, waiting?: Waiting): Promise<CheckOutcome>;
}

/** The one who waits for a call. */
export interface Waiting {
  /** Aborted: the call is called off. */
  readonly stop?: AbortSignal;
  /** Told about once a second of a long wait, in a few words. */
  readonly onWait?: (words: string) => void;
}

export interface CheckPlace {
  /** As the project's files have the command, where it was made of that. */
  readonly named?: string;
  /** Of a snapshot: it runs in a fresh checkout of it, made and removed for this run. */
  readonly tree?: string | null;
  /** It acts on the world (publishes, deploys) rather than looks: no wall is around it. */
  readonly acts?: boolean;
  /** Runs again if it failed more than a minute ago. */
  readonly retry?: boolean;
}

export type CheckOutcome =
  | {
      readonly kind: "ended";
      /** Null where it was ended from outside. */
      readonly exitCode: number | null;
      readonly milliseconds: number;
      /** The end of what it printed, both streams. */
      readonly tail: string;
    }
  | { readonly kind: "running"; readonly milliseconds: number; readonly tail: string };
