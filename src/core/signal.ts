import type { Clock } from "./ports/clock.ts";

/** Wakes a waiter. Without a waiter, a call ends the next wait at once, so that none is lost. */
export interface Signal {
  notify(): void;
  /**
   * Resolves at the next `notify`, at once if there was one since the last wait, or when the time is over.
   */
  wait(milliseconds: number): Promise<void>;
  close(): void;
}

/** Waits until the time is over, or `stop` is aborted. */
export async function pause(milliseconds: number, stop: AbortSignal, clock: Clock): Promise<void> {
  if (stop.aborted) return;
  const over = openSignal(stop, clock);
  await over.wait(milliseconds);
  over.close();
}

/** `stop` notifies too. */
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
