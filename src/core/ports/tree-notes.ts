/** What the working tree was when a run came to where it may not be changed. */
export interface TreeNote {
  /** The run's state at its last move, as `pawl status` shows it. */
  readonly state: string;
  /** The tree's id, and what may be written beside it since. Null: it could not be made, for the reason `why`. */
  readonly tree: string | null;
  readonly why?: string;
  /** By folder: what lay in repositories without a commit, which no tree holds. */
  readonly nested?: Readonly<Record<string, string>>;
  readonly writes: string;
  readonly planFiles: readonly string[];
  /** The out-of-scope files that the event log already names. */
  readonly told: readonly string[];
}

/** Kept where nothing in the project can change it. An unreadable note is `state-home-failed`, never treated as absent. */
export interface TreeNotes {
  find(run: string): Promise<TreeNote | null>;
  keep(run: string, note: TreeNote): Promise<void>;
  forget(run: string): Promise<void>;
}
