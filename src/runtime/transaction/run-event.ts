/**
 * The one way to send an event to a run: load → check the event → observe → decide → collect → propose →
 * commit.
 *
 * E1  An event is checked before anything is observed for it: the table has it, the run is not over, and the
 *     sender may send it.
 * E2  Only inputs that a rule for the event mentions are observed, a costly one only while it can still
 *     matter.
 * E3  `propose` is pure: its data was read or observed before, and never under a lock. If the data has
 *     changed by the commit, all of it is done again.
 * E4  One `run:advanced`, made here and in the commit of the move, reports that a run moved.
 * E5  The follow-up event of a move is sent to the run after its commit. If the process dies in between, the
 *     next event makes up for it.
 */
import type { PawlError } from "../../core/error.ts";
import type { ProjectEvent } from "../../core/event.ts";
import type { PolicyChange } from "../../core/policy.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import { decide } from "../../engine/decide.ts";
import { canMatter, completed, neededFacts } from "../../engine/inputs.ts";
import type { Decision, Facts, FactValue } from "../../engine/workflow.ts";
import type { Runs } from "../run-log/kind.ts";
import { checkEvent, type Owners, type TableRun } from "./check-event.ts";
import { type AdvancedBy, type AdvancedWords, runAdvanced, stamped } from "./run-advanced.ts";
import type { Context, Pin, Proposal, Reply, Transaction } from "./transaction.ts";

export type { TableRun } from "./check-event.ts";

/** The types of one definition. */
export interface RunTypes {
  input: unknown;
  run: TableRun;
  sent: Sent;
  /** An observer's report besides the value. */
  note: unknown;
  /** More data for the effects and the reply. */
  material: unknown;
  reply: unknown;
}

/**
 * The types of a definition that names only its own: it notes and collects nothing, and its reply is the
 * usual one.
 */
export type TypesOf<Own extends Partial<RunTypes>> = Own &
  Omit<RunTypes & { note: never; material: undefined; reply: Reply }, keyof Own>;

/** The event that a call means. */
export interface Sent {
  readonly event: string;
  /** The engine itself sends it, because a command has ended. */
  readonly byEngine?: true;
}

/** The answer to a call that is not decided. */
export interface Answered<R> {
  readonly answer: Proposal<R>;
}

/** A run's settings, and the parts of the present configuration that do not count for it. */
export interface Governed {
  readonly settings: Settings;
  /** The sha-256 of its policy. */
  readonly policy?: string;
  readonly ignored: readonly PolicyChange[];
  /** Present if a policy must be pinned, because none or another one is. */
  readonly pin?: Pin;
}

/** Available until the event is decided. */
export interface RunContext<Input> extends Context {
  readonly input: Input;
  readonly view: View;
  readonly outside: Outside;
  /** The parts of the configuration that do not count for the run. */
  readonly ignored?: readonly PolicyChange[];
}

/** Available after the observations. */
export type ProposalContext<Input> = Omit<RunContext<Input>, "view" | "outside">;

export interface Observer<Note> {
  observe(known: Facts): Observation<Note> | Promise<Observation<Note>>;
  /** Observed only while its value can still make a difference. */
  readonly costly?: true;
}

export interface Observation<Note> {
  /** Absent: the value is not available yet. */
  readonly value?: FactValue;
  readonly note?: Note;
}

/** By fact, in the order in which they are observed. */
export type Observers<Note> = Readonly<Record<string, Observer<Note>>>;

/** Everything that was observed for one event. */
export interface Observed<Note> {
  readonly facts: Facts;
  /** By fact. */
  readonly notes: Readonly<Record<string, Note>>;
}

/** The observations up to an input whose value is not available yet. */
export interface Unfinished<Note> extends Observed<Note> {
  readonly pending: string;
}

/** An event and the rule that it takes. */
export interface Taken<T extends RunTypes> {
  readonly run: T["run"];
  readonly sent: T["sent"];
  readonly observed: Observed<T["note"]>;
  readonly decision: Decision;
}

/** A decided event, with all data for its effects. */
export interface Step<T extends RunTypes> extends Taken<T> {
  readonly material: T["material"];
  readonly governed: Governed | null;
}

/** An event's effects. */
export interface Effects<T extends RunTypes> extends Omit<Proposal<T["reply"]>, "events"> {
  /** Present if the run moved: the words of its event. */
  readonly moved?: AdvancedWords;
  /** Other events. */
  readonly events?: readonly ProjectEvent[];
  /** Sent to the run after the commit, when the rule's command is to be performed. */
  readonly next?: T["input"];
}

type Awaitable<T> = T | Promise<T>;

/** A workflow's declaration of its runs; the runner does the rest. */
export interface RunDefinition<T extends RunTypes> {
  /** Its runs, for the log. */
  readonly runs?: Runs;
  /**
   * Reads everything through the view and observes nothing outside. All of it happens under the lock, so
   * concurrent events wait for each other, and none is decided twice.
   */
  readonly filesOnly?: true;
  /** The run whose lock is held, `workflow:id`; null: the event changes nothing. Throws on a bad id. */
  lock(input: T["input"]): string | null;
  /** Loads the run by its codec, or answers if there is no run. */
  load(context: RunContext<T["input"]>): Promise<T["run"] | Answered<T["reply"]>>;
  /** The run's policy; absent: the present configuration. */
  govern?(run: T["run"], context: RunContext<T["input"]>): Promise<Governed | null>;
  /** The event that the call means, or an answer instead. */
  event(run: T["run"], context: RunContext<T["input"]>): Awaitable<T["sent"] | Answered<T["reply"]>>;
  /** The events with a restricted sender. */
  owners?(run: T["run"]): Owners;
  /** Answers the event before anything is observed for it, if a person must agree first, or has declined. */
  guard?(
    run: T["run"],
    sent: T["sent"],
    context: RunContext<T["input"]>,
  ): Awaitable<Answered<T["reply"]> | null>;
  observers?(run: T["run"], sent: T["sent"], context: RunContext<T["input"]>): Observers<T["note"]>;
  /** The answer if an input is not available yet. */
  pending?(
    run: T["run"],
    observed: Unfinished<T["note"]>,
    context: RunContext<T["input"]>,
  ): Answered<T["reply"]>;
  /** Reads and observes the rule's data. */
  collect?(taken: Taken<T>, context: RunContext<T["input"]>): Promise<T["material"]>;
  propose(step: Step<T>, context: ProposalContext<T["input"]>): Effects<T>;
  /** The reply if the event after the commit failed. Required with `next`. */
  failed?(reply: T["reply"], error: PawlError): T["reply"];
}

/** The result of an event: a step, or an answer instead. */
type Settled<T extends RunTypes> = Step<T> | Answered<T["reply"]>;

export type RunEvent<T extends RunTypes> = Transaction<
  T["input"],
  { readonly view: View; readonly settled?: Settled<T> },
  Settled<T> | undefined,
  T["reply"]
>;

/** The transaction that sends an event to such a run. */
export function runEvent<T extends RunTypes>(definition: RunDefinition<T>): RunEvent<T> {
  const { filesOnly, runs } = definition;
  const plan: RunEvent<T> = {
    ...(runs && { runs }),
    run: (input) => definition.lock(input),
    async read(view, input, context) {
      if (!filesOnly) return { view };
      return { view, settled: await decideEvent(definition, { ...context, input, view, outside: NOTHING }) };
    },
    ...(!filesOnly && {
      observe: ({ view }: { readonly view: View }, input: T["input"], outside: Outside, context: Context) =>
        decideEvent(definition, { ...context, input, view, outside }),
    }),
    propose({ settled: read }, observed, input, context) {
      const settled = (read ?? observed) as Settled<T>;
      if ("answer" in settled) return settled.answer;
      const effects = definition.propose(settled, { ...context, ...settled.governed, input });
      return proposed(definition, plan, settled, effects, context);
    },
  };
  return plan;
}

/** The outside of a definition that observes only files. */
const NOTHING = {} as Outside;

/** Everything up to the decision, and the data for the effects. */
async function decideEvent<T extends RunTypes>(
  definition: RunDefinition<T>,
  given: RunContext<T["input"]>,
): Promise<Step<T> | Answered<T["reply"]>> {
  const run = await definition.load(given);
  if ("answer" in run) return run;
  const governed = (await definition.govern?.(run, given)) ?? null;
  const context = { ...given, ...governed };
  const sent = await definition.event(run, context);
  if ("answer" in sent) return { answer: withGoverned(sent.answer, run, governed, context) };
  checkEvent(run, sent.event, definition.owners?.(run), sent.byEngine);
  const guarded = await definition.guard?.(run, sent, context);
  if (guarded) return guarded;
  const observers = definition.observers?.(run, sent, context) ?? {};
  const needed = neededFacts(run.workflow, run.configuration, sent.event).filter((name) => name in observers);
  const observed = await observe(run, sent.event, needed, observers);
  if ("pending" in observed && definition.pending) return definition.pending(run, observed, context);
  const facts = completed(run.workflow, needed, observed.facts);
  const taken = { run, sent, observed, decision: decide(run.workflow, run.configuration, sent.event, facts) };
  return { ...taken, governed, material: await definition.collect?.(taken, context) };
}

/**
 * The rule that an event takes if every input is available at once: for a transaction that moves several
 * runs, and reports each move by `runAdvanced` itself. `inputOf` is called only for inputs that the rules
 * mention.
 */
export function decideNow(run: TableRun, event: string, inputOf: (name: string) => FactValue): Decision {
  checkEvent(run, event, {}, true);
  const needed = neededFacts(run.workflow, run.configuration, event);
  const facts = Object.fromEntries(needed.map((name) => [name, inputOf(name)]));
  return decide(run.workflow, run.configuration, event, facts);
}

/** Observes the needed inputs, up to the first that is not available yet. */
async function observe<Note>(
  { configuration, workflow }: TableRun,
  event: string,
  needed: readonly string[],
  observers: Observers<Note>,
): Promise<Observed<Note> | Unfinished<Note>> {
  const facts: Record<string, FactValue> = {};
  const notes: Record<string, Note> = {};
  for (const [name, { costly, observe }] of Object.entries(observers)) {
    if (!needed.includes(name)) continue;
    if (costly && !canMatter(workflow, configuration, event, facts, name)) continue;
    const { note, value } = await observe(facts);
    if (note !== undefined) notes[name] = note;
    if (value === undefined) return { facts, notes, pending: name };
    facts[name] = value;
  }
  return { facts, notes };
}

function proposed<T extends RunTypes>(
  { failed = (reply) => reply }: RunDefinition<T>,
  plan: RunEvent<T>,
  step: Step<T>,
  { events = [], moved, next, ...proposal }: Effects<T>,
  context: Context,
): Proposal<T["reply"]> {
  const { decision, governed, run } = step;
  const advanced = moved ? [runAdvanced(moveOf(run, decision), moved, context)] : [];
  const result: Proposal<T["reply"]> = {
    ...proposal,
    events: stamped([...advanced, ...events], context),
    ...(next === undefined
      ? {}
      : { afterCommit: { plan, input: next, merge: (_, followed) => followed, failed } }),
  };
  return withGoverned(result, run, governed, context);
}

/** Pins the policy and reports ignored settings, in the same commit. */
function withGoverned<R>(
  proposal: Proposal<R>,
  { run }: TableRun,
  governed: Governed | null,
  { now: { id, time } }: Pick<Context, "now">,
): Proposal<R> {
  if (governed === null) return proposal;
  const pinned = governed.pin ? { ...proposal, pin: governed.pin } : proposal;
  if (governed.ignored.length === 0) return pinned;
  const event = { id: `${id}-policy`, time, type: "policy:changed", run, ignored: governed.ignored } as const;
  return { ...pinned, events: [...(proposal.events ?? []), event] };
}

/** The move that a decision makes. */
export function moveOf({ run, workflow }: TableRun, { after, before, rule }: Decision): AdvancedBy {
  return { run, machine: workflow.name, event: rule.on, row: rule.id, from: before.state, to: after.state };
}
