/** The effects of an event on a run by its rule: the reply, and the run afterwards. */

import { type Caller, publicCaller } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import type { Change } from "../../core/ports/store.ts";
import type { Decision } from "../../engine/workflow.ts";
import type { Context, Reply, Verdict } from "../../runtime/module.ts";
import { isTakenOver, toStored } from "../../runtime/run-log/history.ts";
import type { LoggedDetails } from "../../runtime/run-log/kind.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import type { Effects, ProposalContext, Step } from "../../runtime/transaction/run-event.ts";
import { commandEnded, newRun, standing } from "./answers.ts";
import { commandOf, gateName } from "./definition.ts";
import { awaitedOf, nextOf, renderEvents } from "./describe.ts";
import type { OwnRun } from "./load-run.ts";
import { endsIn } from "./observe.ts";
import { type CommandEnd, renderReply } from "./reply.ts";
import { runChanges } from "./resolve-run.ts";
import { type Entry, type Order, type RunFile, renderRun, sharedEntry, stepOf } from "./run-file.ts";
import type { OwnSent, SendInput, SendTypes } from "./sent.ts";
import { renderWithId } from "./template.ts";

type Sending = Pick<Step<SendTypes>, "run" | "sent" | "observed" | "decision">;

/** How many commands may follow one another in one call; the rest waits for the next call. */
const MAX_FOLLOWING = 10;

export function effectsOf(step: Sending, context: ProposalContext<SendInput>): Effects<SendTypes> {
  const { decision, observed, run, sent } = step;
  const { input } = context;
  const { rule, after, before } = decision;
  const order = orderedBy(decision, run, context);
  const said = [...(input.said ?? []), replyText(step, input), ...remarksIn(step), ...notSent(sent, input)];
  const message = [...said, ...(order ? [toBeRun(run.run, order)] : [])].join("\n");
  const isBlocked = rule.outcome === "blocked";
  const reply: Reply = {
    text: message,
    data: {
      status: isBlocked ? "error" : "success",
      message,
      row: rule.id,
      outcome: rule.outcome,
      facts: observed.facts,
      ...(sent.ended ? { ended: sent.ended } : {}),
      ...standing(run, after),
    },
    ...(isBlocked ? { refused: true as const } : {}),
  };
  if (rule.outcome !== "moved") return { reply, changes: forgetting(run, context) };
  const file = fileAfter(step, order, context);
  return {
    reply,
    changes: runChanges(file, run.recorded),
    logged: loggedOf(file.history.at(-1) as Entry, run),
    moved: { summary: `${sent.event}: ${before.state} → ${after.state}`, ...worth(sent, context) },
    ...(sent.gated && !sent.ended ? { verdict: verdictOf(step, context) } : {}),
    ...(order && said.length <= MAX_FOLLOWING ? { next: { run: run.run, said } } : {}),
  };
}

function replyText({ decision: { after, rule }, observed, run, sent }: Sending, input: SendInput): string {
  const { definition } = run.loaded;
  const { table } = definition;
  const { next, available } = standing(run, after);
  const source = run.source.file
    ? `the reply ${rule.reply} of ${run.source.file}`
    : `the reply ${rule.reply}`;
  return renderReply(definition, rule, source, {
    run: run.run,
    id: run.id,
    title: table.title,
    event: sent.event,
    row: rule.id,
    from: run.configuration.state,
    state: after.state,
    description: table.states[after.state]?.description ?? "",
    next,
    notes: notesOf(input),
    facts: observed.facts,
    kept: after.variables,
    given: sent.given,
    checks: endsIn(observed),
    ended: sent.ended,
    available: renderEvents(run.run, available),
  });
}

function notesOf({ notes, feedback_notes }: SendInput): string {
  return (feedback_notes ?? notes ?? "").trim();
}

function remarksIn({ observed: { notes } }: Sending): readonly string[] {
  return Object.values(notes).flatMap(({ remark }) => (remark === undefined ? [] : [`${remark}\n`]));
}

/** A note that the caller's event was not sent, because a command's end came first. */
function notSent({ ended }: OwnSent, { event }: SendInput): readonly string[] {
  if (ended === null || event === undefined) return [];
  return [
    `\`${event}\` was not sent: \`${ended.command}\` was under way and had to end first. Send it again if it is still right.\n`,
  ];
}

function toBeRun(run: string, { command }: Order): string {
  return `Runs now: \`${command}\`. If you hear no more of it, \`pawl cast ${run}\` continues.\n`;
}

function orderedBy({ rule }: Decision, { id }: OwnRun, { now }: Pick<Context, "now">): Order | null {
  const order = rule.outcome === "moved" ? commandOf(rule) : null;
  if (!order) return null;
  return {
    row: rule.id,
    command: renderWithId(order.command, id),
    named: order.command,
    key: `${now.id}-run`,
    passed: order.passed,
    failed: order.failed,
    since: now.time,
  };
}

/**
 * The changes if nothing moved: removes stored checks, which no longer count, and the pending command, which
 * has ended.
 */
function forgetting({ file, path }: OwnRun, { now }: Pick<Context, "now">): readonly Change[] {
  if (!file?.checks && !file?.pending) return [];
  const { checks: _, pending: __, ...rest } = file;
  return [{ type: "write", path, text: renderRun({ ...rest, updated_at: now.time }) }];
}

/** What a record of the person's verdict covers. */
function verdictOf(
  { decision: { before }, run, sent }: Sending,
  context: ProposalContext<SendInput>,
): Verdict {
  const { definition, hash } = run.loaded;
  const { file } = run;
  return {
    gate: gateName(definition, before.state),
    run: run.run,
    approve: definition.gates?.[sent.event] !== "reject",
    strength: strengthOf(context),
    artifact: null,
    policy: context.policy ?? "",
    workflow: hash,
    evidence: commandEnded(file),
    judged: sent.work?.kind === "tree" ? sent.work.tree : undefined,
    notes: notesOf(context.input),
    steps: (file?.history ?? [])
      .slice(file?.origin.at ?? 0)
      .filter((entry) => !isTakenOver(entry))
      .map(stepOf),
    start: file?.origin.kept ?? run.configuration.variables,
    work:
      context.policy === undefined
        ? { in: "elsewhere", reason: "a program brought its table along, which nobody else can look at" }
        : { in: "folder", base: null },
  };
}

/** The strength of an event that a person had to agree to. */
function worth({ ended, gated }: OwnSent, context: Pick<Context, "answered" | "caller">) {
  return gated && !ended ? { strength: strengthOf(context) } : {};
}

/** The run's file after the move, without the data that counted only until then. */
function fileAfter(
  { decision: { after, before, rule }, observed: { facts }, run, sent }: Sending,
  order: Order | null,
  context: ProposalContext<SendInput>,
): RunFile {
  const { caller, input, now, policy } = context;
  const { definition, hash } = run.loaded;
  const { ended } = sent;
  const { checks: _, output: ___, pending: __, ...file } = run.file ?? newRun(run, now.time);
  const notes = notesOf(input);
  const kept = ended && keptEnd(ended);
  const entry = {
    time: now.time,
    event: sent.event,
    row: rule.id,
    from: before.state,
    to: after.state,
    by: ended ? { channel: "engine" } : publicCaller(caller),
    ...worth(sent, context),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...(notes ? { notes } : {}),
    ...(sent.work?.kind === "tree" ? { tree: sent.work.tree } : {}),
    ...(kept ? { ended: kept } : {}),
    prev: run.head,
  };
  // Steps under another table cannot be replayed, so the replay begins here.
  const isOld = file.table_hash !== hash;
  return {
    ...file,
    origin: isOld ? { ...toStored(before), at: file.history.length } : file.origin,
    table_hash: hash,
    policy,
    state: after.state,
    kept: after.variables,
    awaits: awaitedOf(definition, after),
    next: nextOf(definition, after),
    ...(order ? { pending: { row: order.row, key: order.key, since: order.since } } : {}),
    ...(kept ? { output: kept.tail } : {}),
    history: [...file.history, entry],
    updated_at: now.time,
  } as RunFile;
}

/** The entry, for the run's log. */
function loggedOf(entry: Entry, run: OwnRun): LoggedDetails {
  const { by, ended, facts, notes, tree } = sharedEntry(entry);
  return {
    ...(run.file === null ? { begins: { machine: run.workflow.name, ...run.configuration } } : {}),
    by: by as Caller,
    ...(facts ? { facts } : {}),
    ...(notes === undefined ? {} : { notes }),
    ...(tree === undefined ? {} : { tree }),
    ...(ended ? { ended } : {}),
  };
}

/** How many characters of a command's output the history keeps. */
const MAX_TAIL = 2_000;

function keptEnd(ended: CommandEnd) {
  const tail = ended.tail.slice(-MAX_TAIL);
  return { ...ended, tail, sha256: hashOf(tail) };
}
