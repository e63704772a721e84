/**
 * Which notices a person gets, and when: pure, from the project's state.
 *
 * N1  A notice reports no event, but a cause that holds at the time of sending. So an answered gate causes
 *     none.
 * N2  A receiver gets a notice of a cause once. This is remembered while the cause holds.
 * N3  In quiet hours no notice is sent. Causes that began in them and still hold afterwards are sent as one.
 * N4  Texts of agents and of files appear only as a quote, or as a part of a title, and cleaned.
 */

import { hashOf } from "../../core/hash.ts";
import type { Cause, Notice, NoticeKind } from "../../core/notice.ts";
import type { LoopRest } from "../../core/ports/notify.ts";
import { cleanLine } from "../../core/text/clean.ts";
import { fewOf } from "../../core/text/few.ts";
import { type Waiting, waitingIn } from "../review/queue.ts";
import type { RunOverview } from "../transaction/transaction.ts";

/** Every cause that holds. `rest`: the loop's state, if it rests and no other loop works on a task. */
export function causesOf(runs: readonly RunOverview[], rest: LoopRest | null): readonly Cause[] {
  const causes = runs.flatMap((run) => [
    ...waitingIn(run).flatMap((waiting) => waitOf(waiting, run)),
    ...budgetOf(run),
  ]);
  const all = [...causes, ...targetsOf(runs), ...restsOf(runs)];
  return rest === null ? all : [...all, restOf(rest)];
}

/** One for each check that a target fails by itself, however many tasks wait for it. */
function targetsOf(runs: readonly RunOverview[]): readonly Cause[] {
  return sharedCauses(
    runs,
    ({ target: of }) => (of ? `target ${of.repo} ${of.into} ${of.since} ${of.command ?? ""}` : null),
    ({ target }, tasks) => `${target?.into} fails a check by itself, and ${tasks} for it.`,
  );
}

/** One for each agent that rests, however many tasks wait for it. */
function restsOf(runs: readonly RunOverview[]): readonly Cause[] {
  return sharedCauses(
    runs,
    ({ rest }) => (rest ? `rests ${rest.agent} ${rest.state}` : null),
    ({ rest }, tasks) => `${rest?.words}; ${tasks}.`,
  );
}

/** `keyOf`: null if the run has none. `tasks`: `3 tasks wait`. */
function sharedCauses(
  runs: readonly RunOverview[],
  keyOf: (run: RunOverview) => string | null,
  saysOf: (first: RunOverview, tasks: string) => string,
): readonly Cause[] {
  return [...Map.groupBy(runs, keyOf)].flatMap(([key, waiting]): readonly Cause[] => {
    const [first] = waiting;
    if (key === null || first === undefined) return [];
    const tasks = waiting.length === 1 ? `${first.run} waits` : `${waiting.length} tasks wait`;
    const common = { key, kind: "blocked", run: null, command: "pawl status" } as const;
    return [{ ...common, since: first.since ?? "", says: saysOf(first, tasks), quote: first.next }];
  });
}

const KINDS: Readonly<Record<Waiting["kind"], NoticeKind>> = {
  gate: "gate",
  other: "gate",
  question: "question",
  blocked: "blocked",
  failed: "blocked",
  held: "blocked",
};

/** No notice for a run that has not begun, nor for a file that a person is editing. */
function waitOf(waiting: Waiting, { problem }: RunOverview): readonly Cause[] {
  const { command, next, run, since, state, title } = waiting;
  const isHeld = problem?.code === "state-tampered";
  if (waiting.kind === "held" ? !isHeld : since === null) return [];
  const says: Readonly<Record<Waiting["kind"], string>> = {
    gate: `${run} waits for you: ${next}.`,
    other: `${run} waits for you: ${next}.`,
    question: `The agent of ${run} asks.`,
    blocked: `${run} is blocked.`,
    failed: `${run} is blocked: a check failed.`,
    held: `${run} is held: its state was edited.`,
  };
  const kind = KINDS[waiting.kind];
  // A question stays the same while its run moves on.
  const which = { question: command, held: next }[waiting.kind as string] ?? state;
  const quote = kind === "gate" ? title : next;
  const key = `${kind} ${run} ${since ?? ""} ${which}`;
  return [{ key, kind, run, says: says[waiting.kind], quote: quote || null, command, since: since ?? "" }];
}

function budgetOf({ nearing, run, since, waitsFor }: RunOverview): readonly Cause[] {
  if (!nearing || waitsFor === "blocked" || waitsFor === "failed") return [];
  const { limit, of, spent } = nearing;
  const amount = (value: number) => (limit === "usd" ? `${value.toFixed(2)} USD` : `${value} ${limit}`);
  return [
    {
      ...{ key: `budget ${run} ${limit} ${of}`, kind: "budget", run, quote: null, since: since ?? "" },
      says: `${run} has spent ${amount(spent)} of its ${amount(of)}.`,
      command: `pawl show ${run}`,
    },
  ];
}

function restOf({ blocked, done, open, time, waiting }: LoopRest): Cause {
  const tasks = (count: number) => `${count} ${count === 1 ? "task" : "tasks"}`;
  const more = [
    ...(blocked.length > 0 ? [` Blocked: ${fewOf(blocked, MAX_LISTED)}.`] : []),
    ...(waiting.length > 0 ? [` Waiting for a person: ${fewOf(waiting, MAX_LISTED)}.`] : []),
  ];
  const base = { key: `rest ${time}`, run: null, quote: null, command: "pawl status", since: time };
  return open === 0
    ? { ...base, kind: "done", says: `The loop is done: ${tasks(done)} done.` }
    : { ...base, kind: "idle", says: `The loop is idle: ${tasks(done)} done, ${open} open.${more.join("")}` };
}

const MAX_LISTED = 5;

// ── Contents ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface DueNotice {
  readonly notice: Notice;
  /** The causes in this notice. */
  readonly keys: readonly string[];
}

export interface NoticeContext {
  readonly project: string;
  readonly board: string | null;
  /** The beginning of the addresses of the project's pages on it; null: no board runs. */
  readonly pages: string | null;
  /** ISO 8601: now. */
  readonly time: string;
}

/** Beyond this number, all become one notice: after an absence, a person wants to know how much waits. */
const MAX_APART = 3;

/** A receiver's notices now. `after`: the end of the last quiet hours; null: there are none. */
export function dueNotices(
  causes: readonly Cause[],
  kinds: readonly NoticeKind[],
  known: Readonly<Record<string, unknown>>,
  after: Date | null,
  context: NoticeContext,
): readonly DueNotice[] {
  const fresh = causes.filter(({ key, kind }) => kinds.includes(kind) && !Object.hasOwn(known, key));
  const began = (cause: Cause) => after !== null && Date.parse(cause.since) < after.getTime();
  const held = fresh.filter(began);
  const apart = held.length > 1 ? fresh.filter((cause) => !held.includes(cause)) : fresh;
  const groups = [
    ...(held.length > 1 ? [held] : []),
    ...(apart.length > MAX_APART ? [apart] : apart.map((cause) => [cause])),
  ];
  return groups.map((group) => ({ notice: noticeOf(group, context), keys: group.map(({ key }) => key) }));
}

const TITLES: Readonly<Record<NoticeKind, string>> = {
  gate: "a gate waits",
  question: "a question",
  blocked: "a task is blocked",
  budget: "most of a budget is spent",
  idle: "the loop is idle",
  done: "the loop is done",
};

function noticeOf(causes: readonly Cause[], context: NoticeContext): Notice {
  const [first] = causes;
  const key = causes.map((cause) => cause.key).join("\n");
  const acts = causes.every(({ kind }) => kind === "budget" || kind === "done") ? "nobody" : "person";
  if (first === undefined || causes.length > 1)
    return made(context, key, {
      type: "summary",
      title: `${causes.length} notices`,
      text: summaryOf(causes),
      acts,
      command: "pawl status",
    });
  const { command, kind, quote, run, says, since } = first;
  const { pages } = context;
  const page = pages && run && `${pages}/${kind === "gate" ? "review" : "run"}/${encodeURIComponent(run)}`;
  return made(context, key, {
    ...(page && { board: page }),
    type: kind,
    time: since || context.time,
    title: TITLES[kind],
    text: oneLine(says, 500),
    quote: quote === null ? null : oneLine(quote, 300),
    ...{ run, acts, command },
  });
}

const MAX_LINES = 10;

function summaryOf(causes: readonly Cause[]): string {
  const rest = causes.length - MAX_LINES;
  const lines = causes.slice(0, MAX_LINES).map(({ says }) => oneLine(says, 120));
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** The last notice to a receiver whose settings differ from those with a person's consent. */
export function endedNotice(agreed: string, context: NoticeContext): DueNotice {
  const key = `ended ${hashOf(agreed)}`;
  const notice = made(context, key, {
    type: "ended",
    title: "notices end here",
    text: "pawl.yaml no longer has this receiver as a person agreed to it, so this is the last notice. If that was you, nothing is wrong.",
    acts: "person",
    command: "pawl trust --show",
  });
  return { notice, keys: [key] };
}

export function testNotice(context: NoticeContext): Notice {
  const text = "This is what a notice of Pawl looks like.";
  return made(context, `test ${context.time}`, { type: "test", title: "a test", text, acts: "nobody" });
}

/** `key`: the same for repeated attempts. */
function made(
  { board, project, time }: NoticeContext,
  key: string,
  words: Pick<Notice, "type" | "title" | "text" | "acts"> & Partial<Notice>,
): Notice {
  const name = oneLine(project, 60);
  return {
    ...{ id: `pawl_${hashOf(key).slice(0, 32)}`, project: name, board, time },
    ...{ quote: null, run: null, command: null },
    ...words,
    title: `${name}: ${words.title}`,
  };
}

/** Cleaned, in one line, and at most so many characters long. */
export function oneLine(text: string, most: number): string {
  // Cleans only a part: text far beyond the limit is cut anyway.
  const line = cleanLine(text.slice(0, most * 4));
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

// ── Quiet hours ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The end of the present quiet hours; null: it is no quiet hour. */
export function quietEnd(quiet: string | null, now: Date): Date | null {
  const span = quietSpans(quiet, now).find(({ end, start }) => start <= now && now < end);
  return span?.end ?? null;
}

/** The end of the last quiet hours; null: there are none. */
export function lastQuietEnd(quiet: string | null, now: Date): Date | null {
  return quietSpans(quiet, now).findLast(({ end }) => end <= now)?.end ?? null;
}

/** In local time, so a night in which the clock is changed has its own length. */
function quietSpans(
  quiet: string | null,
  now: Date,
): readonly { readonly start: Date; readonly end: Date }[] {
  if (quiet === null) return [];
  const [from = "", to = ""] = quiet.split("-");
  const at = (clock: string, day: number) => {
    const [hours = 0, minutes = 0] = clock.split(":").map(Number);
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() + day, hours, minutes);
  };
  return [-2, -1, 0].map((day) => ({ start: at(from, day), end: at(to, to <= from ? day + 1 : day) }));
}
