/** So many may work at once. Pure but for the callbacks: who waits for a place gets the next one that is free. */
import type { Place } from "./work-on.ts";

export interface Places {
  /** Whether something new may begin: a place is free, and nobody that was begun before waits for one. */
  isFree(): boolean;
  /** A place, taken; only where `isFree`. */
  open(): Place;
}

/** `ring`: a place is free. */
export function openPlaces(count: number, ring: () => void): Places {
  let taken = 0;
  const waiting: (() => void)[] = [];

  const free = (quietly: boolean) => {
    const first = waiting.shift();
    if (first) return first();
    taken -= 1;
    if (!quietly) ring();
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
