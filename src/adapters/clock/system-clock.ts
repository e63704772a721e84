import type { Clock } from "../../core/ports/clock.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  after(milliseconds, then) {
    const timer = setTimeout(then, milliseconds);
    return { cancel: () => clearTimeout(timer) };
  },
};
