/**
 * A draft whose names are types: its rules, and programs that send events to its runs, may name only the states,
 * events and facts that it declares.
 */
import type {
  Command,
  EventDefinition,
  Fact,
  FactValue,
  Rule,
  Setting,
  State,
  Workflow,
} from "../../../engine/workflow.ts";
import type { AgentSession } from "../../../runtime/agent-order.ts";
import type { BeginCommand, Definition, FactSource, Gate, StateHint } from "./definition.ts";
import type { RuleFunction } from "./functions.ts";

/**
 * A definition whose table may contain gates and hints at its events and states, as a workflow's file does.
 */
export interface WorkflowDraft extends Omit<Definition, "table"> {
  readonly table: DraftTable;
}

export interface DraftTable extends Omit<Workflow, "events" | "states"> {
  readonly events: Readonly<Record<string, DraftEvent>>;
  readonly states: Readonly<Record<string, DraftState>>;
}

export interface DraftState extends State, StateHint {}

/**
 * Both keys reserve the event for a person. With `verdict`, `pawl approve` or `pawl reject` sends it, too.
 */
export interface DraftEvent extends EventDefinition {
  readonly gate?: "human";
  readonly verdict?: "approve" | "reject";
}

export type FactsOf = Readonly<Record<string, Fact>>;

type Named<Part> = keyof Part & string;
/** Those with an initial value; the others are inputs. */
type Variable<Facts extends FactsOf> = {
  [Name in Named<Facts>]: Facts[Name] extends { readonly initial: FactValue } ? Name : never;
}[Named<Facts>];
type Input<Facts extends FactsOf> = Exclude<Named<Facts>, Variable<Facts>>;
type ValuesOf<Facts extends FactsOf, Names extends Named<Facts> = Named<Facts>> = {
  readonly [Name in Names]?: Facts[Name]["values"][number];
};

interface RuleOf<State extends string, Event extends string, Facts extends FactsOf>
  extends Omit<Rule, "from" | "on" | "when" | "to" | "set" | "commands"> {
  readonly from: readonly State[];
  readonly on: Event;
  readonly when?: readonly {
    readonly [Name in Named<Facts>]?: readonly Facts[Name]["values"][number][];
  }[];
  readonly to: State | "same" | { readonly [From in State]?: State | "same" };
  readonly set?: { readonly [Name in Variable<Facts>]?: Setting };
  readonly commands?: readonly (string extends Event ? Command : CommandOf<Event>)[];
}

type CommandOf<Event extends string> =
  | {
      readonly type: "run";
      readonly command?: string;
      readonly call?: RuleFunction;
      readonly passed: Event;
      readonly failed: Event;
    }
  | {
      readonly type: "run";
      readonly agent: string;
      readonly prompt: string;
      readonly session?: AgentSession;
      readonly answers: Readonly<Record<string, "text" | "tasks" | readonly Event[]>>;
    }
  | BeginCommand;

interface TableOf<Name extends string, State extends string, Event extends string, Facts extends FactsOf>
  extends Pick<DraftTable, "title"> {
  readonly name: Name;
  readonly states: Readonly<Record<State, DraftState>>;
  readonly events: Readonly<Record<Event, DraftEvent>>;
  readonly facts: Facts;
  readonly initial: NoInfer<State>;
  readonly goals: readonly NoInfer<State>[];
  readonly starts?: readonly NoInfer<ValuesOf<Facts, Variable<Facts>>>[];
  readonly rules: readonly NoInfer<RuleOf<State, Event, Facts>>[];
}

/** A draft that names only what it declares. */
export interface DraftOf<
  Name extends string,
  State extends string,
  Event extends string,
  Facts extends FactsOf,
> extends Omit<WorkflowDraft, "table" | "sources" | "gates" | "hints"> {
  readonly table: TableOf<Name, State, Event, Facts>;
  readonly sources: NoInfer<{ readonly [Fact in Input<Facts>]: FactSource }>;
  readonly gates?: NoInfer<{ readonly [On in Event]?: Gate }>;
  readonly hints?: NoInfer<{ readonly [At in State]?: StateHint }>;
}

/** A definition that knows its names. */
export interface Defined<
  Name extends string,
  State extends string,
  Event extends string,
  Facts extends FactsOf,
> extends Definition {
  readonly table: Omit<Definition["table"], "name" | "states" | "events" | "facts"> & {
    readonly name: Name;
    readonly states: Readonly<Record<State, DraftState>>;
    readonly events: Readonly<Record<Event, DraftEvent>>;
    readonly facts: Facts;
  };
}

// ── A program's runs ─────────────────────────────────────────────────────────────────────────────────────────────

type NameOf<Draft extends WorkflowDraft> = Draft["table"]["name"];

/** `release:1.2.0` for a workflow `release`. */
export type RunOf<Draft extends WorkflowDraft> =
  string extends NameOf<Draft> ? string : `${NameOf<Draft>}:${string}`;

type TableOfRun<Draft extends WorkflowDraft, Run extends string> = Run extends `${infer Name}:${string}`
  ? Extract<Draft["table"], { readonly name: Name }>
  : never;

/** Any, where the types do not know the workflow. */
type NamesOf<Table, Part extends "states" | "events"> = [Table] extends [never]
  ? string
  : Table extends Readonly<Record<Part, infer Names>>
    ? Named<Names>
    : string;

export type EventOfRun<Draft extends WorkflowDraft, Run extends string> = NamesOf<
  TableOfRun<Draft, Run>,
  "events"
>;
export type StateOfRun<Draft extends WorkflowDraft, Run extends string> = NamesOf<
  TableOfRun<Draft, Run>,
  "states"
>;
/** The facts that a caller passes: those whose source is `given`, and with a run's first event its variables. */
export type GivenOfRun<Draft extends WorkflowDraft, Run extends string> = [TableOfRun<Draft, Run>] extends [
  never,
]
  ? Readonly<Record<string, FactValue>>
  : ValuesOf<TableOfRun<Draft, Run>["facts"]>;
