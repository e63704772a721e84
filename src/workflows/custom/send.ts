/**
 * One event sent to a run: read the table and the run, observe what the rows ask for, decide, render the reply, and
 * commit the move. A row's command is performed by a send of its own that follows the commit; should that not come
 * about, the next send does it (T3).
 *
 * S1  While a row's command is not known to have ended, nothing but its end moves the run.
 * S2  A command that answers a fact runs once for each decision; where it outlasts the wait, its key is kept with the
 *     run, and the next send finds it again.
 */
import { PawlError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import { initialPosition } from "../../engine/decide.ts";
import { isFinal, keptNames } from "../../engine/lookup.ts";
import type { Facts, FactValue } from "../../engine/workflow.ts";
import type { Advance, Context, Reply } from "../../runtime/module.ts";
import { asked, canAnswer, heldBack, isAllowed, shown, stillRunning } from "./answers.ts";
import { type DefinitionSource, endEvents, type Loaded } from "./definition.ts";
import { checkProved } from "./load.ts";
import { endOf, fileFacts, givenFacts, neededFacts, type Observed, observeOutside } from "./observe.ts";
import { movingEvents } from "./reply.ts";
import { type Order, orderOf, parseRun, positionOf, type RunFile, runPath } from "./run-file.ts";
import { checkHistory, headOf } from "./run-history.ts";
import { nameRun, sourceNamed } from "./run-name.ts";
import type { Gathered, Seen, SendInput } from "./seen.ts";
import { type Taken, take } from "./take.ts";
import { renderWithId } from "./template.ts";

const NOTHING: Observed = { facts: {}, checks: {}, running: {} };

export type Send = Advance<SendInput, Seen, Gathered, Reply>;

/** Sends events to the runs of these workflows. */
export function sendTo(sources: readonly DefinitionSource[]): Send {
  const plan: Send = {
    run: ({ run }) => nameRun(sources, run).run,
    read: (view, input) => readSend(sources, view, input),
    gather: gatherSend,
    prepare(seen, gathered, input, context) {
      const { prepared, next } = prepareSend(seen, gathered, input, context);
      if (!next) return prepared;
      return { ...prepared, followUp: { plan, input: next, merge: (_, followed) => followed } };
    },
  };
  return plan;
}

async function readSend(sources: readonly DefinitionSource[], view: View, input: SendInput): Promise<Seen> {
  const { workflow, id, run } = nameRun(sources, input.run);
  const source = sourceNamed(sources, workflow);
  const loaded = await source.load(view);
  checkProved(loaded.definition, source.file);
  const { definition } = loaded;
  const path = runPath(workflow, id);
  const text = await view.read(path);
  const file = text === null ? null : parseRun(path, workflow, id, text);
  const { start, given } = splitStart(loaded, file, passed(loaded, input));
  const position = file ? positionOf(path, file, loaded) : initialPosition(definition.table, start);
  if (file) await checkHistory(view, file, loaded);
  const head = await headOf(file);
  const seen = { source, loaded, run, id, path, file, head, position, given: {}, gated: false };
  const order = file && orderOf(file, definition);
  if (order) {
    const { passed: one, failed: other } = order;
    const needed = [one, other].flatMap((end) => neededFacts(definition, position, end));
    return { ...seen, event: null, facts: await fileFacts(definition, needed, id, view) };
  }
  if (input.event === undefined) return { ...seen, event: null, facts: {} };
  const event = checkEvent(loaded, input.event);
  if (isFinal(definition.table, position.state)) throw hasEnded(run, position.state, event);
  const needed = neededFacts(definition, position, event);
  // Where the event moves nothing, its row says so, and nobody need be asked.
  const isGate =
    Object.hasOwn(definition.gates ?? {}, event) &&
    movingEvents(definition.table, position.state, position.kept).includes(event);
  return {
    ...seen,
    event,
    given: givenFacts(definition, needed, given, event),
    facts: await fileFacts(definition, needed, id, view),
    gated: isGate,
  };
}

/** Looks outside: the command of a row first, else what the rows for the event ask for. */
export async function gatherSend(
  seen: Seen,
  input: SendInput,
  outside: Outside,
  context: Context,
): Promise<Gathered> {
  const { moment } = context;
  const { file, loaded, id, event, gated, position } = seen;
  const { definition } = loaded;
  const observe = (name: string) => {
    const known = { ...seen.facts, ...seen.given };
    const looking = { definition, position, event: name, id, known, looks: file?.checks ?? {} };
    return observeOutside(looking, outside, { time: moment.time, attempt: moment.id });
  };
  const order = file && orderOf(file, definition);
  if (order) {
    const outcome = await outside.checks.run(order.key, order.command, { named: order.named });
    const observed = outcome.kind === "ended" ? await observe(endEvent(order, outcome.exitCode)) : NOTHING;
    return { observed, pending: { order, outcome } };
  }
  if (event === null) return { observed: NOTHING };
  const changes = gated && canAnswer(context) ? await outside.git.changes(null) : null;
  const isAnswered = !gated || isAllowed(seen, event, changes, input, context);
  if (!isAnswered || input.is_approved === false) return { observed: NOTHING, changes };
  return { observed: await observe(event), changes };
}

function prepareSend(seen: Seen, gathered: Gathered, input: SendInput, context: Context): Taken {
  const { observed, pending } = gathered;
  const running = commandsOf(seen, Object.keys(observed.running));
  const wait = (commands: readonly string[]): Taken => ({
    prepared: stillRunning(seen, commands, observed.running, input, context),
  });
  if (pending) {
    const { order, outcome } = pending;
    if (outcome.kind === "running") return wait([order.command]);
    if (running.length > 0) return wait(running);
    const event = endEvent(order, outcome.exitCode);
    return take({ seen, event, observed, ended: endOf(order.command, outcome) }, input, context);
  }
  if (seen.event === null) return { prepared: shown(seen, input) };
  const { changes = null } = gathered;
  if (seen.gated && !isAllowed(seen, seen.event, changes, input, context))
    return { prepared: asked(seen, seen.event, changes, input, context) };
  if (input.is_approved === false) return { prepared: heldBack(seen, seen.event, input) };
  if (running.length > 0) return wait(running);
  return take({ seen, event: seen.event, observed, ended: null }, input, context);
}

/** The commands that answer the facts. */
function commandsOf({ loaded, id }: Seen, facts: readonly string[]): readonly string[] {
  return facts.flatMap((name) => {
    const source = loaded.definition.sources[name];
    return source?.type === "command" ? [renderWithId(source.command, id)] : [];
  });
}

function endEvent({ passed: one, failed: other }: Order, exitCode: number | null): string {
  return exitCode === 0 ? one : other;
}

/** The facts that came with the event, from a model or from a terminal. */
function passed({ definition }: Loaded, { given = {}, fact = [] }: SendInput): Facts {
  const words = fact.map((word) => {
    const at = word.indexOf("=");
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)] as const;
    throw new PawlError(
      "usage",
      `${JSON.stringify(word)} is no fact: expected a name, an equals sign and a value.`,
      "Write --fact NAME=VALUE.",
    );
  });
  const typed = words.map(([name, word]): [string, FactValue] => {
    const values = Object.hasOwn(definition.table.facts, name) ? definition.table.facts[name]?.values : [];
    return [name, values?.find((value) => String(value) === word) ?? word];
  });
  return { ...given, ...Object.fromEntries(typed) };
}

/** A run that begins may be given the kept facts of one of the table's starts. */
function splitStart(
  { definition }: Loaded,
  file: RunFile | null,
  facts: Facts,
): { start: Facts; given: Facts } {
  if (file) return { start: {}, given: facts };
  const kept = keptNames(definition.table);
  const entries = Object.entries(facts);
  return {
    start: Object.fromEntries(entries.filter(([name]) => kept.includes(name))),
    given: Object.fromEntries(entries.filter(([name]) => !kept.includes(name))),
  };
}

function checkEvent({ definition }: Loaded, event: string): string {
  const { table } = definition;
  const ends = endEvents(table);
  if (ends.has(event))
    throw new PawlError(
      "caller-not-allowed",
      `${event} tells how a command ended: the engine runs that command, and sends ${event} itself.`,
      "Send the event whose row runs the command.",
    );
  if (Object.hasOwn(table.events, event)) return event;
  const known = Object.keys(table.events).filter((name) => !ends.has(name));
  const near = nearest(event, known);
  throw new PawlError(
    "usage",
    `${table.name} has no event ${JSON.stringify(event)}: expected one of ${known.join(", ")}.`,
    near ? `Send ${near}.` : `Send one of ${known.join(", ")}.`,
  );
}

function hasEnded(run: string, state: string, event: string): PawlError {
  return new PawlError(
    "no-effect",
    `${run} has ended in ${state}; it takes no ${event} any more.`,
    "Nothing is to be done: the run is complete.",
  );
}
