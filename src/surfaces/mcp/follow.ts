/** Follows the event log for listeners to verdicts at gates. Watches nothing without a listener. */
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
  /**
   * Calls `heard` for each verdict of a person while the log is followed. Returns a function that
   * unsubscribes.
   */
  hear(heard: (decided: Decided) => void): () => void;
  /**
   * Follows the log until every caller has called its returned function. Resolves once no later verdict can
   * be missed; rejects if the log is unreadable.
   */
  follow(): Promise<() => void>;
}

const PART = 256 * 1024;

export function openFollower({ eventLog }: Pick<Project, "eventLog">): Follower {
  const listeners = new Set<(decided: Decided) => void>();
  let followed: Following | null = null;
  let holders = 0;
  const tell = (decided: Decided) => {
    for (const heard of listeners) heard(decided);
  };
  return {
    hear(heard) {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
    async follow() {
      holders += 1;
      followed ??= followLog(eventLog, tell);
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        holders -= 1;
        if (holders > 0) return;
        followed?.close();
        followed = null;
      };
      try {
        await followed.begun;
      } catch (thrown) {
        leave();
        throw thrown;
      }
      return leave;
    },
  };
}

/** Follows at most once for a connection, which may subscribe often. */
export interface FollowOnce {
  begin(): Promise<void>;
  end(): void;
}

export function followOnce(follower: Follower): FollowOnce {
  let following: Promise<() => void> | null = null;
  return {
    async begin() {
      following ??= follower.follow();
      const own = following;
      try {
        await own;
      } catch (thrown) {
        // The next call tries again.
        if (following === own) following = null;
        throw thrown;
      }
    },
    end() {
      void following?.then(
        (leave) => leave(),
        () => {},
      );
      following = null;
    },
  };
}

interface Following {
  readonly begun: Promise<void>;
  close(): void;
}

function followLog(eventLog: () => Promise<EventLog>, tell: (decided: Decided) => void): Following {
  let isOver = false;
  let close = () => {};
  const begin = async () => {
    const log = await eventLog();
    let place = await log.look();
    let reading: Promise<void> = Promise.resolve();
    const read = async () => {
      const look = await log.look();
      // A new file: its content is later than what was read.
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
    const soon = () => {
      // A failed read is repeated with the next event.
      reading = reading.then(read).catch(() => {});
    };
    if (isOver) return;
    const watch = log.watch(soon);
    close = () => watch.close();
    // Reads what was written between the position and the start of the watch.
    soon();
  };
  return {
    begun: begin(),
    close() {
      isOver = true;
      close();
    },
  };
}

/**
 * Any process that can write the file could have made these lines, so they only wake clients, and decide
 * nothing.
 */
function decidedIn({ text }: LogEntry): Decided | null {
  return attempt(() => {
    const { by, run, strength, summary, type } = JSON.parse(text) as Partial<RunAdvanced>;
    const isVerdict = type === "run:advanced" && typeof strength === "string" && typeof run === "string";
    // The assistant already knows a verdict that it passed on itself.
    return isVerdict && by?.channel !== "mcp"
      ? { run, summary: typeof summary === "string" ? summary : "" }
      : null;
  }, null);
}
