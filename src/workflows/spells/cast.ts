/** Casts a spell: applies the rule to the files and the state, and renders the reply for the result. */
import type { Change } from "../../core/ports/store.ts";
import type { Decision, Facts, Outcome } from "../../engine/workflow.ts";
import type { Context, Reply } from "../../runtime/module.ts";
import { isCommandLine } from "../../runtime/transaction/person.ts";
import {
  type Effects,
  type Observers,
  type RunEvent,
  runEvent,
} from "../../runtime/transaction/run-event.ts";
import { withInput } from "../../runtime/transaction/transaction.ts";
import { isIncomplete } from "./comments-file.ts";
import { type Spell, titleOf } from "./events.ts";
import { factsIn } from "./facts.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { prospectsOf } from "./lists.ts";
import { loadRun } from "./load-run.ts";
import { type Cast, type CastTypes, loadMaterial, missingOf } from "./material.ts";
import { renderReply } from "./reply.ts";
import { SPELLS_RUNS } from "./run-kind.ts";
import { afterMove, renderState } from "./state-file.ts";
import { planWork, type Work } from "./work.ts";

/** How many history entries a reply shows. */
const HISTORY_SHOWN = 10;

/** Casts the spell that the input names. */
export const castNamed: RunEvent<CastTypes> = runEvent<CastTypes>({
  runs: SPELLS_RUNS,
  lock: ({ spell }) => (spell.toLowerCase() === "lumos" ? null : RUN),
  load: ({ view }) => loadRun(view),
  event: (_, { input }) => ({ event: input.spell.toLowerCase() as Spell }),
  observers: ({ facts }) => observersOf(facts),
  collect: ({ decision, run }, { outside, view }) => loadMaterial(run, decision, view, outside),
  propose: effectsOf,
});

/** Casts one spell, without input. */
export function castOf(spell: Spell) {
  return withInput(castNamed, (_: object) => ({ spell }));
}

function observersOf(facts: Facts): Observers<never> {
  const observers = Object.keys(facts).map((name) => {
    const observe = () => ({ value: facts[name] ?? null });
    return [name, { costly: true, observe }] as const;
  });
  return Object.fromEntries(observers);
}

function effectsOf(cast: Cast, context: Context): Effects<CastTypes> {
  const { decision, run, sent } = cast;
  const { rule, after, before } = decision;
  const { state } = run;
  const { now, caller } = context;
  const work = planWork(cast, now.time);
  const facts = factsIn(work.texts, work.refs, run.criteriaOf);
  const prospects = prospectsOf(after, facts);
  const text = renderReply({ cast, work, facts, prospects });
  const changed = after.state !== state.current_state || work.changes.length > 0;
  const trigger = titleOf(sent.event);
  const kept = contextAfter(cast, work);
  const next = changed ? afterMove(state, after, { trigger, time: now.time, context: kept }) : state;
  const terminal = isCommandLine({ caller });
  const data = {
    message: lineOf(cast),
    spell: sent.event,
    row: rule.id,
    outcome: rule.outcome,
    state: after.state,
    available: prospects.filter((prospect) => prospect.available).map((prospect) => prospect.spell),
    ...(rule.outcome === "shown" ? { history: next.history.slice(-HISTORY_SHOWN) } : {}),
    reply: text,
  };
  const reply: Reply = {
    text: terminal ? renderForTerminal(text, rule.outcome) : text,
    data,
    // A model reads in the reply that the cast is blocked; a terminal also needs the exit code.
    ...(terminal && rule.outcome === "blocked" ? { refused: true as const } : {}),
  };
  if (!changed) return { reply };
  const write: Change = { type: "write", path: STATE_FILE, text: renderState(next) };
  const moved = { summary: `${trigger}: ${before.state} → ${after.state}` };
  return { reply, changes: [...work.changes, write], moved };
}

/** The cast in one line. */
function lineOf({ decision, sent }: { readonly decision: Decision; readonly sent: Cast["sent"] }): string {
  const { rule, before, after } = decision;
  const cast = titleOf(sent.event);
  if (rule.outcome === "blocked") return `${cast} is blocked in ${before.state}.`;
  if (rule.outcome === "no-effect") return `${cast} had no effect in ${before.state}.`;
  return rule.outcome === "shown"
    ? `The work stands in ${after.state}.`
    : `${cast}: ${before.state} → ${after.state}`;
}

/** The other keys of the state file: unknown ones, and where an incomplete fetch stopped. */
function contextAfter({ run: { state } }: Cast, work: Work): Readonly<Record<string, unknown>> {
  const { reparo_origin: _origin, comments_missing: _missing, ...others } = state.context;
  if (work.texts.comments === null || !isIncomplete(work.texts.comments)) return others;
  const missing = work.missing === undefined ? missingOf(state) : work.missing;
  return missing == null ? others : { ...others, comments_missing: missing };
}

const TO_AI = "## Response to the AI";
const TO_DEVELOPER = "## Response to the Developer";

interface ReplyParts {
  /** What the assistant must do; empty if the reply is only for the developer. */
  readonly assistant: string;
  readonly developer: string;
}

/** Splits a reply into the assistant's part and the developer's part. */
function splitReply(text: string): ReplyParts {
  // The last one, because a quotation in the assistant's part may contain such a line, too.
  const at = text.lastIndexOf(`\n${TO_DEVELOPER}\n`);
  if (!text.startsWith(TO_AI) || at < 0) return { assistant: "", developer: text.trim() };
  return {
    assistant: text.slice(TO_AI.length, at).trim(),
    developer: text.slice(at + 1 + TO_DEVELOPER.length).trim(),
  };
}

/**
 * A reply for a person at a terminal: the developer's part first, without markup. After a move also the part
 * to pass on to the assistant, which did not see this cast.
 */
export function renderForTerminal(text: string, outcome: Outcome): string {
  const { assistant, developer } = splitReply(text);
  const isSent = outcome === "moved" && assistant !== "";
  const forAssistant = isSent
    ? `\n\nFOR YOUR ASSISTANT (it did not hear of this cast: give it these words)\n\n${assistant}`
    : "";
  return `${plain(developer)}${forAssistant}\n`;
}

function plain(markdown: string): string {
  return markdown
    .replace(/^### (.*)$/gm, (_, title: string) => title.toUpperCase())
    .replace(/^> ?/gm, "")
    .replace(/\*\*([^*\n]+)\*\*/g, "$1")
    .replace(/`([^`\n]+)`/g, "$1");
}
