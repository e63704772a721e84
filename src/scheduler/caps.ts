/**
 * The caps over all machines that keep this worker from taking tasks. Remembers for one pass over the tasks which are reached, so
 * that a long backlog costs one question per cap.
 */
import type { LoopEvent } from "../core/bloom-event.ts";
import type { Cap, Wanted } from "../core/ports/leases.ts";

export interface Caps {
  /** Begins a pass: work may have ended since the last one. */
  begin(): void;
  /** Whether a cap that is known to be reached excludes such a task. */
  isReached(wanted: Wanted): boolean;
  reach(cap: Cap, wanted: Wanted): void;
  /** Records another reason why a task waits. */
  note(words: string): void;
  /** Reports why tasks wait, if the reasons have changed. */
  report(): void;
}

/** `wordsOf`: why what is wanted waits, for display; null: not worth a message. */
export function openCaps(
  show: (event: LoopEvent) => void,
  wordsOf: (cap: Cap, wanted: Wanted) => string | null,
): Caps {
  const reached = new Map<string, string | null>();
  let leastUsd = Number.POSITIVE_INFINITY;
  let reported = "[]";
  return {
    begin() {
      reached.clear();
      leastUsd = Number.POSITIVE_INFINITY;
    },
    isReached: (wanted) =>
      reached.has("draining") ||
      reached.has(keyOf("repository", wanted)) ||
      reached.has(keyOf("agent", wanted)) ||
      (wanted.usd !== null && wanted.usd >= leastUsd),
    reach(cap, wanted) {
      reached.set(keyOf(cap, wanted), wordsOf(cap, wanted));
      if (cap === "usd") leastUsd = Math.min(leastUsd, wanted.usd ?? 0);
    },
    note: (words) => void reached.set(words, words),
    report() {
      const caps = [...reached.values()].filter((words) => words !== null).sort();
      const text = JSON.stringify(caps);
      if (text === reported) return;
      reported = text;
      show({ type: "loop:capped", caps });
    },
  };
}

function keyOf(cap: Cap, { agent, repository }: Wanted): string {
  if (cap === "repository") return `repository ${repository}`;
  return cap === "agent" ? `agent ${agent}` : cap;
}
