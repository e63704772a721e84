/** Limits how many work at once. Whoever waits for a slot gets the next free one, first come, first served. */
import type { Slot } from "./work-on.ts";

export interface Slots {
  /** True if something new may begin: a slot is free, and nothing begun before waits for one. */
  isFree(): boolean;
  /** Takes a slot; call it only if `isFree`. */
  open(): Slot;
}

/** `notify`: a slot is free. */
export function openSlots(count: number, notify: () => void): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];

  const free = (quietly: boolean) => {
    const first = waiting.shift();
    if (first) return first();
    taken -= 1;
    if (!quietly) notify();
  };

  return {
    isFree: () => taken < count,
    open() {
      let mine = true;
      taken += 1;
      return {
        leave(how) {
          if (mine) free(how === "quietly");
          mine = false;
        },
        take(stop) {
          if (mine) return Promise.resolve(true);
          if (stop.aborted) return Promise.resolve(false);
          if (taken < count) {
            taken += 1;
            mine = true;
            return Promise.resolve(true);
          }
          return new Promise((resolve) => {
            const settle = (got: boolean) => {
              stop.removeEventListener("abort", stopped);
              mine = got;
              resolve(got);
            };
            const called = () => settle(true);
            const stopped = () => {
              waiting.splice(waiting.indexOf(called), 1);
              settle(false);
            };
            waiting.push(called);
            stop.addEventListener("abort", stopped);
          });
        },
      };
    },
  };
}
