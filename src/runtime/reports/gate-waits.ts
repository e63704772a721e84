/** How long runs waited for a person, from the events of the log in their order. */
import type { PawlEvent } from "../../core/event.ts";
import { runOf } from "../../core/event-lines.ts";

export interface GateWait {
  /** `workflow:id` */
  readonly run: string;
  /** The state in which it waited. */
  readonly gate: string;
  /** The event that ended it: `approved`, `answered`. */
  readonly verdict: string;
  /** ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
}

export interface GateWaits {
  /** Lines of the log without one of these texts can be skipped. */
  readonly containing: readonly string[];
  /** The wait that the event ended; null: none. */
  take(event: PawlEvent): GateWait | null;
}

/**
 * A run waits from when it enters a state until a person's verdict on it (`strength`), or, if the workflow
 * reports that the run waits for a person, until it leaves the state.
 */
export function openGateWaits(): GateWaits {
  const entered = new Map<string, { readonly time: string; waits: boolean }>();
  return {
    containing: ['"run:advanced"', '"task:waiting"'],
    take(event) {
      const run = runOf(event);
      const entry = run === null ? undefined : entered.get(run);
      if (run === null) return null;
      if (event.type === "task:waiting" && entry) entry.waits = true;
      if (event.type !== "run:advanced") return null;
      const isVerdict = event.strength !== undefined;
      if (event.from === event.to && !isVerdict) return null;
      entered.set(run, { time: event.time, waits: false });
      if (entry === undefined || !(isVerdict || entry.waits)) return null;
      return { run, gate: event.from, verdict: event.event, from: entry.time, to: event.time };
    },
  };
}

/** Zero if the clock was set back, or a time is invalid. */
export function minutesOf({ from, to }: Pick<GateWait, "from" | "to">): number {
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000;
  return Math.max(0, minutes || 0);
}
