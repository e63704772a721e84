import type { Clock } from "../../../core/ports/clock.ts";

/** What rings while nobody waits is heard by the next wait: no call is lost. */
export interface Bell {
  ring(): void;
  /** Until it rings, or the time is over. What rang since the last wait counts. */
  wait(milliseconds: number): Promise<void>;
  close(): void;
}

/** A stop rings it too. */
export function openBell(stop: AbortSignal, clock: Clock): Bell {
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  stop.addEventListener("abort", ring);
  return {
    ring,
    async wait(milliseconds) {
      if (!rung)
        await new Promise<void>((resolve) => {
          const timer = Number.isFinite(milliseconds) ? clock.after(milliseconds, resolve) : null;
          wake = () => {
            timer?.cancel();
            resolve();
          };
        });
      rung = false;
      wake = () => {};
    },
    close: () => stop.removeEventListener("abort", ring),
  };
}
