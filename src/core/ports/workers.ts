/** Workers on several machines: which there are, and whether they should continue. */

export interface Workers {
  list(): Promise<readonly WorkerStatus[]>;
  /** Null: another process of that name is alive. */
  register(own: WorkerEntry, at?: WorkerLocation): Promise<Registration | null>;
  /**
   * Makes a worker take no more tasks and end. Returns its previous state; null: there is none of that name.
   */
  drain(name: string): Promise<WorkerState | null>;
  /** The reservations for work on tasks. */
  atWork(): Promise<readonly AtWork[]>;
  /** What agents have spent on the day, by the database's clock in UTC. */
  spentToday(): Promise<number>;
  /** The logins that brought the verdicts on a run (`workflow:id`), by the verdict's time: the database's word. */
  logins(run: string): Promise<ReadonlyMap<string, string>>;
}

export interface AtWork {
  readonly what: string;
  readonly repository: string | null;
  readonly agent: string;
  /** The rest of the reservation's money; null: unlimited. */
  readonly usd: number | null;
  /** False: its worker is dead, and no other has taken over yet. */
  readonly alive: boolean;
}

/** `drained`: it ended with nothing left to do, or handed back. `gone`: it died, or was cut off. */
export type WorkerState = "working" | "draining" | "drained" | "gone";

export interface WorkerEntry {
  readonly name: string;
  readonly host: string;
  /** The program's version. */
  readonly version: string;
  readonly labels: readonly string[];
  /** The maximum number of its agents at work. */
  readonly capacity: number;
}

export interface WorkerLocation {
  /** The machine and the folder on it where it works. */
  readonly place: string;
  /** No other process of that name is alive there: one that is registered there is dead. */
  readonly isAlone: boolean;
}

export interface WorkerStatus extends WorkerEntry {
  readonly atWork: number;
  /** `gone` also without a recent heartbeat. */
  readonly state: WorkerState;
  /** Its last heartbeat, ISO 8601. */
  readonly seen: string;
}

export interface Registration {
  /** Milliseconds without a heartbeat after which it counts as gone. */
  readonly lasting: number;
  /** A heartbeat. `drains`: it takes no more tasks. */
  beat(now: { readonly atWork: number; readonly drains: boolean }): Promise<WorkerOrder>;
  leave(): Promise<void>;
}

/**
 * An instruction to a worker. `outgrown`: the database needs a newer program. `replaced`: another process has
 * its name.
 */
export type WorkerOrder = "go-on" | "drain" | "outgrown" | "replaced";
