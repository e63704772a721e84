/**
 * The answers to a send that moves nothing by a rule: it shows the run, asks a person, or reports a running
 * command.
 */

import { PawlError } from "../../core/error.ts";
import type { PolicyChange } from "../../core/policy.ts";
import { variableWords } from "../../engine/counter.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";
import type { Context, HumanQuestion, Proposal, Reply } from "../../runtime/module.ts";
import { briefOf, restOfClaims } from "../../runtime/review/brief.ts";
import type { ReviewFacts } from "../../runtime/review/model.ts";
import { type ReviewFinding, renderReview } from "../../runtime/review/question.ts";
import { isCommandLine } from "../../runtime/transaction/person.ts";
import type { Answered } from "../../runtime/transaction/run-event.ts";
import { agentNotes } from "./agents/order-state.ts";
import { turnOf } from "./begin/begin-state.ts";
import { type Child, childrenList } from "./begin/children.ts";
import {
  availableEvents,
  awaitedOf,
  endWords,
  factWords,
  nextOf,
  renderEvents,
} from "./definition/describe.ts";
import { heldWords } from "./govern.ts";
import type { OwnRun } from "./load-run.ts";
import { elsewhereWords } from "./resolve-run.ts";
import { type Looks, type RunFile, renderRun } from "./run-file.ts";
import type { SendInput } from "./sent.ts";

/** The run's data for surfaces, besides the text. */
export function runData({ loaded: { definition }, run }: OwnRun, configuration: Configuration) {
  return {
    run,
    state: configuration.state,
    kept: configuration.variables,
    awaits: awaitedOf(definition, configuration),
    next: nextOf(definition, configuration),
    available: availableEvents(definition, configuration),
  };
}

/** The run's state. `ignored`: the loosened policy that holds it. `children`: the runs that it began, where they are known. */
export function shown(
  run: OwnRun,
  { said: spoken = [] }: SendInput,
  ignored: readonly PolicyChange[] = [],
  children?: readonly Child[],
): Proposal<Reply> {
  const { file, configuration, run: name, workflow } = run;
  const currentTurn = turnOf(name, run.order, children);
  const now = runData(run, configuration);
  const data = {
    ...now,
    // While an agent has the order, no other caller moves the run; while runs that it began are at work, only a
    // person's events do.
    ...(currentTurn && {
      ...{ awaits: currentTurn.awaits, next: currentTurn.next },
      available: now.available.filter(({ human }) => human && run.order?.agent === undefined),
    }),
    ...(children?.length && { children }),
  };
  const begun = file === null ? " (not begun)" : "";
  const kept = variableLines(workflow, configuration);
  const { elsewhere } = run;
  const lines = [
    `${name} is in ${configuration.state}${begun}: ${workflow.states[configuration.state]?.description ?? ""}`,
    ...(ignored.length > 0 ? [heldWords(name, ignored)] : []),
    ...(kept.length > 0 ? [kept.join(", ")] : []),
    ...(elsewhere ? [elsewhereWords(name, elsewhere)] : []),
    ...(data.next ? [`Next (${whom(data.awaits)}): ${data.next}`] : []),
    ...(children?.length ? [childrenList(children)] : []),
    ...(data.available.length > 0 && !elsewhere ? [`Events:\n${renderEvents(name, data.available)}`] : []),
  ];
  const message = [...spoken, lines.join("\n\n")].join("\n");
  const holding = { ...(ignored.length > 0 ? { ignored } : {}), ...(elsewhere ? { elsewhere } : {}) };
  return { reply: { text: `${message}\n`, data: { status: "success", message, ...data, ...holding } } };
}

function whom(awaits: string): string {
  return awaits === "human" ? "a person" : awaits === "nobody" ? "nobody" : `the ${awaits}`;
}

/** Whether a person can be asked on the caller's behalf; a program is refused instead. */
export function canAnswer({ answered, caller }: Context): boolean {
  return caller.channel !== "library" || answered === "vouched";
}

/** The answer to an event that only a person may send: asks them if the caller can, else refuses. */
export function askPerson(
  { run }: OwnRun,
  event: string,
  question: HumanQuestion,
  context: Context,
): Proposal<Reply> {
  const command = `pawl cast ${run} ${event}`;
  if (!canAnswer(context))
    throw new PawlError(
      "caller-not-allowed",
      `Only a person may send ${event} to ${run}; the caller came by the channel "${context.caller.channel}". Nothing was changed.`,
      `A person sends it with \`${command}\`.`,
    );
  return {
    reply: { text: "", data: { status: "success", message: "The human is asked." } },
    ask: { ...question, command },
  };
}

/** What a person sees before they agree to the event. */
export function question(
  own: OwnRun,
  event: string,
  review: ReviewFacts | null,
  { notes = "" }: SendInput,
  context: Context,
): HumanQuestion {
  const { configuration, file, run, workflow } = own;
  const isOwn = isCommandLine(context);
  const message = renderReview({
    question: `Send ${event} to ${run}, which is in ${configuration.state}? (${workflow.events[event]?.description ?? ""})`,
    facts: [
      ...variableLines(workflow, configuration),
      ...cameBy(file),
      ...(isOwn && notes.trim() ? [`Your notes: ${notes}`] : []),
    ],
    ...(review && {
      brief: briefOf(review),
      findings: restOfClaims(review).map(({ about, found: words, verdict }) => ({ about, verdict, words })),
      changes: review.changes,
    }),
    notes: [...agentNotes(own), ...(isOwn ? [] : [{ by: "The assistant", text: notes }])],
    whole: `pawl show ${run}`,
  });
  return { message };
}

function variableLines(table: Workflow, { variables }: Configuration): readonly string[] {
  return Object.entries(variables).map(([name, value]) => `${name} = ${variableWords(table, name, value)}`);
}

/** The facts that led the run to its state. */
function cameBy(file: RunFile | null): readonly string[] {
  const last = file?.history.at(-1);
  const facts = factWords(last ?? {});
  return last && facts.length > 0 ? [`It got there by ${last.event}, with ${facts.join(", ")}.`] : [];
}

/** The end of the last command. What an agent answers is no evidence. */
export function commandEnded(file: RunFile | null): readonly ReviewFinding[] {
  const ended = file?.history.at(-1)?.ended;
  if (!ended || ended.agent !== undefined) return [];
  const verdict = ended.exit_code === 0 && !ended.empty ? "agrees" : "differs";
  return [{ about: ended.command, verdict, words: `it ${endWords(ended)}` }];
}

/** The answer if the person said no. */
export function heldBack(run: OwnRun, event: string, { feedback_notes }: SendInput): Proposal<Reply> {
  const notes = feedback_notes?.trim() ? ` They say: ${feedback_notes}` : "";
  const message = `The human did not agree to ${event}; ${run.run} stays in ${run.configuration.state}.${notes}`;
  const data = { status: "error", message, ...runData(run, run.configuration) };
  return { reply: { text: `${message}\n`, data, refused: true } };
}

/**
 * The answer while a command outlasts the wait. If it answers a fact, its key is stored, so that the next
 * send finds it.
 */
export function stillRunning(
  run: OwnRun,
  command: string,
  looks: Looks,
  { said: theirNotes = [], event }: SendInput,
  time: string,
): Answered<Reply> {
  const { file, path, configuration, run: name } = run;
  const again = `pawl cast ${name}${event && !file?.pending ? ` ${event}` : ""}`;
  const message = [
    ...theirNotes,
    `Still running: \`${command}\`. ${name} stays in ${configuration.state} until it has ended. Do the same again in a while (\`${again}\`): Pawl finds the command and does not start it again.`,
  ].join("\n");
  const data = { status: "running", message, ...runData(run, configuration) };
  const reply: Reply = { text: `${message}\n`, data, waits: true };
  const isKnown = JSON.stringify(file?.checks ?? {}) === JSON.stringify(looks);
  if (isKnown) return { answer: { reply } };
  const kept: RunFile = { ...(file ?? newRun(run, time)), checks: looks, updated_at: time };
  const begins = file === null ? { machine: run.workflow.name, ...run.configuration } : undefined;
  return { answer: { reply, changes: [{ type: "write", path, text: renderRun(kept) }], logged: { begins } } };
}

/** Another run begins this one: it starts in the initial state, with its task. */
export function begun(run: OwnRun, { begins = "", ...input }: SendInput, time: string): Proposal<Reply> {
  const { configuration, file, path, workflow } = run;
  const { reply } = shown(run, input);
  if (file !== null) return { reply };
  const text = renderRun({ ...newRun(run, time), task: begins });
  const logged = { begins: { machine: workflow.name, ...configuration } };
  return { reply, changes: [{ type: "write", path, text }], logged };
}

/** A new run's file, before any rule. */
export function newRun({ id, loaded, configuration, workflow }: OwnRun, time: string): RunFile {
  return {
    workflow: workflow.name,
    id,
    table_hash: loaded.hash,
    state: configuration.state,
    kept: configuration.variables,
    awaits: awaitedOf(loaded.definition, configuration),
    next: nextOf(loaded.definition, configuration),
    history: [],
    created_at: time,
    updated_at: time,
  };
}
