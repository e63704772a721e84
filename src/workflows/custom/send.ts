/**
 * Sends an event to a run of your own workflow. A separate send after the commit runs a rule's command; if
 * that does not happen, the next send does it.
 *
 * S1  While the end of a rule's command is unknown, only that end moves the run; while runs that it began are at
 *     work, a person's events do, too.
 * S2  A command that answers a fact runs once per decision; if it outlasts the wait, its key is stored with
 *     the run, and the next send finds it again.
 * S3  If the definition was loosened since the run began, nothing is run or decided for it.
 */
import { PawlError } from "../../core/error.ts";
import { isFinal, variableNames } from "../../engine/lookup.ts";
import { movingEvents } from "../../engine/reach.ts";
import type { Facts, FactValue } from "../../engine/workflow.ts";
import type { Reply } from "../../runtime/module.ts";
import { checkVersion, decidedWords } from "../../runtime/review/version.ts";
import { loadSteps } from "../../runtime/run-log/read.ts";
import { elsewhereError } from "../../runtime/run-log/team-records.ts";
import { hasAnswered, isPersonHere } from "../../runtime/transaction/person.ts";
import {
  type Answered,
  type RunContext,
  type RunEvent,
  runEvent,
  type Unfinished,
} from "../../runtime/transaction/run-event.ts";
import { withFailure } from "../../runtime/transaction/transaction.ts";
import { awaitsPerson, orderWords, triesAgain } from "./agents/order-state.ts";
import { askPerson, begun, canAnswer, heldBack, question, shown, stillRunning } from "./answers.ts";
import { beginEvent } from "./begin/gather.ts";
import { type DefinitionSource, type Gate, type Loaded, ownersOf } from "./definition/definition.ts";
import { availableEvents } from "./definition/describe.ts";
import { callOnce } from "./definition/functions.ts";
import { renderWithId } from "./definition/template.ts";
import { effectsOf } from "./effects.ts";
import { govern, heldRunError } from "./govern.ts";
import { eventFor, inspectWork, presentVersion } from "./judged.ts";
import { loadRun, missingRunError, type OwnRun } from "./load-run.ts";
import { callOf, checkGiven, endOf, observersOf } from "./observe.ts";
import { checkMayMove } from "./proved.ts";
import { reviewNow } from "./review.ts";
import type { AgentOrder } from "./run-file.ts";
import { runsOfSources } from "./run-kind.ts";
import { nameRun } from "./run-name.ts";
import type { Note, OwnSent, SendInput, SendTypes } from "./sent.ts";

export type Send = RunEvent<SendTypes>;
type SendContext = RunContext<SendInput>;

/** Sends events to the runs of these workflows. */
export function sendTo(sources: readonly DefinitionSource[]): Send {
  return runEvent<SendTypes>({
    runs: runsOfSources(sources),
    lock: ({ run }) => nameRun(sources, run).run,
    async load({ input, view }) {
      const run = await loadRun(
        sources,
        view,
        input.run,
        (loaded) => splitStart(loaded, passed(loaded, input)).start,
      );
      await checkMayMove(run, view);
      const { configuration, elsewhere, workflow } = run;
      if (elsewhere && isWanted(input) && !isFinal(workflow, configuration.state))
        throw elsewhereError(run.run, elsewhere);
      return run;
    },
    govern: (run, context) =>
      govern(run, context.outside, context, isWanted(context.input) || context.input.begins !== undefined),
    event: (run, context) => eventOf(run, context),
    owners: ({ loaded }) => ownersOf(loaded.definition),
    guard: (run, sent, context) => guard(run, sent, context),
    observers: (run, sent, context) => observersOf(run, sent, context),
    pending: (run, observed, context) => waits(run, observed, context),
    propose: effectsOf,
    failed: withFailure,
  });
}

function isWanted({ event, verdict }: SendInput): boolean {
  return event !== undefined || verdict !== undefined;
}

async function eventOf(run: OwnRun, context: SendContext): Promise<OwnSent | Answered<Reply>> {
  const { ignored = [], input, now, outside } = context;
  if (ignored.length > 0 && (run.order || isWanted(input))) throw heldRunError(run, ignored);
  if (input.version !== undefined)
    checkVersion(run.run, input.version, await presentVersion(run, await inspectWork(outside)));
  if (input.begins !== undefined) return { answer: begun(run, input, now.time) };
  if (input.isFirst && run.file?.history.length) return { answer: shown(run, input, ignored) };
  const wanted = input.verdict ? await verdictEvent(run, input.verdict, context) : input.event;
  const { order } = run;
  if (input.again !== undefined && (order?.agent === undefined || !awaitsPerson(order, input.again)))
    throw new PawlError(
      "no-effect",
      `No agent of ${run.run} waits for this${order?.agent === undefined ? "" : `: ${orderWords(order)}`}. Nothing was changed.`,
      `\`pawl cast ${run.run}\` shows where it stands.`,
    );
  if (order?.begin !== undefined) {
    const event = await beginEvent(run, order, wanted, context, sendTo(run.sources));
    if (event !== null) return event;
  }
  if (order?.agent !== undefined) return agentEvent(run, order, wanted, context);
  if (order && order.begin === undefined) {
    const outcome = await (order.call
      ? callOnce(order.call, callOf(run, order.key))
      : outside.checks.run(order.key, order.command, {
          named: order.named,
          acts: true,
          said: answerFiles(run),
        }));
    if (outcome.kind === "running")
      return stillRunning(run, order.command, run.file?.checks ?? {}, input, now.time);
    const event = outcome.exitCode === 0 ? order.passed : order.failed;
    return { event, byEngine: true, given: {}, gated: false, ended: endOf(order.command, outcome) };
  }
  if (wanted === undefined) return { answer: shown(run, input, ignored) };
  const facts = passed(run.loaded, input);
  const given = run.file ? facts : splitStart(run.loaded, facts).given;
  // An event that moves nothing gets its rule's reply, without a question to a person.
  const { gates = {} } = run.loaded.definition;
  const gated =
    Object.hasOwn(gates, wanted) && movingEvents(run.workflow, run.configuration).includes(wanted);
  const work = gated && canAnswer(context) ? await inspectWork(outside) : null;
  return { event: wanted, given, gated, ended: null, ...(work && { work }) };
}

/**
 * While an agent has the order, only its answer moves the run. If it cannot continue, a person lets it try again,
 * or sends one of its
 * events in its place.
 */
function agentEvent(
  run: OwnRun,
  order: AgentOrder,
  wanted: string | undefined,
  context: SendContext,
): OwnSent | Answered<Reply> {
  const { caller, input } = context;
  const { agent, answers, key, work } = order;
  const nothing = { byEngine: true, given: {}, gated: false } as const;
  const { answer } = input;
  if (answer !== undefined) {
    if (answer.key !== key) return { answer: shown(run, input) };
    const { ended, event, events } = answer;
    return { ...nothing, event, ended, events, byAgent: { ...answer, agent } };
  }
  const isPersons = work?.held !== undefined && isPersonHere({ caller });
  if (wanted === undefined)
    return isPersons ? triesAgain(run, order, context) : { answer: shown(run, input) };
  const ends = Object.values(answers).flatMap((each) => (each === "text" ? [] : each));
  if (isPersons && ends.includes(wanted)) return { ...nothing, event: wanted, ended: null };
  throw new PawlError(
    "invalid-action",
    `${wanted} cannot be sent to ${run.run}: ${orderWords(order)}.`,
    work?.held === undefined
      ? "`pawl run` lets it work; its answer is the next event."
      : `A person lets it try again with \`pawl cast ${run.run}\`, or sends ${ends.join(" or ")} in its place.`,
  );
}

/**
 * Asks a person about their event before any command runs for it; except a signer, who signs the rule that
 * the event takes, so the rule must be known first.
 */
async function guard(run: OwnRun, sent: OwnSent, context: SendContext): Promise<Answered<Reply> | null> {
  const { input } = context;
  checkGiven(run, sent);
  if (!sent.gated) return null;
  const review = sent.work ? await reviewNow(run, sent.work, context.outside, context) : null;
  const asking = question(run, sent.event, review, input, context);
  if (!hasAnswered(context, asking.message)) return { answer: askPerson(run, sent.event, asking, context) };
  return input.is_approved === false ? { answer: heldBack(run, sent.event, input) } : null;
}

/** The answer while a command that answers a fact still runs. */
function waits(
  run: OwnRun,
  { notes, pending }: Unfinished<Note>,
  { input, now }: SendContext,
): Answered<Reply> {
  const source = run.loaded.definition.sources[pending];
  const command = source?.type === "command" ? renderWithId(source.command, run.id) : pending;
  const looks = Object.fromEntries(
    Object.entries(notes).flatMap(([name, { look }]) => (look ? [[name, look]] : [])),
  );
  return stillRunning(run, command, looks, input, now.time);
}

/** What the run's agents said last, each as `AGENT.FIELD`, and its own `task`. */
function answerFiles({ file }: OwnRun): Readonly<Record<string, string>> {
  const all = Object.entries(file?.said ?? {});
  return Object.fromEntries([
    ...all.flatMap(([agent, texts]) =>
      Object.entries(texts).map(([field, text]) => [`${agent}.${field}`, text] as const),
    ),
    ...(file?.task === undefined ? [] : [["task", file.task] as const]),
  ]);
}

/** The state's event for the verdict. */
async function verdictEvent(
  own: OwnRun,
  verdict: Exclude<Gate, "human">,
  { view }: SendContext,
): Promise<string> {
  const { file, loaded, configuration, run } = own;
  if (file === null) throw missingRunError(own.source.name, own.id);
  const event = eventFor(own, verdict);
  if (event !== undefined) return event;
  const events = availableEvents(loaded.definition, configuration).map(({ event }) => event);
  const done = verdict === "approve" ? "approved" : "rejected";
  throw new PawlError(
    "invalid-action",
    `${run} is in ${configuration.state}, where nothing is to be ${done}; its events there are ${events.join(", ") || "none"}.${decidedWords(await loadSteps(view, run))}`,
    `\`pawl cast ${run}\` shows what the run waits for.`,
  );
}

/** The facts that came with the event, from a model or from a terminal. */
function passed({ definition }: Loaded, { given = {}, fact = [] }: SendInput): Facts {
  const words = fact.map((word) => {
    const at = word.indexOf("=");
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)] as const;
    throw new PawlError(
      "usage",
      `${JSON.stringify(word)} is not a fact: expected a name, an equals sign and a value.`,
      "Write --fact NAME=VALUE.",
    );
  });
  const typed = words.map(([name, word]): [string, FactValue] => {
    const values = Object.hasOwn(definition.table.facts, name) ? definition.table.facts[name]?.values : [];
    return [name, values?.find((value) => String(value) === word) ?? word];
  });
  return { ...given, ...Object.fromEntries(typed) };
}

/** Splits the facts of a new run: the variables of one of the table's starts, and the given facts. */
function splitStart({ definition }: Loaded, facts: Facts): { start: Facts; given: Facts } {
  const kept = variableNames(definition.table);
  const entries = Object.entries(facts);
  return {
    start: Object.fromEntries(entries.filter(([name]) => kept.includes(name))),
    given: Object.fromEntries(entries.filter(([name]) => !kept.includes(name))),
  };
}
