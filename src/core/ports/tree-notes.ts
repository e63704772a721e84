/** The working tree when a run came to a state in which it may not be changed. */
export interface TreeNote {
  /** The run's state at its last move, in the form of `pawl status`. */
  readonly state: string;
  /**
   * The tree's id, and the paths beside it that may be written. Null: it could not be made, for the reason
   * `why`.
   */
  readonly tree: string | null;
  readonly why?: string;
  /** By folder: the files in repositories without a commit, which no tree holds. */
  readonly nested?: Readonly<Record<string, string>>;
  readonly writes: string;
  readonly planFiles: readonly string[];
  /** The out-of-scope files that the event log already names. */
  readonly reported: readonly string[];
}

/**
 * Kept where no file of the project can change it. An unreadable note is `state-home-failed`, never treated
 * as absent.
 */
export interface TreeNotes {
  find(run: string): Promise<TreeNote | null>;
  keep(run: string, note: TreeNote): Promise<void>;
  forget(run: string): Promise<void>;
}
