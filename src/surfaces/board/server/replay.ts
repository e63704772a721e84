/** Each run as it stood at a moment of the log. */
import type { EventLog } from "../../../core/ports/event-log.ts";
import { type Digest, openDigest } from "../../../runtime/log-digest.ts";
import type { Replay } from "../wire.ts";

interface Moved {
  /** Of the end of its line. */
  readonly offset: number;
  readonly run: string;
  readonly state: string;
  readonly time: string;
}

export type Moves = Digest<Moved[]>;

export function openMoves(): Moves {
  return openDigest<Moved[]>({
    containing: ['"run:advanced"'],
    make: () => [],
    take(moves, event, { end }) {
      if (event.type !== "run:advanced" || typeof event.run !== "string") return;
      moves.push({ offset: end, run: event.run, state: String(event.to), time: event.time });
    },
  });
}

/** `at`: null: the log's end. */
export async function replayAt(moves: Moves, log: EventLog, at: number | null): Promise<Replay> {
  const all = await moves.of(log);
  const end = (await log.look())?.end ?? 0;
  const until = Math.min(at ?? end, end);
  const runs = new Map<string, Replay["runs"][number]>();
  let time: string | null = null;
  for (const { offset, run, state, time: since } of all) {
    if (offset > until) break;
    runs.set(run, { run, state, since });
    time = since;
  }
  const latest = (await log.readBack({ before: until, limit: 1 }))[0];
  return { at: until, time: timeOf(latest?.text) ?? time, end, runs: [...runs.values()] };
}

function timeOf(line: string | undefined): string | null {
  const [, time] = /"time":"([^"]{1,40})"/.exec(line ?? "") ?? [];
  return time ?? null;
}
