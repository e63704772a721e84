/** The events of a log, and with `follow` later ones. */
import type { PawlEvent } from "../../core/event.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import { openSignal, type Signal } from "../../core/signal.ts";
import type { EventsOptions } from "../../runtime/project.ts";
import { systemClock } from "../clock/system-clock.ts";
import { eventIn, namedBy } from "../events/event-line.ts";

const PART = 512 * 1024;

export async function* readLogEvents(log: EventLog, options: EventsOptions = {}): AsyncGenerator<PawlEvent> {
  const { follow = false, signal } = options;
  const changes = follow ? openChanges(log, signal) : null;
  const named = namedBy(options.run);
  const containing = named === null ? {} : { containing: [named] };
  let [generation, from] = ["", 0];
  try {
    while (!signal?.aborted) {
      const look = await log.look();
      // Another log: its content came after what was read.
      if (look !== null && look.generation !== generation) [generation, from] = [look.generation, 0];
      while (look !== null && !signal?.aborted) {
        const part = await log.read({ generation, from, most: PART, ...containing });
        if (part === null) break;
        for (const { text } of part.entries) yield* eventIn(text);
        const isOver = part.isAll || part.next === from;
        from = part.next;
        if (isOver) break;
      }
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
