/** What the loop asks of a workflow whose runs it works on, and what it gives in return. */
import type { LoopRunEvent } from "../bloom-event.ts";
import type { PawlError } from "../error.ts";
import type { TakenLease, Wanted } from "./leases.ts";
import type { LoopEnd } from "./loop-end.ts";

export interface Driver {
  /** Whether the run is one of its workflow's. */
  owns(run: string): boolean;
  /** Ends what dead workers left. Throws if this machine cannot work on any run. */
  start(): Promise<void>;
  /** The runs as they are now. Interrupts work that a person has overruled. */
  load(): Promise<Backlog>;
  /** The same at the end, when nothing is at work. */
  reload(): Promise<Backlog>;
  /** An agent begins in a run of another driver. It may write what this one reads. */
  agentBegins(): Promise<void>;
  /** Shows what the loop says of a run. */
  say(event: LoopRunEvent): void;
  /** Whether it asks for something outside. */
  isBusy(): boolean;
  ended(): Promise<void>;
}

/** The workflow's runs at one moment. */
export interface Backlog {
  /** A newer version moved these runs on: this one begins nothing more. */
  readonly outgrown: readonly string[];
  /** The runs that could begin if their files could be written or trusted. */
  readonly unwritable: ReadonlyMap<string, PawlError>;
  /** The leases that each run needs besides its own. */
  readonly exclusive: readonly string[];
  /** The runs that may begin, best first. The order depends on those at work, which each begun run joins. */
  candidates(isLeftAlone: (run: string) => boolean, atWork: () => readonly string[]): Iterable<Candidate>;
  /** Why none of these runs can begin on this machine. */
  missingAgentError(agent: MissingAgent, runs: readonly string[]): PawlError;
  /** The runs that wait for a person, each with the reason. */
  waiting(): readonly { readonly run: string; readonly reason: string }[];
  /** Milliseconds until one may begin that only waits for its time; null: none does. */
  wakesIn(isLeftAlone: (run: string) => boolean): number | null;
  /** Queries services outside if a query is due. Returns the milliseconds until the next query; null: none. */
  ask(): number | null;
  /** `untrusted`: those that wait until a person agrees to their programs. */
  end(untrusted: ReadonlyMap<string, PawlError>): LoopEnd;
}

export interface MissingAgent {
  readonly agent: string;
  readonly why: string;
}

/** Work on a run. */
export interface RunWork {
  /** The run's id, and the name of its lease. */
  readonly run: string;
  /** The lease of the place where it is worked on. */
  readonly folder: string;
  /** Reads the run again under its leases, and works on it until it rests. */
  work(hold: Hold): Promise<void>;
}

/** A run that may begin. What it says is out of date once the loop has its lease. */
export interface Candidate extends RunWork {
  /** Whether a worker with these labels serves it. */
  isServedBy(labels: readonly string[]): boolean;
  lacksAgent(): MissingAgent | null;
  /** Why a person must first agree to what it starts. */
  lacksTrust(): Promise<PawlError | null>;
  /** How it counts for the caps over all machines; null: not at all. */
  wanted(): Wanted | null;
}

/** What the loop holds for a run while it is worked on. */
export interface Hold {
  readonly lease: TakenLease;
  readonly slot: Slot;
  /** An earlier owner died without releasing its leases. */
  readonly abandoned: boolean;
  /** Aborted: the work ends at once. */
  readonly stop: AbortSignal;
  /** Aborted, with `stop`: another worker may soon have the lease. */
  readonly lost: AbortSignal;
}

/** A slot among those that work at once. */
export interface Slot {
  /** Frees the slot. `quietly`: the caller looks for the next task itself. */
  leave(how?: "quietly"): void;
  /** Waits for a slot, ahead of runs that have not begun. False: stopped first. */
  take(stop: AbortSignal): Promise<boolean>;
}

export interface RetryPolicy {
  /** Notes that work has begun: from now on, transient errors are waited out. */
  begin(): void;
  /** True if the error is transient; reports it once. Always false before anything has begun or succeeded, and after a stop. */
  shouldRetry(error: unknown): boolean;
  /** Resolves when it is time for the next try. */
  wait(): Promise<void>;
  /** Notes a success. `again`: after a failure. */
  succeeded(again: boolean): void;
}

/** What the loop offers to a driver. */
export interface LoopHandle {
  readonly stop: AbortSignal;
  readonly retries: RetryPolicy;
  /** Whether no run is at work. */
  isIdle(): boolean;
  /** Wakes the loop. */
  notify(): void;
  /** Works without a slot on a run that is no candidate, unless another worker has it. Never throws. */
  workBeside(work: RunWork): Promise<void>;
  /** Waits for the lease on a folder, ahead of runs that have not begun. Null: stopped first. `onWait`: it is not free. */
  takeFolder(folder: string, stop: AbortSignal, onWait: () => void): Promise<TakenLease | null>;
}
