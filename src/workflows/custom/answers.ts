/** The answers to a send that moves nothing by a row: it is shown, asked of a person, or still being found out. */
import { PawlError } from "../../core/error.ts";
import type { GitChanges } from "../../core/ports/git.ts";
import { keptWords } from "../../engine/counter.ts";
import type { Position, Workflow } from "../../engine/workflow.ts";
import type { Context, HumanQuestion, Prepared, Reply } from "../../runtime/module.ts";
import { hasAnswered, isCommandLine } from "../../runtime/person.ts";
import { type ReviewFinding, renderReview } from "../../runtime/review.ts";
import { availableEvents, awaitedOf, nextOf, renderEvents } from "./describe.ts";
import { type Looks, type RunFile, renderRun } from "./run-file.ts";
import type { Seen, SendInput } from "./seen.ts";

/** What surfaces know of the run beside the words. */
export function standing(seen: Pick<Seen, "run" | "loaded">, position: Seen["position"]) {
  const { definition } = seen.loaded;
  return {
    run: seen.run,
    state: position.state,
    kept: position.kept,
    awaits: awaitedOf(definition, position),
    next: nextOf(definition, position),
    available: availableEvents(definition, position),
  };
}

/** Where the run stands. */
export function shown(seen: Seen, { said = [] }: SendInput): Prepared<Reply> {
  const { loaded, position, run, file } = seen;
  const { table } = loaded.definition;
  const data = standing(seen, position);
  const begun = file === null ? " (not begun)" : "";
  const lines = [
    `${run} is in ${position.state}${begun}: ${table.states[position.state]?.description ?? ""}`,
    ...(keptLines(table, position).length > 0 ? [keptLines(table, position).join(", ")] : []),
    ...(data.next ? [`Next (${whom(data.awaits)}): ${data.next}`] : []),
    ...(data.available.length > 0 ? [`Events:\n${renderEvents(run, data.available)}`] : []),
  ];
  const message = [...said, lines.join("\n\n")].join("\n");
  return { reply: { text: `${message}\n`, data: { status: "success", message, ...data } } };
}

function whom(awaits: string): string {
  return awaits === "human" ? "a person" : awaits === "nobody" ? "nobody" : `the ${awaits}`;
}

/** Whether somebody can be asked for the caller; a program is only refused. */
export function canAnswer({ answered, caller }: Context): boolean {
  return caller.channel !== "library" || answered === "vouched";
}

/** Whether a person has said yes to the event, having seen what there is to be seen. */
export function isAllowed(
  seen: Seen,
  event: string,
  changes: GitChanges | null,
  input: SendInput,
  context: Context,
): boolean {
  return hasAnswered(context, question(seen, event, changes, input, context).message);
}

/** The event is a person's: they are asked, where the caller can; a program is refused. */
export function asked(
  seen: Seen,
  event: string,
  changes: GitChanges | null,
  input: SendInput,
  context: Context,
): Prepared<Reply> {
  const command = `pawl cast ${seen.run} ${event}`;
  if (!canAnswer(context))
    throw new PawlError(
      "caller-not-allowed",
      `Only a person may send ${event} to ${seen.run}; the caller came by the channel "${context.caller.channel}". Nothing was changed.`,
      `A person sends it with \`${command}\`.`,
    );
  return {
    reply: { text: "", data: { status: "success", message: "The human is asked." } },
    ask: { ...question(seen, event, changes, input, context), command },
  };
}

function question(
  { file, loaded, position, run }: Seen,
  event: string,
  changes: GitChanges | null,
  { notes = "" }: SendInput,
  context: Context,
): HumanQuestion {
  const { table } = loaded.definition;
  const isOwn = isCommandLine(context);
  const last = file?.history.findLast((entry) => (entry.notes ?? "").trim() !== "");
  const by = last?.by === undefined ? "An earlier event" : `${last.event} (by ${last.by.channel})`;
  const message = renderReview({
    question: `Send ${event} to ${run}, which is in ${position.state}? (${table.events[event]?.description ?? ""})`,
    facts: [
      ...keptLines(table, position),
      ...cameBy(file),
      ...(isOwn && notes.trim() ? [`Your notes: ${notes}`] : []),
    ],
    findings: commandEnded(file),
    changes,
    notes: [
      ...(isOwn ? [] : [{ by: "The assistant", text: notes }]),
      ...(last ? [{ by, text: last.notes ?? "" }] : []),
    ],
    whole: `pawl show ${run}`,
  });
  return { message };
}

function keptLines(table: Workflow, { kept }: Position): readonly string[] {
  return Object.entries(kept).map(([name, value]) => `${name} = ${keptWords(table, name, value)}`);
}

/** On which facts the run came to where it stands. */
function cameBy(file: RunFile | null): readonly string[] {
  const last = file?.history.at(-1);
  const facts = Object.entries(last?.facts ?? {}).map(([name, value]) => `${name} = ${value}`);
  return last && facts.length > 0 ? [`It came there by ${last.event}, with ${facts.join(", ")}.`] : [];
}

/** How the last command ended. */
function commandEnded(file: RunFile | null): readonly ReviewFinding[] {
  const ended = file?.history.at(-1)?.ended;
  if (!ended) return [];
  const verdict = ended.exit_code === 0 ? "agrees" : "differs";
  return [{ about: ended.command, verdict, words: `it ended with ${ended.exit_code ?? "no exit code"}` }];
}

/** The person said no. */
export function heldBack(seen: Seen, event: string, { feedback_notes }: SendInput): Prepared<Reply> {
  const said = feedback_notes?.trim() ? ` They say: ${feedback_notes}` : "";
  const message = `The human did not agree to ${event}; ${seen.run} stays in ${seen.position.state}.${said}`;
  return {
    reply: {
      text: `${message}\n`,
      data: { status: "error", message, ...standing(seen, seen.position) },
      refused: true,
    },
  };
}

/** A command is not done within the wait. Where it answers a fact, its key is kept, so that it is found again. */
export function stillRunning(
  seen: Seen,
  commands: readonly string[],
  looks: Looks,
  { said = [], event }: SendInput,
  { moment }: Context,
): Prepared<Reply> {
  const { run, position, file, path } = seen;
  const what = commands.map((command) => `\`${command}\``).join(", ");
  const again = `pawl cast ${run}${event && !file?.pending ? ` ${event}` : ""}`;
  const message = [
    ...said,
    `Still running: ${what}. ${run} stays in ${position.state} until it has ended. Do the same again in a while (\`${again}\`): it is found, not begun anew.`,
  ].join("\n");
  const data = { status: "running", message, ...standing(seen, position) };
  const reply: Reply = { text: `${message}\n`, data, waits: true };
  const isKnown = JSON.stringify(file?.checks ?? {}) === JSON.stringify(looks);
  if (isKnown) return { reply };
  const kept: RunFile = { ...(file ?? newRun(seen, moment.time)), checks: looks, updated_at: moment.time };
  return { reply, changes: [{ type: "write", path, text: renderRun(kept) }] };
}

/** A run that has taken no row yet. */
export function newRun({ loaded, id, position }: Seen, time: string): RunFile {
  return {
    workflow: loaded.definition.table.name,
    id,
    table_hash: loaded.hash,
    state: position.state,
    kept: position.kept,
    origin: { ...position, at: 0 },
    history: [],
    created_at: time,
    updated_at: time,
  };
}
