/** Follows the event log for those who want to hear of verdicts at gates; without anybody, nothing is watched. */
import { attempt } from "../../core/attempt.ts";
import type { RunAdvanced } from "../../core/event.ts";
import type { EventLog, LogEntry } from "../../core/ports/event-log.ts";
import type { Project } from "../../runtime/project.ts";

export interface Decided {
  /** `workflow:id` */
  readonly run: string;
  readonly summary: string;
}

export interface Follower {
  /** Calls back with every verdict of a person from now on; the result ends that. */
  follow(heard: (decided: Decided) => void): () => void;
}

const PART = 256 * 1024;

export function openFollower({ eventLog }: Pick<Project, "eventLog">): Follower {
  const listeners = new Set<(decided: Decided) => void>();
  let stop = () => {};
  const tell = (decided: Decided) => {
    for (const heard of listeners) heard(decided);
  };
  return {
    follow(heard) {
      listeners.add(heard);
      if (listeners.size === 1) stop = followLog(eventLog, tell);
      return () => {
        listeners.delete(heard);
        if (listeners.size === 0) stop();
      };
    },
  };
}

function followLog(eventLog: () => Promise<EventLog>, tell: (decided: Decided) => void): () => void {
  let isOver = false;
  let close = () => {};
  const begin = async () => {
    const log = await eventLog();
    let place = await log.look();
    let reading: Promise<void> = Promise.resolve();
    const read = async () => {
      const look = await log.look();
      // Another file: what it holds came after what was read.
      if (look !== null && look.generation !== place?.generation) place = { ...look, end: 0 };
      while (!isOver && place !== null && look !== null && place.end < look.end) {
        const part = await log.read({ ...place, from: place.end, most: PART, containing: ['"strength"'] });
        if (part === null || part.next === place.end) return;
        place = { ...place, end: part.next };
        for (const entry of part.entries) {
          const decided = decidedIn(entry);
          if (decided !== null && !isOver) tell(decided);
        }
      }
    };
    const watch = log.watch(() => {
      // What cannot be read now is read with the next event.
      reading = reading.then(read).catch(() => {});
    });
    close = () => watch.close();
    if (isOver) close();
  };
  void begin().catch(() => {});
  return () => {
    isOver = true;
    close();
  };
}

/** Lines are anybody's who can write the file: they wake, and decide nothing. */
function decidedIn({ text }: LogEntry): Decided | null {
  return attempt(() => {
    const { by, run, strength, summary, type } = JSON.parse(text) as Partial<RunAdvanced>;
    const isVerdict = type === "run:advanced" && typeof strength === "string" && typeof run === "string";
    // What the assistant passed on itself is nothing new to it.
    return isVerdict && by?.channel !== "mcp"
      ? { run, summary: typeof summary === "string" ? summary : "" }
      : null;
  }, null);
}
