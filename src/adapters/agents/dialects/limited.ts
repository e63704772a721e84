/** Recognises a limited or refused account by the agent's own last event. */
import type { Limited } from "../../../core/ports/agents.ts";
import type { Fault } from "./dialect.ts";

/** Null: the failure is the run's own. `program`: the agent's usual name. */
export function limitedBy(fault: Fault | null, program: string, now: Date): Limited | null {
  if (fault?.reason === "account")
    return { words: fault.detail, resets: null, mend: mendOf(fault.refuses ?? "key", program) };
  if (fault?.reason !== "rate-limit") return null;
  const words = fault.detail;
  if (fault.resets !== undefined) return { words, resets: new Date(fault.resets).toISOString() };
  const at = resetIn(words, now);
  return at === null ? { words, resets: null } : { words, resets: at.toISOString(), byWords: true };
}

const LOGIN: Readonly<Record<string, string>> = {
  claude: "run `claude /login`, or set another ANTHROPIC_API_KEY",
  codex: "run `codex login`, or set another OPENAI_API_KEY",
  gemini: "set another GEMINI_API_KEY, or sign in with `gemini`",
  opencode: "run `opencode auth login`",
};

/** The fix, for a person. */
function mendOf(refuses: NonNullable<Fault["refuses"]>, program: string): string {
  if (refuses === "credit") return "its account has no credit left: add some, then run `pawl run` again";
  if (refuses === "model")
    return `it has no such model: name another in pawl.yaml (\`agents: {${program}: {model: NAME}}\`), then run \`pawl run\` again`;
  return `the service refuses its login: ${LOGIN[program] ?? `log in to ${program} again`}, then run \`pawl run\` again`;
}

// ── When a limit ends ────────────────────────────────────────────────────────────────────────────────────────────

/** Words before the time at which a limit ends. */
const AHEAD = /reset|again|retry|until|available|\bin \d/i;
const ISO = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/;
/** Seconds since 1970. */
const EPOCH = /(?:\||resets?_?at\\?"?\s*[:=]\s*)(\d{10})\b/i;
const SECONDS = /(?:resets?_in_seconds|retry-after)\\?"?\s*[:=]\s*(\d+)/i;
const SPAN =
  /(\d+(?:\.\d+)?)\s*(d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?=[^a-z]|$|\d)/gi;
const CLOCK =
  /(tomorrow)?[^\d:]*?(?:\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?,?(?: at)? )?\b(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap]\.?m\b)?(?:\s*\(?(UTC|GMT|Z\b|[A-Za-z]+\/[A-Za-z_/+-]+)\)?)?/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SECOND = 1000;
const LENGTHS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };
/** Milliseconds. A time that passed less than this ago means now, not tomorrow. */
const JUST_OVER = 5 * 60 * SECOND;

/** Null: the text has no readable time. */
export function resetIn(words: string, now: Date): Date | null {
  const seconds = SECONDS.exec(words)?.[1];
  if (seconds !== undefined) return new Date(now.getTime() + Number(seconds) * SECOND);
  const epoch = EPOCH.exec(words)?.[1];
  if (epoch !== undefined) return new Date(Number(epoch) * SECOND);
  const at = AHEAD.exec(words)?.index;
  if (at === undefined) return null;
  const rest = words.slice(at, at + 300);
  const iso = ISO.exec(rest);
  if (iso) return valid(new Date(`${iso[1]}T${iso[2]}${zoneSuffix(iso[3])}`));
  return spanIn(rest, now) ?? clockIn(rest, now);
}

function zoneSuffix(zone: string | undefined): string {
  return zone === undefined ? "" : /^[+-]/.test(zone) ? zone : "Z";
}

function valid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}

/** `in 3 h`, `after 2h5m`, `retry in 20.5s`. */
function spanIn(rest: string, now: Date): Date | null {
  const span =
    /(?:\b(?:in|after)|delay\\?"?:)\s*(?:about\s+)?\\?"?(?=\d)((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)/i.exec(
      rest,
    )?.[1];
  if (span === undefined) return null;
  let sum = 0;
  for (const [, amount, unit] of span.matchAll(SPAN))
    sum += Number(amount) * (LENGTHS[(unit ?? "s").charAt(0).toLowerCase()] ?? 0);
  return sum === 0 ? null : new Date(now.getTime() + sum * SECOND);
}

/** `at 2:38 PM`, `3am (Europe/Berlin)`, `Nov 28th, 2026 2:38 PM`, `tomorrow at 14:00`. */
function clockIn(rest: string, now: Date): Date | null {
  const found = CLOCK.exec(rest);
  if (!found) return null;
  const [, tomorrow, month, day, year, hour, minute, half, zone] = found;
  if (minute === undefined && half === undefined) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  if (hours > 23 || Number(minute ?? 0) > 59) return null;
  const named = zone === undefined ? null : /^(UTC|GMT|Z)$/i.test(zone) ? "UTC" : zone;
  try {
    const today = dateIn(now, named);
    const clock = [hours, Number(minute ?? 0)] as const;
    if (month !== undefined) {
      const index = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
      const at = (of: number) => instant([of, index, Number(day)], clock, named);
      if (year !== undefined) return at(Number(year));
      const here = at(today[0]);
      return here.getTime() < now.getTime() - JUST_OVER ? at(today[0] + 1) : here;
    }
    const on = (days: number) => instant([today[0], today[1], today[2] + days], clock, named);
    if (tomorrow !== undefined) return on(1);
    return on(0).getTime() < now.getTime() - JUST_OVER ? on(1) : on(0);
  } catch {
    // No such zone.
    return null;
  }
}

type Day = readonly [year: number, month: number, day: number];

function dateIn(now: Date, zone: string | null): Day {
  if (zone === null) return [now.getFullYear(), now.getMonth(), now.getDate()];
  const there = new Date(now.getTime() + offsetOf(now, zone));
  return [there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate()];
}

/** Null: this machine's zone. */
function instant(
  [year, month, day]: Day,
  [hours, minutes]: readonly [number, number],
  zone: string | null,
): Date {
  if (zone === null) return new Date(year, month, day, hours, minutes);
  const wall = Date.UTC(year, month, day, hours, minutes);
  // Twice: the offset may change between the guess and the instant.
  const guess = new Date(wall - offsetOf(new Date(wall), zone));
  return new Date(wall - offsetOf(guess, zone));
}

/** Milliseconds by which the zone is ahead of UTC. */
function offsetOf(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(at);
  const of = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return wall - Math.floor(at.getTime() / SECOND) * SECOND;
}
