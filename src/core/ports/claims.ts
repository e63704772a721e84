/** Claims: who works on what. */

/** Looking at claims without taking any. */
export interface Leases {
  /** Those that somebody has, or had when they died. */
  list(): Promise<readonly Lease[]>;
}

export interface Lease {
  readonly what: string;
  /** Its owner's last sign of life, ISO 8601; null: none can be read. */
  readonly beat: string | null;
}

export interface Claims {
  /**
   * Takes a task, or a place to work in, for a worker. Null: a live worker has it. It is free at once when its owner's
   * process dies, and never taken from one that is slow. While it is held, a heartbeat is written beside it.
   */
  take(what: string, worker: string): Promise<Claim | null>;
  /** Takes away what dead owners left. */
  sweep(): Promise<void>;
}

export interface Claim {
  readonly what: string;
  /** An owner before this one died without letting go. */
  readonly abandoned: boolean;
  release(): Promise<void>;
}
