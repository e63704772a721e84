/** What the work loop leaves when it ends. */
import type { RestingAccount } from "./agents.ts";

export interface LoopEnd {
  /** Ids of the tasks in scope. */
  readonly done: readonly string[];
  readonly cancelled: readonly string[];
  readonly open: readonly string[];
  readonly blocked: readonly string[];
  readonly waiting: readonly string[];
  /** Tasks that wait for a target that fails their check even without their work. */
  readonly red: readonly WaitsForTarget[];
  /** The agents that rest, and the tasks that wait for them. */
  readonly resting: readonly RestingAgent[];
  /** Tasks in progress, but not by a loop: a person seems to work on them. */
  readonly byHand: readonly string[];
}

export interface WaitsForTarget {
  /** What fails there and since when, for display. */
  readonly reason: string;
  readonly tasks: readonly string[];
}

export interface RestingAgent extends RestingAccount {
  /** The tasks that wait for it. */
  readonly tasks: readonly string[];
  /** The agents of other tasks, which do not rest. */
  readonly others: readonly string[];
}
