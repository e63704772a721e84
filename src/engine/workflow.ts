/**
 * The shape of a workflow: a decision table over states, events and a finite space of named facts. All of it
 * is plain data, so that `check` can prove by enumeration what a test can only sample.
 *
 * T1  A rule applies in its `from` states, on its event, in the combinations of its `when` boxes (a union of
 *     boxes).
 * T2  A fact is an input (read from the combination: any of its values may come) or a variable (part of the run,
 *     changed only by `set`). `check` explores configurations, that is state × variables, from the initial one.
 * T3  A rule's commands run after its commit, at least once; their outcome is the next event.
 */
export interface Workflow {
  /** Unique over all workflows; `start_task`, `spells`, `bloom`. */
  readonly name: string;
  readonly title: string;
  readonly states: Readonly<Record<string, State>>;
  readonly initial: string;
  readonly events: Readonly<Record<string, EventDefinition>>;
  readonly facts: Readonly<Record<string, Fact>>;
  /**
   * The variables that a run may begin with, each over the facts' `initial` values; absent: only those
   * values.
   */
  readonly starts?: readonly Facts[];
  readonly rules: readonly Rule[];
  /** From every reachable configuration some sequence of events must lead to one of these. */
  readonly goals: readonly string[];
}

export interface State extends Partial<StateScope> {
  readonly description: string;
  /** The run ends here: no event is taken, no rule is needed. */
  readonly final?: true;
}

/**
 * What may be written while a run is in a state. It decides no event, so it is not part of a table's hash.
 */
export interface StateScope {
  readonly writes: Writes;
  readonly forbids: readonly GitAct[];
}

/**
 * From the narrowest to the widest. `none`: nothing in the project. `plan`: the workflow's own plan files.
 * `worktree`: the checkout in which the session works. `all`: anything.
 */
export const WRITES = ["none", "plan", "worktree", "all"] as const;
export type Writes = (typeof WRITES)[number];

/** Opening or merging a pull request counts as a push. */
export const GIT_ACTS = ["commit", "push"] as const;
export type GitAct = (typeof GIT_ACTS)[number];

export interface EventDefinition {
  readonly description: string;
}

export type FactValue = string | number | boolean | null;

export interface Fact {
  readonly description: string;
  readonly values: readonly FactValue[];
  /** Present on a variable: its value when a run begins. Absent: the fact is observed. */
  readonly initial?: FactValue;
}

/** A box of combinations: each named fact has one of the listed values. */
export type Box = Readonly<Record<string, readonly FactValue[]>>;

/**
 * The value that `set` gives a variable: a value, a value per source state, or a step. A step counts
 * positions in the fact's `values`; it stops at the last one, or at the first for a negative step.
 */
export type Setting =
  | FactValue
  | { readonly of: Readonly<Record<string, FactValue>> }
  | { readonly add: number };

export interface Rule {
  readonly id: string;
  readonly from: readonly string[];
  readonly on: string;
  /** Absent: in every combination. */
  readonly when?: readonly Box[];
  /** A state, `same`, or a map per source state. */
  readonly to: string | Readonly<Record<string, string>>;
  readonly set?: Readonly<Record<string, Setting>>;
  readonly outcome: Outcome;
  readonly commands?: readonly Command[];
  /** The name of the reply's text. */
  readonly reply: string;
}

/**
 * `moved`: state or files change. `blocked`: not permitted here. `no-effect`: permitted, but nothing to do.
 * `shown`: reads only.
 */
export type Outcome = "moved" | "blocked" | "no-effect" | "shown";

/** Named in the imperative; the workflow decides what it does to the ports. */
export interface Command {
  readonly type: string;
  readonly [detail: string]: unknown;
}

export type Facts = Readonly<Record<string, FactValue>>;

/** A run's position in its table: a configuration. */
export interface Configuration {
  readonly state: string;
  readonly variables: Facts;
}

/** The one rule that applies, and the resulting configuration. */
export interface Decision {
  readonly rule: Rule;
  readonly before: Configuration;
  readonly after: Configuration;
}
