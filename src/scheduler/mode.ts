/**
 * What the loop does now. It never goes back to an earlier mode.
 *
 * - `working` begins what can begin.
 * - `draining` begins nothing new and ends when nothing is at work: a person asked for it, or a newer version is at work.
 * - `stopping` begins nothing new and ends the agents.
 */
type Mode = "working" | "draining" | "stopping";

export interface LoopMode {
  now(): Mode;
  /** False if the loop was draining or stopping already. */
  drain(): boolean;
}

export function openLoopMode(stop: AbortSignal, drain?: AbortSignal): LoopMode {
  let drains = false;
  const now = (): Mode => {
    if (stop.aborted) return "stopping";
    return drains || drain?.aborted ? "draining" : "working";
  };
  return {
    now,
    drain() {
      const begins = now() === "working";
      drains = true;
      return begins;
    },
  };
}
