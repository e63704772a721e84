/**
 * What is made of a whole event log, kept while the board runs: a log of hundreds of thousands of lines is read once, and later
 * only what was appended. Read when a page asks, never before.
 */
import type { PawlEvent } from "../../../core/event.ts";
import type { EventLog, LogEntry } from "../../../core/ports/event-log.ts";
import { parseEvent } from "./happened.ts";

export interface Digest<T> {
  /** Brought up to date. */
  of(log: EventLog): Promise<T>;
}

interface Taking<T> {
  readonly containing: readonly string[];
  /** An empty one; again after a rotation. */
  make(): T;
  take(made: T, event: PawlEvent, entry: LogEntry): void;
}

const PART = 4 * 1024 * 1024;

export function openDigest<T>({ containing, make, take }: Taking<T>): Digest<T> {
  let made = make();
  let generation = "";
  let from = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const read = async (log: EventLog) => {
    const look = await log.look();
    if (look === null) return make();
    if (look.generation !== generation || look.end < from)
      [made, generation, from] = [make(), look.generation, 0];
    while (from < look.end) {
      const part = await log.read({ generation, from, most: PART, containing });
      if (part === null || part.next === from) break;
      for (const entry of part.entries) {
        const event = parseEvent(entry);
        if (event === null) continue;
        // A line may be anybody's: one that is not as it should be is left out.
        try {
          take(made, event, entry);
        } catch {}
      }
      from = part.next;
    }
    return made;
  };
  return {
    of(log) {
      const done = reading.then(() => read(log));
      reading = done.catch(() => {});
      return done;
    },
  };
}
