/**
 * The events of a log in the order written, and with `follow` later ones. If the log is rotated by a person, the
 * old one is read to its end, then the new one from its beginning.
 */

import type { PawlEvent } from "../../core/event.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import { openSignal, type Signal } from "../../core/signal.ts";
import type { EventsOptions } from "../../runtime/project.ts";
import { systemClock } from "../clock/system-clock.ts";
import { eventIn, namedBy } from "./event-line.ts";

export interface ReadEventsOptions extends EventsOptions {
  /** The log's text, including committed events that are not in the file yet; null if there are none. */
  readonly pending?: () => Promise<string | null>;
}

const PART_BYTES = 512 * 1024;

/** Lines that are not events, as after a damaged disk, are left out. */
export async function* readEvents(log: EventLog, options: ReadEventsOptions = {}): AsyncGenerator<PawlEvent> {
  const { follow = false, pending = async () => null, signal } = options;
  const changes = follow ? openChanges(log, signal) : null;
  const named = namedBy(options.run);
  const containing = named === null ? {} : { containing: [named] };
  /** Reported before they were in the log. */
  const early = new Set<string>();
  let [generation, from, last] = ["", 0, ""];

  async function* unread(): AsyncGenerator<PawlEvent> {
    for (let isAll = false; !isAll && !signal?.aborted; ) {
      const part = await log.read({ generation, from, most: PART_BYTES, ...containing });
      if (part === null) return;
      for (const event of part.entries.flatMap(({ text }) => eventIn(text))) {
        last = event.id;
        if (!early.delete(event.id)) yield event;
      }
      isAll = part.isAll || part.next === from;
      from = part.next;
    }
  }
  const unapplied = (whole: string): readonly PawlEvent[] => {
    const lines = whole.split("\n").filter((line) => named === null || line.includes(named));
    const events = lines.flatMap(eventIn);
    const read = events.findLastIndex(({ id }) => id === last) + 1;
    const fresh = events.slice(read).filter(({ id }) => !early.has(id));
    for (const { id } of fresh) early.add(id);
    return fresh;
  };

  try {
    while (!signal?.aborted) {
      const whole = await pending();
      const state = await log.position();
      const isAnother = state !== null && (state.generation !== generation || state.end < from);
      if (generation !== "") yield* unread();
      if (isAnother) {
        [generation, from] = [state.generation, 0];
        yield* unread();
      }
      if (whole !== null) yield* unapplied(whole);
      if (changes === null) return;
      await changes.wait(Number.POSITIVE_INFINITY);
    }
  } finally {
    changes?.close();
  }
}

/** Notifies when something may have changed. */
function openChanges(log: EventLog, stop: AbortSignal = new AbortController().signal): Signal {
  const changes = openSignal(stop, systemClock);
  const watching = log.watch(changes.notify);
  // The reader waits for events: a watch alone keeps no process alive.
  const living = setInterval(() => {}, 60_000);
  return {
    ...changes,
    close() {
      clearInterval(living);
      watching.close();
      changes.close();
    },
  };
}
