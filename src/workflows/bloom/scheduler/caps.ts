/**
 * Caps over all machines that keep this worker from taking tasks. Those that are reached are remembered for one look, so that a
 * long backlog costs one question per cap.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { Cap, Wanted } from "../../../core/ports/leases.ts";
import { wordsOfCap } from "../caps.ts";

export interface Caps {
  /** A new look: somebody may have ended since the last one. */
  begin(): void;
  /** Whether it is known that a task that counts for this cannot be taken. */
  isReached(wanted: Wanted): boolean;
  reach(cap: Cap, wanted: Wanted): void;
  /** Something else keeps this worker from a task, in words. */
  note(words: string): void;
  /** Tells why tasks wait, if not for the same reasons as at the last look. */
  tell(): void;
}

export function openCaps(show: (event: BloomEvent) => void): Caps {
  const reached = new Map<string, string | null>();
  let leastUsd = Number.POSITIVE_INFINITY;
  let told = "[]";
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
      reached.set(keyOf(cap, wanted), wordsOfCap(cap, wanted));
      if (cap === "usd") leastUsd = Math.min(leastUsd, wanted.usd ?? 0);
    },
    note: (words) => void reached.set(words, words),
    tell() {
      const caps = [...reached.values()].filter((words) => words !== null).sort();
      const text = JSON.stringify(caps);
      if (text === told) return;
      told = text;
      show({ type: "loop:capped", caps });
    },
  };
}

function keyOf(cap: Cap, { agent, repository }: Wanted): string {
  if (cap === "repository") return `repository ${repository}`;
  return cap === "agent" ? `agent ${agent}` : cap;
}
