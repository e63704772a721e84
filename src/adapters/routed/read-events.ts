/** The events of a log, and with `follow` those that come. */
import { attempt } from "../../core/attempt.ts";
import type { PawlEvent } from "../../core/event.ts";
import type { EventLog } from "../../core/ports/event-log.ts";

export interface ReadLogOptions {
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** A run, by its name or its id: events that do not name it may be left out. */
  readonly run?: string | undefined;
}

const PART = 512 * 1024;
/** JSON holds such an id unchanged. */
const PLAIN = /^[\w.-]+$/;

export async function* readLogEvents(log: EventLog, options: ReadLogOptions = {}): AsyncGenerator<PawlEvent> {
  const { follow = false, signal } = options;
  const changes = follow ? openChanges(log, signal) : null;
  const id = options.run?.slice(options.run.indexOf(":") + 1);
  const containing = id !== undefined && PLAIN.test(id) ? { containing: [`${id}"`] } : {};
  let [generation, from] = ["", 0];
  try {
    while (!signal?.aborted) {
      const look = await log.look();
      // Another log: what it holds came after what was read.
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
      await changes.next();
    }
  } finally {
    changes?.close();
  }
}

function eventIn(line: string): readonly PawlEvent[] {
  return attempt(() => {
    const event = JSON.parse(line);
    return typeof event?.type === "string" && typeof event.time === "string" ? [event] : [];
  }, []);
}

interface Changes {
  /** Resolves when something may have changed. */
  next(): Promise<void>;
  close(): void;
}

function openChanges(log: EventLog, signal: AbortSignal | undefined): Changes {
  let isPending = false;
  let wake = () => {};
  const changed = () => {
    isPending = true;
    wake();
  };
  const watching = log.watch(changed);
  signal?.addEventListener("abort", changed);
  // Somebody waits for what comes: a watch alone keeps no process alive.
  const living = setInterval(() => {}, 60_000);
  return {
    async next() {
      if (!isPending)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      isPending = false;
    },
    close() {
      clearInterval(living);
      signal?.removeEventListener("abort", changed);
      watching.close();
    },
  };
}
