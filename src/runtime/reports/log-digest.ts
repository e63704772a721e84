/**
 * A result computed from a whole event log. A kept one reads a log of hundreds of thousands of lines once,
 * and later only new lines. Lazy: reads only when called.
 */
import { attempt } from "../../core/attempt.ts";
import type { PawlEvent } from "../../core/event.ts";
import type { EventLog, LogEntry, LogPosition } from "../../core/ports/event-log.ts";
import type { Project } from "../project.ts";

export interface Digest<T> {
  /** Up to date with the log. */
  of(log: EventLog): Promise<T>;
}

export interface Taking<T> {
  readonly containing: readonly string[];
  /** An empty result; called again after a rotation. */
  make(): T;
  take(made: T, event: PawlEvent, entry: LogEntry): void;
}

/** Null: the line is no event. */
export function parseEvent({ text }: Pick<LogEntry, "text">): PawlEvent | null {
  return attempt(() => {
    const event = JSON.parse(text);
    return typeof event?.type === "string" && typeof event.time === "string" ? event : null;
  }, null);
}

/** The log with everything that is committed: commits of processes that died are applied first. */
export async function wholeLog({
  eventLog,
  runtime,
}: Pick<Project, "eventLog" | "runtime">): Promise<EventLog> {
  await runtime.store.catchUp();
  return eventLog();
}

const PART_BYTES = 4 * 1024 * 1024;

/** `begin`: reads only what follows; null: there was no log yet, so all of it. */
export function openDigest<T>(
  { containing, make, take }: Taking<T>,
  begin: LogPosition | null = null,
): Digest<T> {
  let made = make();
  let { generation, end: from } = begin ?? { generation: "", end: 0 };
  let reading: Promise<unknown> = Promise.resolve();
  const read = async (log: EventLog) => {
    const state = await log.position();
    if (state === null) return make();
    if (state.generation !== generation || state.end < from)
      [made, generation, from] = [make(), state.generation, 0];
    while (from < state.end) {
      const part = await log.read({
        generation,
        from,
        most: Math.min(PART_BYTES, state.end - from),
        containing,
      });
      if (part === null || part.next === from) break;
      for (const entry of part.entries) {
        const event = parseEvent(entry);
        if (event === null) continue;
        // A line may have any author: an invalid one is skipped.
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
