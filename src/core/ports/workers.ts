/** Workers on several machines: who there is, and whether they are to go on. */

export interface Workers {
  list(): Promise<readonly WorkerSeen[]>;
  /** Null: another process of that name is alive. */
  register(own: WorkerEntry, at?: WorkPlace): Promise<Registration | null>;
  /** Lets a worker take nothing more and end. Its state before; null: there is none of that name. */
  drain(name: string): Promise<WorkerState | null>;
  /** What is reserved for work on tasks. */
  atWork(): Promise<readonly AtWork[]>;
  /** What agents have spent on the day, by the database's clock in UTC. */
  spentToday(): Promise<number>;
}

export interface AtWork {
  readonly what: string;
  readonly repository: string | null;
  readonly agent: string;
  /** What may still be spent; null: nothing limits it. */
  readonly usd: number | null;
  /** False: its worker is dead, and nobody has taken over yet. */
  readonly alive: boolean;
}

export type WorkerState = "working" | "draining" | "gone";

export interface WorkerEntry {
  readonly name: string;
  readonly host: string;
  /** Of the program. */
  readonly version: string;
  readonly labels: readonly string[];
  /** How many agents may be at work. */
  readonly capacity: number;
}

export interface WorkPlace {
  /** The machine and the folder on it where it works. */
  readonly place: string;
  /** No other process of that name is alive there: one that is registered there is dead. */
  readonly isAlone: boolean;
}

export interface WorkerSeen extends WorkerEntry {
  readonly atWork: number;
  /** `gone` too if it shows no sign of life any more. */
  readonly state: WorkerState;
  /** Its last sign of life, ISO 8601. */
  readonly seen: string;
}

export interface Registration {
  /** Milliseconds after which it counts as gone without a sign of life. */
  readonly lasting: number;
  /** A sign of life. `drains`: it takes nothing more. */
  beat(now: { readonly atWork: number; readonly drains: boolean }): Promise<WorkerOrder>;
  leave(): Promise<void>;
}

/** What is asked of a worker. `outgrown`: the database needs a newer program. `replaced`: another process has its name. */
export type WorkerOrder = "go-on" | "drain" | "outgrown" | "replaced";
