import type { Clock } from "../../../core/ports/clock.ts";

/** What listeners while nobody waits is heard by the next wait: no call is lost. */
export interface Signal {
  notify(): void;
  /** Until it listeners, or the time is over. What rang since the last wait counts. */
  wait(milliseconds: number): Promise<void>;
  close(): void;
}

/** A stop listeners it too. */
export function openSignal(stop: AbortSignal, clock: Clock): Signal {
  let notified = false;
  let wake = () => {};
  const notify = () => {
    notified = true;
    wake();
  };
  stop.addEventListener("abort", notify);
  return {
    notify,
    async wait(milliseconds) {
      if (!notified)
        await new Promise<void>((resolve) => {
          const timer = Number.isFinite(milliseconds) ? clock.after(milliseconds, resolve) : null;
          wake = () => {
            timer?.cancel();
            resolve();
          };
        });
      notified = false;
      wake = () => {};
    },
    close: () => stop.removeEventListener("abort", notify),
  };
}
