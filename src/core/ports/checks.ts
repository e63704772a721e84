/** Checks: commands of the project's configuration. */

export interface Checks {
  /**
   * Runs a shell command in the project's folder, once per key. Finds a run that began earlier under the key,
   * even before a restart. Waits for a limited time only; then the answer is `running`. Throws
   * `project-untrusted`, and if a requested checkout cannot be made. When aborted, it returns the present
   * state at once: a command on a tree is ended, one in the project's folder continues.
   */
  run(key: string, command: string, on?: CheckOptions, waiting?: Waiting): Promise<CheckOutcome>;
  /**
   * The state of that run; null: unknown. Starts nothing, ends nothing, waits for nothing. Absent: the state
   * is never known.
   */
  recorded?(key: string, command: string, on?: Pick<CheckOptions, "tree">): Promise<CheckOutcome | null>;
}

/** The caller who waits for a check. */
export interface Waiting {
  /** Aborting ends the wait. */
  readonly stop?: AbortSignal;
  /** Called about once a second during a long wait, with a few words. */
  readonly onWait?: (words: string) => void;
}

export interface CheckOptions {
  /** The command as the project's files write it, if this one was derived from it. */
  readonly named?: string;
  /** A snapshot's tree. The command runs in a fresh checkout of it, made and removed for this run. */
  readonly tree?: string | null;
  /**
   * The command acts on the world (publishes, deploys) instead of only inspecting it: no wall is around it.
   */
  readonly acts?: boolean;
  /** Texts for the command, by the names of files in the folder `PAWL_SAID`. */
  readonly said?: Readonly<Record<string, string>>;
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
      /** By its output, it ran no test. Absent: it ran some, or does not say. */
      readonly empty?: true;
    }
  | { readonly kind: "running"; readonly milliseconds: number; readonly tail: string };
