/** The effects of an event on a run by its rule: the reply, and the run afterwards. */

import type { Caller } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import type { Change } from "../../core/ports/store.ts";
import type { Decision } from "../../engine/workflow.ts";
import type { Context, Reply, Verdict } from "../../runtime/module.ts";
import type { LoggedDetails } from "../../runtime/run-log/kind.ts";
import type { EndedCommand } from "../../runtime/run-log/step.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import type { Effects, ProposalContext, Step } from "../../runtime/transaction/run-event.ts";
import { withRunCost } from "./agents/outcome.ts";
import { allAnswers, answersBy } from "./agents/prompt.ts";
import { commandEnded, newRun, runData } from "./answers.ts";
import { commandOf, gateName } from "./definition/definition.ts";
import { awaitedOf, nextOf } from "./definition/describe.ts";
import type { OwnRun } from "./load-run.ts";
import { emptyIn, endsIn } from "./observe.ts";
import { type CommandEnd, decidedValues, renderReply } from "./reply.ts";
import { type AgentTexts, type Order, orderFor, renderRun, type StoredRun } from "./run-file.ts";
import type { OwnSent, SendInput, SendTypes } from "./sent.ts";

type Sending = Pick<Step<SendTypes>, "run" | "sent" | "observed" | "decision">;

/** How many commands may follow one another in one call; the rest waits for the next call. */
const MAX_FOLLOWING = 10;

export function effectsOf(step: Sending, context: ProposalContext<SendInput>): Effects<SendTypes> {
  const { decision, observed, run, sent } = step;
  const { input } = context;
  const { rule, after, before } = decision;
  const order = orderedBy(decision, run, context);
  const texts = [...(input.said ?? []), replyText(step, input), ...remarksIn(step), ...notSent(sent, input)];
  const message = [...texts, ...(order ? [toBeRun(run.run, order)] : [])].join("\n");
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
      ...runData(run, after),
    },
    ...(isBlocked ? { refused: true as const } : {}),
  };
  if (rule.outcome !== "moved") return { reply, changes: forgetChecks(run, context) };
  const ended = sent.ended && keptEnd(sent.ended);
  return {
    reply,
    changes: [{ type: "write", path: run.path, text: renderRun(fileAfter(step, order, ended, context)) }],
    logged: loggedOf(step, ended, input),
    moved: { summary: `${sent.event}: ${before.state} → ${after.state}`, ...worth(sent, context) },
    ...(sent.gated && !sent.ended ? { verdict: verdictOf(step, context) } : {}),
    ...(sent.events && { events: sent.events }),
    ...(order && order.agent === undefined && texts.length <= MAX_FOLLOWING
      ? { next: { run: run.run, said: texts } }
      : {}),
  };
}

function replyText(step: Sending, input: SendInput): string {
  const { decision, observed, run, sent } = step;
  const { definition } = run.loaded;
  const { rule } = decision;
  const source = `the reply ${rule.reply}${run.source.file ? ` of ${run.source.file}` : ""}`;
  return renderReply(definition, rule, source, {
    ...decidedValues(definition, run.id, decision),
    notes: notesOf(input),
    facts: observed.facts,
    given: sent.given,
    checks: endsIn(observed),
    ended: sent.ended,
    said: allAnswers(definition, answersAfter(step)),
  });
}

/** What the run's agents said last, by field: an agent's orders may ask for different ones. */
function answersAfter({ run: { file }, sent: { byAgent } }: Pick<Sending, "run" | "sent">): AgentTexts {
  const said = file?.said ?? {};
  if (!byAgent) return said;
  return { ...said, [byAgent.agent]: { ...answersBy(said, byAgent.agent), ...byAgent.texts } };
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

function toBeRun(run: string, { agent, begin, command }: Order): string {
  if (begin !== undefined)
    return `Begins runs of ${begin.workflow}. If you hear no more of it, \`pawl cast ${run}\` continues.\n`;
  if (agent !== undefined) return `Next: the agent ${agent}. \`pawl run\` lets it work.\n`;
  return `Runs now: \`${command}\`. If you hear no more of it, \`pawl cast ${run}\` continues.\n`;
}

function orderedBy({ rule }: Decision, { id, loaded }: OwnRun, { now }: Pick<Context, "now">): Order | null {
  const command = rule.outcome === "moved" ? commandOf(rule) : null;
  const pending = { row: rule.id, key: `${now.id}-run`, since: now.time };
  return command && orderFor(command, pending, id, loaded.definition);
}

/**
 * The changes if nothing moved: removes stored checks, which no longer count, and the pending command, which
 * has ended. An agent keeps its order: only an answer that moves the run is its end; and so do the runs that it began.
 */
function forgetChecks({ file, order, path }: OwnRun, { now }: Pick<Context, "now">): readonly Change[] {
  if (!file?.checks && !file?.pending) return [];
  const { checks: _, pending, ...rest } = file;
  const kept = order?.agent === undefined && order?.begin === undefined ? {} : { pending };
  return [{ type: "write", path, text: renderRun({ ...rest, ...kept, updated_at: now.time }) }];
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
  step: Sending,
  order: Order | null,
  ended: KeptEnd | null,
  { now, policy }: ProposalContext<SendInput>,
): StoredRun {
  const { decision, run, sent } = step;
  const { after } = decision;
  const { definition, hash } = run.loaded;
  const { checks: _, output: ___, pending: __, ...file } = run.file ?? newRun(run, now.time);
  const { byAgent } = sent;
  const pending = pendingAfter(step, order);
  return {
    ...file,
    table_hash: hash,
    policy,
    state: after.state,
    kept: after.variables,
    awaits: order?.agent !== undefined || pending?.begin ? "agent" : awaitedOf(definition, after),
    next: nextOf(definition, after),
    ...(pending ? { pending } : {}),
    ...(ended ? { output: ended.tail } : {}),
    ...(byAgent && {
      said: answersAfter(step),
      costs: withRunCost(file.costs, byAgent.agent, byAgent.cost),
    }),
    ...(byAgent?.session && { sessions: { ...file.sessions, [byAgent.agent]: byAgent.session } }),
    updated_at: now.time,
  };
}

/** The rule's order; if it began runs, it also stays while the run waits for them: they may continue. */
function pendingAfter({ decision, run, sent }: Sending, order: Order | null): StoredRun["pending"] {
  if (order !== null) {
    const begin = order.begin === undefined ? {} : { begin: {} };
    return { row: order.row, key: order.key, since: order.since, ...begin };
  }
  const { gathered } = sent;
  const waits = run.order?.begin !== undefined && decision.before.state === decision.after.state;
  const pending = waits ? run.file?.pending : undefined;
  if (!pending || gathered === undefined) return pending;
  return { ...pending, begin: { ...pending.begin, gathered } };
}

/** By whom a command's end moves a run. */
const ENGINE = { channel: "engine" as string } as Caller;

/** The step's details, for the run's log. The output of its command stays in the run's file. */
function loggedOf({ observed, run, sent }: Sending, ended: KeptEnd | null, input: SendInput): LoggedDetails {
  const { facts } = observed;
  const empty = emptyIn(observed);
  const notes = notesOf(input);
  const { tail: _, ...end } = ended ?? { tail: "" };
  return {
    ...(run.file === null ? { begins: { machine: run.workflow.name, ...run.configuration } } : {}),
    ...(ended ? { by: ENGINE, ended: end as EndedCommand } : {}),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...(empty.length > 0 ? { empty } : {}),
    ...(notes ? { notes } : {}),
    ...(sent.work?.kind === "tree" ? { tree: sent.work.tree } : {}),
  };
}

/** How many characters of a command's output the history keeps. */
const MAX_TAIL = 2_000;

interface KeptEnd extends EndedCommand {
  readonly tail: string;
}

function keptEnd(ended: CommandEnd): KeptEnd {
  const tail = ended.tail.slice(-MAX_TAIL);
  return { ...ended, tail, sha256: hashOf(tail) };
}
