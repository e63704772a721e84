/**
 * One cast of a spell: look at the state and the files, decide by the table, fetch what the row asks for, work out the
 * changes, and render the reply for the state that results. Files and state are one change set.
 */
import { PawlError } from "../../core/error.ts";
import type { PawlEvent } from "../../core/event.ts";
import type { ReviewMissing } from "../../core/ports/reviews.ts";
import type { Change } from "../../core/ports/store.ts";
import type { Advance, Context, Prepared, Reply } from "../../runtime/module.ts";
import { isCommandLine } from "../../runtime/person.ts";
import { actionsOf } from "./actions.ts";
import { unprocessedUrls } from "./atlassian.ts";
import { isIncomplete } from "./comments-file.ts";
import { isSpell, SPELLS, type Spell, titleOf } from "./events.ts";
import { observe } from "./facts.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { fetchLinks } from "./links.ts";
import { prospectsOf } from "./lists.ts";
import { look, type Seen } from "./look.ts";
import { renderReply } from "./reply.ts";
import { afterMove, renderState } from "./state-file.ts";
import { renderForTerminal } from "./terminal.ts";
import { type Gathered, planWork, type Work } from "./work.ts";

/** How much of the history a reply tells; the file keeps all of it. */
const HISTORY_SHOWN = 10;

/** A cast of one spell, without input. */
export function castOf(spell: Spell): Advance<object, Seen, Gathered, Reply> {
  return castBy(() => spell);
}

function castBy<Input>(spellOf: (input: Input) => Spell): Advance<Input, Seen, Gathered, Reply> {
  return {
    run: (input) => (spellOf(input) === "lumos" ? null : RUN),
    read: (view, input) => look(view, spellOf(input)),
    gather: async (seen, _input, outside) => {
      for (const action of actionsOf(seen.decision.row.id)) {
        if (action.type === "fetch-links") {
          const urls = unprocessedUrls(seen.texts[action.file] ?? "", seen.refs);
          return { links: await fetchLinks(urls, outside.references) };
        }
        if (action.type === "fetch-comments" && !(action.keep && seen.texts.comments !== null)) {
          const missing = missingOf(seen);
          const order = seen.decision.row.id === "H15" && missing ? { missing } : {};
          const review = outside.reviews
            ? await outside.reviews.fetch(order)
            : ({ kind: "not-configured", detail: "No access to GitHub is configured." } as const);
          return { review };
        }
      }
      return {};
    },
    prepare: (seen, gathered, _input, context) => prepareCast(seen, gathered, context),
  };
}

/** A cast of the spell that the input names. */
export const castNamed: Advance<{ readonly spell: string }, Seen, Gathered, Reply> = castBy(({ spell }) => {
  const name = spell.toLowerCase();
  if (isSpell(name)) return name;
  throw new PawlError(
    "usage",
    `There is no spell ${JSON.stringify(spell)}: expected one of ${SPELLS.join(", ")}.`,
    "Run `pawl lumos` to see which spells can be cast now.",
  );
});

/** Pure. */
export function prepareCast(seen: Seen, gathered: Gathered, context: Context): Prepared<Reply> {
  const { decision, state, spell } = seen;
  const { row, after } = decision;
  const { moment, caller } = context;
  const work = planWork(seen, gathered, moment.time);
  const facts = observe(work.texts, work.refs, seen.criteriaOf);
  const prospects = prospectsOf(after, facts);
  const text = renderReply({ seen, gathered, work, facts, prospects });
  const changed = after.state !== state.current_state || work.changes.length > 0;
  const next = changed
    ? afterMove(state, after, {
        trigger: titleOf(spell),
        time: moment.time,
        context: contextAfter(seen, work),
      })
    : state;
  const terminal = isCommandLine({ caller });
  const data = {
    message: lineOf(seen),
    spell,
    row: row.id,
    outcome: row.outcome,
    state: after.state,
    available: prospects.filter((prospect) => prospect.available).map((prospect) => prospect.spell),
    ...(row.outcome === "shown" ? { history: next.history.slice(-HISTORY_SHOWN) } : {}),
    reply: text,
  };
  const reply: Reply = {
    text: terminal ? renderForTerminal(text, row.outcome) : text,
    data,
    // To a model the reply itself says what is blocked; in a terminal the exit code does too.
    ...(terminal && row.outcome === "blocked" ? { refused: true as const } : {}),
  };
  if (!changed) return { reply };
  const write: Change = { type: "write", path: STATE_FILE, text: renderState(next) };
  return { reply, changes: [...work.changes, write], events: [advanced(seen, context)] };
}

/** The cast in one line. */
function lineOf({ decision, spell }: Seen): string {
  const { row, before, after } = decision;
  const cast = titleOf(spell);
  if (row.outcome === "blocked") return `${cast} is blocked in ${before.state}.`;
  if (row.outcome === "no-effect") return `${cast} had no effect in ${before.state}.`;
  return row.outcome === "shown"
    ? `The work stands in ${after.state}.`
    : `${cast}: ${before.state} → ${after.state}`;
}

function advanced({ decision, spell }: Seen, { moment, caller }: Context): PawlEvent {
  const { row, before, after } = decision;
  return {
    type: "run:advanced",
    id: moment.id,
    time: moment.time,
    run: RUN,
    machine: "spells",
    event: spell,
    row: row.id,
    from: before.state,
    to: after.state,
    summary: `${titleOf(spell)}: ${before.state} → ${after.state}`,
    by: caller,
  };
}

/** What the state file keeps besides the origin: keys that are not ours, and where an incomplete fetch stopped. */
function contextAfter(seen: Seen, work: Work): Readonly<Record<string, unknown>> {
  const { reparo_origin: _origin, comments_missing: _missing, ...others } = seen.state.context;
  if (work.texts.comments === null || !isIncomplete(work.texts.comments)) return others;
  const missing = work.missing === undefined ? missingOf(seen) : work.missing;
  return missing == null ? others : { ...others, comments_missing: missing };
}

/** Where an incomplete fetch stopped, if the state file says so in a way that can be used. */
function missingOf(seen: Seen): ReviewMissing | undefined {
  const value = seen.state.context.comments_missing as Partial<ReviewMissing> | null | undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const { repository, number, pages } = value;
  const usable =
    typeof repository === "string" &&
    Number.isSafeInteger(number) &&
    typeof pages === "object" &&
    pages !== null &&
    Object.values(pages).every((page) => Number.isSafeInteger(page) && page > 0);
  return usable ? (value as ReviewMissing) : undefined;
}
