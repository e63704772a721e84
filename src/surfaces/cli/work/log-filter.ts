/** Which events `pawl log` prints: by time, number and type. */
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { wholeNumber } from "../line/whole-number.ts";

export interface LogFilter {
  /** Milliseconds since 1970; null: no limit. */
  readonly since: number | null;
  readonly until: number | null;
  /** Only this many of the last events; null: all. */
  readonly most: number | null;
  /** `agent:ended`, or `agent` for all types that begin with `agent:`. */
  readonly types: readonly string[] | null;
}

/** Throws `usage`. */
export function parseLogFilter(options: Readonly<Record<string, unknown>>, now: Date): LogFilter {
  const { number, since: from, type, until: to } = options;
  const since = from === undefined ? null : parseTime("--since", String(from), now, "first");
  const until = to === undefined ? null : parseTime("--until", String(to), now, "last");
  if (options.follow === true && until !== null)
    throw new PawlError(
      "usage",
      "--follow waits for later events, and --until ends before them.",
      "Leave one of the two out.",
    );
  if (since !== null && until !== null && since > until)
    throw new PawlError(
      "usage",
      `--since ${from} is later than --until ${to}: no event can be between them.`,
      "Swap the two, or leave one out.",
    );
  return {
    since,
    until,
    most:
      number === undefined
        ? null
        : wholeNumber("-n", number, { from: 1, to: null, fix: "For example `pawl log -n 20`." }),
    types: typesIn(type),
  };
}

export function matches({ since, types, until }: LogFilter, { time, type }: PawlEvent): boolean {
  if (types !== null && !types.some((each) => type === each || type.startsWith(`${each}:`))) return false;
  if (since === null && until === null) return true;
  const at = Date.parse(time);
  return at >= (since ?? at) && at <= (until ?? at);
}

function typesIn(given: unknown): readonly string[] | null {
  if (given === undefined) return null;
  const types = [given].flat().map(String);
  const bad = types.find((type) => !TYPE.test(type));
  if (bad === undefined) return types.map((type) => type.replace(/:$/, ""));
  throw new PawlError(
    "usage",
    `--type is ${JSON.stringify(bad)}: expected a type of event, such as agent:ended, or its first word.`,
    "`pawl log --json` shows the type of each event.",
  );
}

const TYPE = /^[\w-]+(?::[\w-]*)*$/;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const AGO = /^(\d{1,6})(s|min|h|d|w)$/;
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Without a zone, a time is local. A day means its first or last moment. */
function parseTime(option: string, text: string, now: Date, end: "first" | "last"): number {
  const [, count, unit = ""] = AGO.exec(text) ?? [];
  if (count !== undefined) return now.getTime() - Number(count) * (UNITS[unit] ?? 0);
  const [, year, month, day, hour, minute] = MOMENT.exec(text) ?? [];
  const isDay = year !== undefined && hour === undefined;
  const isReal = daysIn(Number(year), Number(month)) >= Number(day) && Number(day) > 0;
  const isHour = isDay || (Number(hour) < 24 && Number(minute) < 60);
  const spelled = isDay
    ? `${text}T${end === "first" ? "00:00:00.000" : "23:59:59.999"}`
    : text.replace(" ", "T");
  const at = isReal && isHour ? Date.parse(spelled) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new PawlError(
    "usage",
    `${option} is ${JSON.stringify(text)}: expected a time such as 30min, 2h or 3d (ago), 2026-01-31, or 2026-01-31T14:30.`,
    `For example \`pawl log ${option} 2h\`.`,
  );
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
