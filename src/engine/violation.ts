import type { Facts } from "./workflow.ts";

/** A fault of a table, in one sentence, with the state, event, facts and rules that show it. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
  readonly state?: string;
  readonly event?: string;
  /** An example: the facts that matter there, variables and inputs. */
  readonly facts?: Facts;
  /** The number of combinations or configurations with the fault, if more than this one. */
  readonly times?: number;
  /** Ids of the faulty or conflicting rules. */
  readonly rules: readonly string[];
  /** The name of the faulty reply. */
  readonly reply?: string;
  /** Ids of the rules that lead a run there from its start. */
  readonly path?: readonly string[];
}

export type ViolationKind =
  /** A name that some notation cannot show, or that has another meaning. */
  | "name-invalid"
  | "id-repeated"
  /** A list that must not be empty, or that repeats an entry. */
  | "list-invalid"
  | "state-unknown"
  | "event-unknown"
  | "fact-unknown"
  | "value-unknown"
  /** A map per source state that lacks one, or names another. */
  | "map-incomplete"
  /** `set` on an input. */
  | "input-set"
  /** A start that gives a value to something other than a variable. */
  | "start-invalid"
  /** A rule from a state in which the run has ended. */
  | "state-final"
  /** A state without a scope, in a table whose others have one. */
  | "scope-missing"
  /** A rule with the outcome blocked, no-effect or shown that changes something. */
  | "effect-unexpected"
  | "no-rule"
  | "several-rules"
  | "state-unreached"
  | "rule-unreached"
  | "trap"
  | "reply-missing"
  | "reply-unused"
  | "too-many-combinations"
  | "too-many-configurations"
  /** Rules that start agents again and again, without a counter or a person. */
  | "loop-unbounded"
  /** A way to a state that the table which is extended keeps closed. */
  | "promise-broken";
