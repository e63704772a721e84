import type { Facts } from "./workflow.ts";

/** What is wrong with a table, in one sentence, with the state, event, facts and rules that show it. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
  readonly state?: string;
  readonly event?: string;
  /** One combination that shows it: the facts that matter there, kept and observed. */
  readonly facts?: Facts;
  /** In how many combinations or configurations it is so, where that is more than the one shown. */
  readonly times?: number;
  /** Ids of the rules that are wrong or in conflict. */
  readonly rules: readonly string[];
  /** The name of the reply that is wrong. */
  readonly reply?: string;
  /** Ids of the rules that lead a run there from its start. */
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
  /** `set` on an input. */
  | "input-set"
  /** A start that gives a value to something other than a variable. */
  | "start-invalid"
  /** A rule from a state in which the run has ended. */
  | "state-final"
  /** A state that does not say what may be written there, in a table whose others do. */
  | "scope-missing"
  /** A rule that is blocked, without effect or only shown, and yet changes something. */
  | "effect-unexpected"
  | "no-rule"
  | "several-rules"
  | "state-unreached"
  | "rule-unreached"
  | "trap"
  | "reply-missing"
  | "reply-unused"
  | "too-many-combinations"
  | "too-many-configurations";
