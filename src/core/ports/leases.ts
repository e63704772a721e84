/** Leases: which worker works on what. */

/** Reads leases without taking any. */
export interface Leases {
  /** The leases that are held, or whose holder died. */
  list(): Promise<readonly Lease[]>;
}

export interface Lease {
  readonly what: string;
  /** Its owner's last heartbeat, ISO 8601; null if it is unreadable. */
  readonly beat: string | null;
}

export interface LeaseManager {
  /** Workers on other machines take leases, too. */
  readonly isShared?: true;
  /**
   * Takes a lease on a task, or on a place to work in, for a worker. Null if a live worker holds it. A lease
   * becomes free when its owner dies: on one machine at once, and it is never taken from a slow one.
   */
  take(what: string, worker: string): Promise<TakenLease | null>;
  /**
   * Takes a lease on a task and, in one with it, its share of the caps over all machines. Returns the reached
   * cap instead. Absent: no other machine shares them.
   */
  reserve?(what: string, worker: string, wanted: Wanted): Promise<TakenLease | Cap | null>;
  /**
   * Leases that a worker at `place` should not take: those of live workers, and those of a dead worker whose
   * place has another live one. Absent: trying to take a lease costs no more than this query.
   */
  held?(place?: string): Promise<readonly Held[]>;
  /**
   * Calls with the milliseconds for which the held leases count from now on, each time that this is
   * prolonged; with null as soon as the last one has been released. Absent: a lease counts as long as this
   * process lives.
   */
  onProlonged?(listener: (left: number | null) => void): void;
  /** Removes files that dead owners left. */
  sweep(): Promise<void>;
}

export interface Held {
  readonly what: string;
  /** Milliseconds after which it is free, unless its holder renews it or the preferred worker stays alive. */
  readonly left: number;
  /**
   * Labels of a live worker with free capacity in the place of the dead holder: if it serves the task, it is
   * preferred for a while. Absent: the holder is alive.
   */
  readonly preferred?: readonly string[];
}

export interface TakenLease {
  readonly what: string;
  /** An earlier owner died without releasing it. */
  readonly abandoned: boolean;
  /**
   * Grows with each take, so that the database and git remotes can refuse later actions of an earlier holder.
   * Absent: no other machine takes it.
   */
  readonly epoch?: number;
  /**
   * Aborted when another worker may soon have it: a renewal was late, or it was taken. There is time enough
   * to end the processes under it. Absent: it is never taken from a live owner.
   */
  readonly lost?: AbortSignal;
  release(): Promise<void>;
}

/** The shares of the caps that work on a task takes. */
export interface Wanted {
  /** Null: the project's root. */
  readonly repository: string | null;
  readonly agent: string;
  /** The machine and the folder on it where the work is done. */
  readonly place?: string;
  /** Dollars that may be spent under the lease; null: unlimited. */
  readonly usd: number | null;
  /**
   * Maximum number of tasks at work in the repository and with the agent, and dollars a day; null: unlimited.
   */
  readonly caps: {
    readonly repository: number | null;
    readonly agent: number | null;
    readonly usd: number | null;
  };
}

/** `draining`: the worker takes no more tasks. */
export type Cap = "repository" | "agent" | "usd" | "draining";

/** The lease on the project's folder, of which each machine has its own. */
export function rootLease(host: string | undefined): string {
  return host === undefined ? "@root" : `@root ${host}`;
}
