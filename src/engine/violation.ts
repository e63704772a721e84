import type { Facts } from "./workflow.ts";

/** What is wrong with a table, in one sentence, with the state, event, facts and rows that show it. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
  readonly state?: string;
  readonly event?: string;
  /** One world that shows it: the facts that matter there, kept and observed. */
  readonly facts?: Facts;
  /** In how many worlds or configurations it is so, where that is more than the one shown. */
  readonly times?: number;
  /** Ids of the rows that are at fault or in conflict. */
  readonly rows: readonly string[];
  /** Ids of the rows by which a run comes there from its start. */
  readonly path?: readonly string[];
}

export type ViolationKind =
  /** A name that cannot be shown in every notation, or that means something else. */
  | "name-invalid"
  | "id-repeated"
  /** A list that must not be empty, or that repeats an entry. */
  | "list-invalid"
  | "state-unknown"
  | "event-unknown"
  | "fact-unknown"
  | "value-unknown"
  /** A map per source state that leaves one out, or names another. */
  | "map-incomplete"
  /** `set` on an observed fact. */
  | "fact-observed"
  /** A start that gives a value to something else than a kept fact. */
  | "start-invalid"
  /** A row from a state in which the run has ended. */
  | "state-final"
  /** A row that is blocked, without effect or only shown, and yet changes something. */
  | "effect-unexpected"
  | "no-row"
  | "several-rows"
  | "state-unreached"
  | "row-unreached"
  | "trap"
  | "reply-missing"
  | "reply-unused"
  | "too-many-worlds"
  | "too-many-configurations";
