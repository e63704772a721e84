/** Reads when a limit ends, from the words of an agent or of its model's host. */

const SECOND = 1000;
/** A time of day that passed less than this ago means now, not tomorrow. */
const JUST_OVER = 5 * 60 * SECOND;
/** A clause is read so far. */
const CLAUSE = 200;

/** Words before the time at which a limit ends. */
const AHEAD = /resets?|again|retry|until|available|regain|refresh|renew|resum|wait|\bin \d/gi;

/** Null: the text has no readable time. */
export function resetIn(words: string, now: Date): Date | null {
  const named = fieldIn(words, now);
  if (named) return named;
  for (const { index } of words.matchAll(AHEAD)) {
    const found = clauseTime(clauseAt(words, index), now);
    if (found) return found;
  }
  return null;
}

/** A time in a field: seconds or milliseconds since 1970, or ISO 8601. Null: it is none. */
export function timeOf(value: unknown): Date | null {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number") return valid(new Date(number < MILLISECONDS ? number * SECOND : number));
  return typeof value === "string" && /^\d{4}-/.test(value) ? valid(new Date(value)) : null;
}

/** More seconds than this are milliseconds: it is the year 5138. */
const MILLISECONDS = 1e11;

/** Up to the end of the sentence, so that another sentence's numbers are not read. */
function clauseAt(words: string, at: number): string {
  const text = words.slice(at, at + CLAUSE).replaceAll(/\b([ap])\.m\b\.?/gi, "$1m");
  const end = /[.;!?]\s+[A-Z]|\n/.exec(
    text.replaceAll(/\b[A-Z][a-z]{2}\. (?=\d)/g, (month) => month.replace(".", ",")),
  );
  return end ? text.slice(0, end.index) : text;
}

function clauseTime(clause: string, now: Date): Date | null {
  return (
    epochOf(/(?<![\d.])(\d{13}|\d{10})(?![\d.])/.exec(clause)?.[1]) ??
    spanIn(clause, now) ??
    clockIn(clause, now)
  );
}

// ── Fields and headers ───────────────────────────────────────────────────────────────────────────────────────────

/** `retry-after: 120`, `"resets_in_seconds":7200`, `x-ratelimit-reset-requests: 6m0s`. */
const FIELD =
  /(retry[-_ ]?(?:after|delay)|(?:[a-z]+[-_])*resets?(?:[-_]?(?:at|in|after|time))?)([-_]?(?:requests|tokens))?([-_]?(?:ms|millis(?:econds)?|s|secs?|seconds))?\\?["']?(?:\s*[:=]\s*|(?<=retry[-_ ]after) )\\?["']?((?:\d+(?:\.\d+)?(?:ms|[dhms])(?![a-z]))+|\d+(?:\.\d+)?(?!\s*[ap]\.?m\b|[\d:.-]*\d|\s*[a-z/]))/gi;
const LIMIT_REACHED = /limit reached\|(\d{10,13})\b/i;

function fieldIn(words: string, now: Date): Date | null {
  const old = epochOf(LIMIT_REACHED.exec(words)?.[1]);
  if (old) return old;
  for (const [, , , unit = "", value = ""] of words.matchAll(FIELD)) {
    const epoch = epochOf(/^\d+$/.test(value) ? value : undefined);
    if (epoch) return epoch;
    const amount = /[a-z]/i.test(value) ? lengthOf(value) : Number(value) * (/m/i.test(unit) ? 1 : SECOND);
    return new Date(now.getTime() + amount);
  }
  return null;
}

/** Seconds or milliseconds since 1970. */
function epochOf(digits: string | undefined): Date | null {
  return digits?.length === 10 || digits?.length === 13 ? timeOf(digits) : null;
}

// ── Lengths of time ──────────────────────────────────────────────────────────────────────────────────────────────

const UNITS = {
  ...{ w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: SECOND, ms: 1 },
} as const;
const AMOUNT =
  /(\d+(?:\.\d+)?\s*|\ban?\s+)(ms|milliseconds?|w(?:eeks?)?|d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/i;
const AMOUNTS = `${AMOUNT.source}(?:[\\s,]*(?:and\\s+)?${AMOUNT.source})*`;
/** `in 3 h 20 min`, `after 2h5m`, `retry in 20.5s`, `wait 30 seconds`, `10 minutes from now`, `in 3:20:00`. */
const SPAN = new RegExp(
  `(?:\\b(?:in|after|wait|delay)\\b\\\\?"?:?\\s*(?:about\\s+|another\\s+)?\\\\?"?)(${AMOUNTS})|(${AMOUNTS})\\s+from now`,
  "i",
);
const COLONS = /\bin (\d+):([0-5]\d)(?::([0-5]\d))?(?!\s*[ap]m)/i;

function spanIn(clause: string, now: Date): Date | null {
  const colons = COLONS.exec(clause);
  if (colons) {
    const [, hours, minutes, seconds = 0] = colons;
    return new Date(
      now.getTime() + Number(hours) * UNITS.h + Number(minutes) * UNITS.m + Number(seconds) * UNITS.s,
    );
  }
  const found = SPAN.exec(clause)?.[0];
  const length = found === undefined ? 0 : lengthOf(found);
  return length === 0 ? null : new Date(now.getTime() + length);
}

/** Milliseconds. */
function lengthOf(span: string): number {
  let sum = 0;
  for (const [, amount = "", unit = ""] of span.matchAll(new RegExp(AMOUNT.source, "gi"))) {
    const name = /^(?:ms|milli)/i.test(unit) ? "ms" : (unit.charAt(0).toLowerCase() as keyof typeof UNITS);
    sum += (/^a/i.test(amount) ? 1 : Number(amount)) * UNITS[name];
  }
  return sum;
}

// ── Days and times of day ────────────────────────────────────────────────────────────────────────────────────────

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const TIME =
  /(?<![\d.,:-])(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*([ap]m)?(?![\d:])|\b(noon|midnight)\b/gi;
/** Which is the month? */
const UNCLEAR_DAY = /\b\d{1,2}[/.]\d{1,2}[/.]\d{2}/;
const ISO_DAY = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/;
const MONTH_DAY = new RegExp(`\\b${MONTH}\\.?,? (\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,? (\\d{4}))?`, "i");
const DAY_MONTH = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?[ -]${MONTH}\\.?(?:,?[ -](\\d{4}))?`, "i");
/** `resets on January 1, 2027`: the day begins it. */
const DAY_ALONE = new RegExp(
  `^[a-z]+(?: access)?:?(?: on| at)? (?:${MONTH_DAY.source}|${DAY_MONTH.source})`,
  "i",
);
const WEEKDAY = /\b(Sun|Mon|Tue|Wed|Thu|Fri|Sat)(?:s?day|nesday|rsday|urday)?\b/i;

/** A day; `null` parts follow from the time of day. */
interface Day {
  readonly year: number | null;
  readonly month: number;
  readonly day: number;
}

/** `at 2:38 PM`, `3am (Europe/Berlin)`, `Nov 28th, 2026 2:38 PM`, `Monday at 9:00 EST`, RFC 7231, ISO 8601. */
function clockIn(clause: string, now: Date): Date | null {
  const text = clause.replace(/(\d{4}-\d\d-\d\d)T(?=\d)/, "$1 ");
  if (UNCLEAR_DAY.test(text)) return null;
  const time = timeOfDay(text);
  const date = dateIn(text);
  const day = DAY_ALONE.exec(text)?.[0];
  if (time === null && !ISO_DAY.test(text) && day === undefined) return null;
  const end = time?.end ?? day?.length ?? text.length;
  const { hours, minutes, seconds } = time ?? { hours: 0, minutes: 0, seconds: 0 };
  const zone = zoneAt(text.slice(end));
  if (zone === "unknown") return null;
  const today = dayOf(now, zone);
  const on = (year: number, month: number, day: number) =>
    instant([year, month, day, hours, minutes, seconds], zone);
  const isOver = (at: Date) => at.getTime() < now.getTime() - JUST_OVER;
  if (date) {
    const at = on(date.year ?? today.year, date.month, date.day);
    return date.year === null && isOver(at) ? on(today.year + 1, date.month, date.day) : valid(at);
  }
  const days = (ahead: number) => on(today.year, today.month, today.day + ahead);
  if (/\btomorrow\b/i.test(text)) return days(1);
  const name = WEEKDAY.exec(text)?.[1]?.toLowerCase();
  if (name !== undefined) {
    const ahead = (WEEKDAYS.indexOf(name) - today.weekday + 7) % 7;
    return isOver(days(ahead)) ? days(ahead + 7) : days(ahead);
  }
  return isOver(days(0)) ? days(1) : days(0);
}

function timeOfDay(text: string) {
  for (const match of text.matchAll(TIME)) {
    const [whole, hour, minute, second = "0", half, word] = match;
    const end = (match.index ?? 0) + whole.trimEnd().length;
    if (word !== undefined) return { hours: /^n/i.test(word) ? 12 : 24, minutes: 0, seconds: 0, end };
    if (minute === undefined && half === undefined) continue;
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
    if (hours > 23 || Number(minute ?? 0) > 59 || Number(second) > 59) return null;
    return { hours, minutes: Number(minute ?? 0), seconds: Number(second), end };
  }
  return null;
}

function dateIn(text: string): Day | null {
  const iso = ISO_DAY.exec(text);
  if (iso) return { year: Number(iso[1]), month: Number(iso[2]) - 1, day: Number(iso[3]) };
  const [, before, afterDay, year] = MONTH_DAY.exec(text) ?? [];
  if (before !== undefined)
    return { year: year === undefined ? null : Number(year), month: monthOf(before), day: Number(afterDay) };
  const [, day, name, ofYear] = DAY_MONTH.exec(text) ?? [];
  if (name === undefined) return null;
  return { year: ofYear === undefined ? null : Number(ofYear), month: monthOf(name), day: Number(day) };
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase());
}

// ── Zones ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Minutes ahead of UTC, a zone's name, or null: this machine's. */
type Zone = number | string | null;

/** Hours ahead of UTC. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  ...{ PST: -8, PDT: -7, MST: -7, MDT: -6, CST: -6, CDT: -5, EST: -5, EDT: -4 },
  ...{ WET: 0, WEST: 1, BST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, IST: 5.5, JST: 9 },
};
const ABBREVIATED = {
  PT: "America/Los_Angeles",
  MT: "America/Denver",
  CT: "America/Chicago",
  ET: "America/New_York",
};

/** The zone that follows a time. */
function zoneAt(rest: string): Zone | "unknown" {
  const offset = /^\s*\(?\s*(?:UTC|GMT|Z)?\s*([+-])(\d{1,2}):?(\d\d)?\b/i.exec(rest);
  if (offset) return (offset[1] === "-" ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0));
  if (/^\s*\(?\s*(?:UTC|GMT|Z)\b/i.test(rest)) return 0;
  const name = /^\s*\(?\s*([A-Za-z]+\/[A-Za-z_/+-]+)/.exec(rest)?.[1];
  if (name !== undefined) return isZone(name) ? name : "unknown";
  const short = /^\s*\(?\s*([A-Z]{1,4}T)\b/.exec(rest)?.[1];
  if (short === undefined) return null;
  if (short in ABBREVIATED) return ABBREVIATED[short as keyof typeof ABBREVIATED];
  const hours = ABBREVIATIONS[short];
  return hours === undefined ? "unknown" : hours * 60;
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return true;
  } catch {
    return false;
  }
}

function dayOf(now: Date, zone: Zone) {
  if (zone === null)
    return { year: now.getFullYear(), month: now.getMonth(), day: now.getDate(), weekday: now.getDay() };
  const there = new Date(now.getTime() + offsetOf(now, zone));
  return {
    ...{ year: there.getUTCFullYear(), month: there.getUTCMonth() },
    ...{ day: there.getUTCDate(), weekday: there.getUTCDay() },
  };
}

type Instant = readonly [
  year: number,
  month: number,
  day: number,
  hours: number,
  minutes: number,
  seconds: number,
];

function instant(at: Instant, zone: Zone): Date {
  if (zone === null) return new Date(...at);
  const wall = Date.UTC(...at);
  // Twice: the offset may change between the guess and the instant.
  const guess = new Date(wall - offsetOf(new Date(wall), zone));
  return new Date(wall - offsetOf(guess, zone));
}

function valid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Milliseconds by which the zone is ahead of UTC. */
function offsetOf(at: Date, zone: number | string): number {
  if (typeof zone === "number") return zone * 60 * SECOND;
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(at);
  const of = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return wall - Math.floor(at.getTime() / SECOND) * SECOND;
}
