/**
 * The live stream: new events of the projects' logs, as server-sent events.
 *
 * S1  Each reader has its own positions in the logs and reads on only after it has taken what it was sent: a
 *     slow one delays only itself, and nothing is buffered for it.
 * S2  An event's id is the positions in all logs after it, so any `Last-Event-ID` resumes without a gap, even
 *     on another server. A log that was rotated meanwhile is read to its end under its new name, then the new
 *     one.
 * S3  If that is impossible (the old log is gone, or a reader is too far behind), a `reset` says so: the page
 *     reloads all its data.
 * S4  Nothing is watched without a reader.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../../core/attempt.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { parseEvent } from "../../../runtime/reports/log-digest.ts";
import type { ShownEvent } from "../wire.ts";
import { nameOf } from "./event-words.ts";
import type { BoardProject } from "./projects.ts";

export interface Sink {
  /** Resolves when the reader has room for more. */
  send(event: { readonly event: string; readonly data: string; readonly id: string }): Promise<void>;
  ping(): Promise<void>;
}

interface StreamPosition {
  readonly generation: string;
  readonly offset: number;
}

const PART_BYTES = 128 * 1024;
/** A reader that is further behind, in bytes, gets a `reset`. */
const MAX_BEHIND = 8 * 1024 * 1024;
/**
 * Milliseconds that a page may wait for its log positions: without them it reloads its data once its stream
 * is open.
 */
const LONGEST_WAIT = 250;
/** Milliseconds of silence before a ping, which shows whether the reader is still connected. */
const PING = 20_000;

/** Sends until `signal` is aborted or the sink throws. `last`: a `Last-Event-ID`; empty: from now on. */
export async function streamEvents(
  projects: Iterable<BoardProject>,
  { last, sink, signal }: { readonly last: string; readonly sink: Sink; readonly signal: AbortSignal },
): Promise<void> {
  const positions = parsePositions(last);
  const logs = await logsOf(projects);
  for (const [key, log] of logs) if (!positions.has(key)) positions.set(key, await endOf(log));
  await sink.send({ event: "hello", data: "{}", id: renderPositions(positions) });
  const alarm = openAlarm(signal);
  const watches = [...logs.values()].map((log) => log.watch(alarm.ring));
  try {
    while (!signal.aborted) {
      for (const [key, log] of logs) await catchUp({ key, log, positions, sink, signal });
      if (!(await alarm.next(PING))) await sink.ping();
    }
  } finally {
    for (const watch of watches) watch.close();
  }
}

/** The present positions in all logs, from which a stream can resume; empty if they take too long to find. */
export async function positionsNow(projects: Iterable<BoardProject>): Promise<string> {
  const found = async () => {
    const logs = [...(await logsOf(projects))];
    const ends = logs.map(async ([key, log]) => [key, await endOf(log)] as const);
    return renderPositions(new Map(await Promise.all(ends)));
  };
  return await Promise.race([found().catch(() => ""), sleep(LONGEST_WAIT, "", { ref: false })]);
}

/** The logs of the projects that can be opened. */
async function logsOf(projects: Iterable<BoardProject>): Promise<ReadonlyMap<string, EventLog>> {
  const opened = [...projects].map(async ({ key, log }) => {
    const found = await log().catch(() => null);
    return found === null ? [] : [[key, found] as const];
  });
  return new Map((await Promise.all(opened)).flat());
}

interface CatchingUp {
  readonly key: string;
  readonly log: EventLog;
  readonly positions: Map<string, StreamPosition>;
  readonly sink: Sink;
  readonly signal: AbortSignal;
}

async function catchUp({ key, log, positions, sink, signal }: CatchingUp): Promise<void> {
  while (!signal.aborted) {
    const position = positions.get(key) ?? NOWHERE;
    const state = await log.position();
    const isPresent = state?.generation === position.generation;
    if (state === null && position.generation === "") return;
    if (state !== null && position.generation === "") {
      positions.set(key, { generation: state.generation, offset: 0 });
      continue;
    }
    if (state !== null && isPresent && state.end === position.offset) return;
    // A shorter log was truncated, which a rotation never does.
    const isLost = isPresent && (state.end < position.offset || state.end - position.offset > MAX_BEHIND);
    const part = isLost ? null : await log.read({ ...position, from: position.offset, most: PART_BYTES });
    if (part === null) {
      positions.set(key, state === null ? NOWHERE : { generation: state.generation, offset: state.end });
      await sink.send({
        event: "reset",
        data: JSON.stringify({ project: key }),
        id: renderPositions(positions),
      });
      continue;
    }
    for (const entry of part.entries) {
      positions.set(key, { ...position, offset: entry.end });
      const event = parseEvent(entry);
      if (event === null) continue;
      const shown: ShownEvent = { project: key, run: nameOf(event) };
      await sink.send({ event: "logged", data: JSON.stringify(shown), id: renderPositions(positions) });
      if (signal.aborted) return;
    }
    if (isPresent || !part.isAll) continue;
    if (state === null) return;
    positions.set(key, { generation: state.generation, offset: 0 });
  }
}

/** The position before a log exists: its beginning. */
const NOWHERE: StreamPosition = { generation: "", offset: 0 };

async function endOf(log: EventLog): Promise<StreamPosition> {
  const state = await log.position();
  return state === null ? NOWHERE : { generation: state.generation, offset: state.end };
}

/** `KEY:OFFSET:GENERATION`, joined by commas. A generation's name is encoded, because it may be any text. */
function renderPositions(positions: ReadonlyMap<string, StreamPosition>): string {
  return [...positions]
    .map(([key, { generation, offset }]) => `${key}:${offset}:${encodeURIComponent(generation)}`)
    .join(",");
}

const POSITION = /^([0-9a-f]{12}):(\d{1,16}):([A-Za-z0-9_.!~*'()%-]{0,500})$/;
const LONGEST_ID = 16 * 1024;

function parsePositions(id: string): Map<string, StreamPosition> {
  const positions = new Map<string, StreamPosition>();
  for (const text of id.slice(0, LONGEST_ID).split(",")) {
    const [, key, offset, generation = ""] = POSITION.exec(text.trim()) ?? [];
    const decoded = attempt(() => decodeURIComponent(generation), null);
    if (key !== undefined && decoded !== null)
      positions.set(key, { generation: decoded, offset: Number(offset) });
  }
  return positions;
}

/** Signals are not counted: one that arrives while no caller waits wakes the next one. */
function openAlarm(signal: AbortSignal) {
  let isRung = false;
  let wake = () => {};
  const ring = () => {
    isRung = true;
    wake();
  };
  signal.addEventListener("abort", ring, { once: true });
  return {
    ring,
    /** Returns false if no signal came in time. */
    async next(milliseconds: number): Promise<boolean> {
      if (!isRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      const was = isRung;
      isRung = false;
      return was;
    },
  };
}
