/**
 * The event log by positions, for readers that stop and resume. Positions grow with the log and begin at 0.
 * The log decides what they count: bytes of a file, or rows.
 */

export interface EventLog {
  /** The log's state; null: there is no log yet. */
  position(): Promise<LogPosition | null>;
  /**
   * Whole lines from `from` on, in order, up to about `most` bytes. `generation`: the expected log's, which a
   * rotation may have replaced; null: that log no longer exists.
   */
  read(order: {
    readonly generation: string;
    readonly from: number;
    readonly most: number;
    /** Only lines with one of these texts; the others are skipped quickly. */
    readonly containing?: readonly string[];
  }): Promise<LogPart | null>;
  /** The last whole lines that end at `before` or earlier, newest first. */
  readBack(order: { readonly before: number; readonly limit: number }): Promise<readonly LogEntry[]>;
  /** The source of the ids of a run's traces, equal on every machine. Absent: the log's generation. */
  origin?(run: string): Promise<string | null>;
  /** Calls back soon after the log may have changed; never keeps the process alive. */
  watch(onChange: () => void): { close(): void };
}

export async function originOf(log: EventLog, run: string): Promise<string | null> {
  return log.origin === undefined ? ((await log.position())?.generation ?? null) : log.origin(run);
}

export interface LogPosition {
  /** Distinguishes this log from the one before a rotation; stays the same while it grows. */
  readonly generation: string;
  /** The end of its last whole line. */
  readonly end: number;
}

export interface LogPart {
  readonly entries: readonly LogEntry[];
  /** The position from which to continue. */
  readonly next: number;
  /** No more whole lines follow. */
  readonly isAll: boolean;
}

export interface LogEntry {
  readonly text: string;
  /** The positions of the line's beginning and end. */
  readonly start: number;
  readonly end: number;
}
