/** The row that an event takes: the reply, and the run as it is afterwards. */
import type { PawlEvent } from "../../core/event.ts";
import { decide } from "../../engine/decide.ts";
import type { Decision, Facts } from "../../engine/workflow.ts";
import type { Context, Prepared, Reply } from "../../runtime/module.ts";
import { strengthOf } from "../../runtime/person.ts";
import { newRun, standing } from "./answers.ts";
import { commandOf } from "./definition.ts";
import { awaitedOf, nextOf, renderEvents } from "./describe.ts";
import { completed, neededFacts, type Observed } from "./observe.ts";
import { type CommandEnd, renderReply } from "./reply.ts";
import { type Order, type RunFile, renderRun } from "./run-file.ts";
import { anchorOf } from "./run-history.ts";
import type { Seen, SendInput } from "./seen.ts";
import { renderWithId } from "./template.ts";

export interface Taking {
  readonly seen: Seen;
  readonly event: string;
  readonly observed: Observed;
  /** The command whose end is the event. */
  readonly ended: CommandEnd | null;
}

/** How many commands may follow one another in one call; the rest waits for the next one. */
const MAX_FOLLOWING = 10;

/** What to commit; `next`: the send that performs the row's command after the commit. */
export interface Taken {
  readonly prepared: Prepared<Reply>;
  readonly next?: SendInput;
}

/** Pure: decides, and says what to commit. */
export function take(taking: Taking, input: SendInput, context: Context): Taken {
  const { seen, event, observed } = taking;
  const { definition } = seen.loaded;
  const facts = { ...seen.facts, ...seen.given, ...observed.facts };
  const needed = neededFacts(definition, seen.position, event);
  const decision = decide(definition.table, seen.position, event, completed(definition, needed, facts));
  const { row, after } = decision;
  const pending = pendingOf(decision, seen, context);
  const text = replyText(taking, decision, facts, input);
  const said = [...(input.said ?? []), text, ...notSent(taking, input)];
  const message = [...said, ...(pending ? [toBeRun(seen.run, pending)] : [])].join("\n");
  const reply: Reply = {
    text: message,
    data: {
      status: row.outcome === "blocked" ? "error" : "success",
      message,
      row: row.id,
      outcome: row.outcome,
      facts,
      ...(taking.ended ? { ended: taking.ended } : {}),
      ...standing(seen, after),
    },
    ...(row.outcome === "blocked" ? { refused: true as const } : {}),
  };
  if (row.outcome !== "moved") return { prepared: { reply, ...forgetting(taking, context) } };
  const file = moved(taking, { decision, facts, pending }, input, context);
  const prepared: Prepared<Reply> = {
    reply,
    changes: [{ type: "write", path: seen.path, text: renderRun(file) }, anchorOf(file)],
    events: [advanced(taking, decision, context)],
  };
  const follows = pending && said.length <= MAX_FOLLOWING;
  return follows ? { prepared, next: { run: seen.run, said } } : { prepared };
}

function replyText(
  { seen, event, observed, ended }: Taking,
  { row, after }: Decision,
  facts: Facts,
  input: SendInput,
): string {
  const { definition } = seen.loaded;
  const { table } = definition;
  const { next, available } = standing(seen, after);
  const source = seen.source.file
    ? `the reply ${row.reply} of ${seen.source.file}`
    : `the reply ${row.reply}`;
  return renderReply(definition, row, source, {
    run: seen.run,
    id: seen.id,
    title: table.title,
    event,
    row: row.id,
    from: seen.position.state,
    state: after.state,
    description: table.states[after.state]?.description ?? "",
    next,
    notes: notesOf(input),
    facts,
    kept: after.kept,
    given: seen.given,
    checks: observed.checks,
    ended,
    available: renderEvents(seen.run, available),
  });
}

function notesOf({ notes, feedback_notes }: SendInput): string {
  return (feedback_notes ?? notes ?? "").trim();
}

/** The caller wanted an event, but a command's end came first. */
function notSent({ ended }: Taking, { event }: SendInput): readonly string[] {
  if (ended === null || event === undefined) return [];
  return [
    `\`${event}\` was not sent: \`${ended.command}\` was under way and had to end first. Send it again if it is still right.\n`,
  ];
}

function toBeRun(run: string, { command }: Order): string {
  return `To be run now: \`${command}\`. If this is the last that you hear of it, \`pawl cast ${run}\` goes on.\n`;
}

function pendingOf({ row }: Decision, seen: Seen, { moment }: Context): Order | null {
  const order = row.outcome === "moved" ? commandOf(row) : null;
  if (!order) return null;
  return {
    row: row.id,
    command: renderWithId(order.command, seen.id),
    named: order.command,
    key: `${moment.id}-run`,
    passed: order.passed,
    failed: order.failed,
    since: moment.time,
  };
}

/** Nothing moved; but what was found out counts no longer, and a command that has ended is not run again. */
function forgetting({ seen }: Taking, { moment }: Context): Pick<Prepared<Reply>, "changes"> {
  const { file, path } = seen;
  if (!file?.checks && !file?.pending) return {};
  const { checks: _, pending: __, ...rest } = file;
  return {
    changes: [{ type: "write", path, text: renderRun({ ...rest, updated_at: moment.time } as RunFile) }],
  };
}

interface Move {
  readonly decision: Decision;
  readonly facts: Facts;
  readonly pending: Order | null;
}

function moved(
  taking: Taking,
  { decision, facts, pending }: Move,
  input: SendInput,
  context: Context,
): RunFile {
  const { seen, event, ended } = taking;
  const { moment, caller } = context;
  const { row, before, after } = decision;
  const { checks: _, pending: __, ...file } = seen.file ?? newRun(seen, moment.time);
  const notes = notesOf(input);
  const entry = {
    time: moment.time,
    event,
    row: row.id,
    from: before.state,
    to: after.state,
    by: ended ? { channel: "engine" } : caller,
    ...(seen.gated && !ended ? { strength: strengthOf(context) } : {}),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...(notes ? { notes } : {}),
    ...(ended ? { ended: { ...ended, tail: ended.tail.slice(-MAX_TAIL) } } : {}),
    prev: seen.head,
  };
  // Steps under another table, or of a file without an origin, cannot be replayed: from here on they can.
  const isOld = file.origin === undefined || file.table_hash !== seen.loaded.hash;
  return {
    ...file,
    origin: isOld ? { ...before, at: file.history.length } : file.origin,
    table_hash: seen.loaded.hash,
    state: after.state,
    kept: after.kept,
    awaits: awaitedOf(seen.loaded.definition, after),
    next: nextOf(seen.loaded.definition, after),
    ...(pending ? { pending: { row: pending.row, key: pending.key, since: pending.since } } : {}),
    history: [...file.history, entry],
    updated_at: moment.time,
  } as RunFile;
}

/** Characters of a command's output that the history keeps. */
const MAX_TAIL = 2_000;

function advanced(
  { seen, event, ended }: Taking,
  { row, before, after }: Decision,
  context: Context,
): PawlEvent {
  const { moment, caller } = context;
  return {
    type: "run:advanced",
    id: moment.id,
    time: moment.time,
    run: seen.run,
    machine: seen.loaded.definition.table.name,
    event,
    row: row.id,
    from: before.state,
    to: after.state,
    summary: `${event}: ${before.state} → ${after.state}`,
    by: caller,
    ...(seen.gated && !ended ? { strength: strengthOf(context) } : {}),
  };
}
