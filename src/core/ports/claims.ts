/** Leases: who works on what. */

/** Reads leases without taking any. */
export interface Leases {
  /** The leases that somebody holds, or held when they died. */
  list(): Promise<readonly Lease[]>;
}

export interface Lease {
  readonly what: string;
  /** Its owner's last sign of life, ISO 8601; null if none can be read. */
  readonly beat: string | null;
}

export interface Claims {
  /**
   * Takes a lease on a task, or on a place to work in, for a worker. Null if a live worker has it. The lease is free at
   * once when its owner's process dies, and never taken from a slow one. During the lease, a heartbeat is written
   * beside it.
   */
  take(what: string, worker: string): Promise<Claim | null>;
  /** Removes what dead owners left. */
  sweep(): Promise<void>;
}

export interface Claim {
  readonly what: string;
  /** An earlier owner died without releasing it. */
  readonly abandoned: boolean;
  release(): Promise<void>;
}
