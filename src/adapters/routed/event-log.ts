/**
 * Two event logs as one, ordered by time. A position combines the positions in both. Lines with which both
 * begin, as after an import, count once.
 */
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { type EventLog, type LogEntry, type LogPart, originOf } from "../../core/ports/event-log.ts";
import { hasAny } from "../events/event-line.ts";

/** An exact number has room for half a gigabyte of one log and 16 million places of the other. */
const PLACES = 2 ** 24;
const LEAST_BYTES = 256 * 1024;
const NOWHERE = { generation: "", end: 0 };

/** `places`: a log whose positions count its lines. `isInPlaces`: whether it has the events of a run. */
export function openMergedLog(
  bytes: EventLog,
  places: EventLog,
  isInPlaces: (run: string) => boolean = () => true,
): EventLog {
  const [one, other] = [openPart(bytes), openPart(places)];
  return {
    async position() {
      const [first, second] = await Promise.all([one.position(), other.position()]);
      if (first === null && second === null) return null;
      const [left, right] = [first ?? NOWHERE, second ?? NOWHERE];
      return {
        generation: JSON.stringify([left.generation, right.generation]),
        end: joined(left.end, right.end),
      };
    },
    async read({ containing, from, generation, most: limit }) {
      // At least so many: with these positions, a reader's difference says little about bytes.
      const most = Math.max(limit, LEAST_BYTES);
      const [first = "", second = ""] = attempt(() => JSON.parse(generation) as string[], []);
      const [a, b] = parted(from);
      const [left, right] = await Promise.all([
        one.read({ generation: first, from: a, most }),
        other.read({ generation: second, from: b, most }),
      ]);
      if (left === null || right === null) return null;
      const { entries, next, isAll } = forwards(left, right, [a, b]);
      return { entries: entries.filter(({ text }) => hasAny(text, containing)), next, isAll };
    },
    async readBack({ before, limit }) {
      const [a, b] = parted(before);
      const [left, right] = await Promise.all([
        bytes.readBack({ before: a, limit }),
        places.readBack({ before: b, limit }),
      ]);
      return backwards(left, right, [a, b], limit);
    },
    origin: (run) => originOf(isInPlaces(run) ? places : bytes, run),
    watch(listener) {
      const both = [bytes.watch(listener), places.watch(listener)];
      return { close: () => both.forEach((each) => void each.close()) };
    },
  };
}

type Part = Pick<EventLog, "position" | "read">;

/**
 * A log that appears later is read from its beginning. It keeps the empty generation of a missing log, so
 * that readers do not take the pair for another log and start over.
 */
function openPart(log: EventLog): Part {
  let wasMissing = false;
  let came: string | null = null;
  const poll = async () => {
    const found = await log.position();
    wasMissing ||= found === null;
    if (found === null || !wasMissing) return found;
    came ??= found.generation;
    return found.generation === came ? { ...found, generation: "" } : found;
  };
  return {
    position: poll,
    async read({ generation, ...order }) {
      if (generation !== "") return log.read({ generation, ...order });
      if (came === null && (await poll()) === null) return { entries: [], next: order.from, isAll: true };
      return came === null ? null : log.read({ generation: came, ...order });
    },
  };
}

function joined(bytes: number, places: number): number {
  if (places < PLACES && bytes < Number.MAX_SAFE_INTEGER / PLACES) return bytes * PLACES + places;
  throw new PawlError(
    "state-unreadable",
    "The event logs are too long to be read as one: .pawl/events*.jsonl have more than half a gigabyte, or the database more than 16 million events.",
    "Move the first .pawl/events-*.jsonl away, then run the command again.",
  );
}

function parted(position: number): readonly [number, number] {
  return [Math.floor(position / PLACES), position % PLACES];
}

type PartPositions = readonly [number, number];

const timeOf = ({ text }: LogEntry) => /"time":"([^"]{1,40})"/.exec(text)?.[1] ?? "";

/**
 * Stops where either part ends: a line that a part has not returned yet may be earlier than the other's next
 * one.
 */
function forwards(one: LogPart, other: LogPart, from: PartPositions): LogPart {
  const { at, entries, left, right } = merged([one.entries, other.entries], from, {
    edge: "end",
    isFirst: (first, second) => timeOf(first) <= timeOf(second),
    continues: (first, second) => (first !== undefined || one.isAll) && (second !== undefined || other.isAll),
  });
  // A part without lines left: skip what it passed over.
  const next = joined(
    left === 0 ? Math.max(at[0], one.next) : at[0],
    right === 0 ? Math.max(at[1], other.next) : at[1],
  );
  return { entries, next, isAll: left + right === 0 && one.isAll && other.isAll };
}

function backwards(
  one: readonly LogEntry[],
  other: readonly LogEntry[],
  before: PartPositions,
  limit: number,
): readonly LogEntry[] {
  return merged([one, other], before, {
    edge: "start",
    isFirst: (first, second) => timeOf(first) > timeOf(second),
    continues: (_first, _second, count) => count < limit,
  }).entries;
}

interface Merging {
  /** The end of a line to which the position moves. */
  readonly edge: "start" | "end";
  isFirst(one: LogEntry, other: LogEntry): boolean;
  continues(one: LogEntry | undefined, other: LogEntry | undefined, count: number): boolean;
}

interface Merged {
  readonly entries: readonly LogEntry[];
  readonly at: PartPositions;
  /** The number of lines left in each. */
  readonly left: number;
  readonly right: number;
}

function merged(
  [ones, others]: readonly [readonly LogEntry[], readonly LogEntry[]],
  from: PartPositions,
  { edge, continues, isFirst }: Merging,
): Merged {
  const entries: LogEntry[] = [];
  let [i, j] = [0, 0];
  let [a, b] = from;
  for (;;) {
    const [one, other] = [ones[i], others[j]];
    if ((one === undefined && other === undefined) || !continues(one, other, entries.length)) break;
    const before = joined(a, b);
    const isBoth = one !== undefined && one.text === other?.text;
    const takesOne = one !== undefined && (isBoth || other === undefined || isFirst(one, other));
    const line = takesOne ? one : other;
    if (one !== undefined && takesOne) [i, a] = [i + 1, one[edge]];
    if (other !== undefined && (!takesOne || isBoth)) [j, b] = [j + 1, other[edge]];
    const after = joined(a, b);
    const [start, end] = edge === "end" ? [before, after] : [after, before];
    entries.push({ text: line?.text ?? "", start, end });
  }
  return { entries, at: [a, b], left: ones.length - i, right: others.length - j };
}
