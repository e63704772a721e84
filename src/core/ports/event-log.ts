/**
 * The event log by positions, for readers that stop and resume. Positions grow with the log and begin at 0. What they count is
 * the log's own affair: bytes of a file, or rows.
 */

export interface EventLog {
  /** The log as it is; null: there is none yet. */
  look(): Promise<LogLook | null>;
  /**
   * Its whole lines from `from` on, in order, up to about `most` bytes. `generation`: of the log that is meant, which may
   * have been put aside since (a rotation); null: there is no such log any more.
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
  /** From where the traces of a run take their ids, on whichever machine. Absent: from the log's generation. */
  origin?(run: string): Promise<string | null>;
  /** Calls back soon after the log may have changed; never keeps the process alive. */
  watch(heard: () => void): { close(): void };
}

export async function originOf(log: EventLog, run: string): Promise<string | null> {
  return log.origin === undefined ? ((await log.look())?.generation ?? null) : log.origin(run);
}

export interface LogLook {
  /** Distinguishes this log from the one before a rotation; stays the same while it grows. */
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
  /** Positions of the line and of what follows it. */
  readonly start: number;
  readonly end: number;
}
