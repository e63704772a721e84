/** The event log by places in its file, for readers that stop and resume. */

export interface EventLog {
  /** The log as it is; null: there is none yet. */
  look(): Promise<LogLook | null>;
  /**
   * Its whole lines from `from` on, in order, up to about `most` bytes. `generation`: of the file that is meant, which may
   * have been moved aside since (a rotation); null: no file is that any more.
   */
  read(order: {
    readonly generation: string;
    readonly from: number;
    readonly most: number;
    /** Only lines with one of these texts; the others are passed over quickly. */
    readonly containing?: readonly string[];
  }): Promise<LogPart | null>;
  /** The last whole lines that end at `before` or earlier, newest first. */
  readBack(order: { readonly before: number; readonly limit: number }): Promise<readonly LogEntry[]>;
  /** Calls back soon after the log may have changed; never keeps the process alive. */
  watch(heard: () => void): { close(): void };
}

export interface LogLook {
  /** Distinguishes this file from the one before a rotation; stays the same while it grows. */
  readonly generation: string;
  /** The end of its last whole line. */
  readonly end: number;
}

export interface LogPart {
  readonly entries: readonly LogEntry[];
  /** Where to read on. */
  readonly next: number;
  /** Nothing whole is behind it. */
  readonly isAll: boolean;
}

export interface LogEntry {
  readonly text: string;
  /** Offsets in bytes: of its first character, and of what follows its line. */
  readonly start: number;
  readonly end: number;
}
