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

export interface LeaseManager {
  /** Workers on other machines take leases, too. */
  readonly isShared?: true;
  /**
   * Takes a lease on a task, or on a place to work in, for a worker. Null if a live worker has it. A lease becomes
   * free when its owner dies: on one machine at once, and it is never taken from a slow one.
   */
  take(what: string, worker: string): Promise<TakenLease | null>;
  /**
   * Takes a lease on a task and, in one with it, what it counts for among the caps over all machines. Returns the cap that
   * is reached instead. Absent: no other machine shares them.
   */
  reserve?(what: string, worker: string, wanted: Wanted): Promise<TakenLease | Cap | null>;
  /**
   * What a worker at `place` is to leave alone: what live workers hold, and what dead ones left where another one is alive.
   * Absent: to try to take a lease costs no more than to ask.
   */
  held?(place?: string): Promise<readonly Held[]>;
  /**
   * Calls with the milliseconds for which what is held counts as held from now on, each time that this is prolonged; with null as
   * soon as nothing is held, if it was given back. Absent: it counts for as long as this process lives.
   */
  onProlonged?(heard: (left: number | null) => void): void;
  /** Removes what dead owners left. */
  sweep(): Promise<void>;
}

export interface Held {
  readonly what: string;
  /** Milliseconds after which it is free, unless its holder renews it or whoever is preferred stays alive. */
  readonly left: number;
  /**
   * Labels of a worker with time for it that is alive where its dead holder worked: if it serves the task, it is preferred for a
   * while. Absent: its holder is alive.
   */
  readonly preferred?: readonly string[];
}

export interface TakenLease {
  readonly what: string;
  /** An earlier owner died without releasing it. */
  readonly abandoned: boolean;
  /** Grows with each take; by it, the database and git remotes refuse what an earlier holder still does. Absent: no other machine takes it. */
  readonly epoch?: number;
  /**
   * Aborted when it may soon be somebody else's: it could not be renewed in time, or was taken. There is time enough to end what
   * works under it. Absent: it is never taken from a live owner.
   */
  readonly lost?: AbortSignal;
  release(): Promise<void>;
}

/** What work on a task counts for. */
export interface Wanted {
  /** Null: the project's root. */
  readonly repository: string | null;
  readonly agent: string;
  /** The machine and the folder on it where the work is done. */
  readonly place?: string;
  /** Dollars that may be spent under the lease; null: nothing limits them. */
  readonly usd: number | null;
  /** How many may work at once in the repository and with the agent, and dollars a day; null: any number. */
  readonly caps: {
    readonly repository: number | null;
    readonly agent: number | null;
    readonly usd: number | null;
  };
}

/** `draining`: the worker takes nothing more. */
export type Cap = "repository" | "agent" | "usd" | "draining";
