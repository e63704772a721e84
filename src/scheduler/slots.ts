/** Limits what works at once. Slots are given in the order of the requests. */
import type { Slot } from "../core/ports/driver.ts";

export interface Slots {
  /** Whether a new task may begin: a slot is free, and no task that began earlier waits for one. */
  isFree(): boolean;
  /** Takes a slot; call it only if `isFree`. */
  open(): Slot;
}

/** `notify`: called when a slot becomes free. */
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

/** Controls which of this worker's checks run at the same time. */
export interface CheckGate {
  /** Waits while an exclusive check runs. The check calls the returned function at its end; null: stopped. */
  enter(stop: AbortSignal): Promise<(() => void) | null>;
  /** The same, with no other check beside it. */
  alone(stop: AbortSignal): Promise<(() => void) | null>;
}

/**
 * Lets checks of this process run beside one another, or one alone. A check that failed beside others is repeated alone, so that
 * no port, file or load of another check decides its result. A check that waits to be alone comes before later ones.
 */
export function openCheckGate(): CheckGate {
  let running = 0;
  let isAlone = false;
  const waiting: { readonly alone: boolean; readonly admit: () => void }[] = [];

  const admitNext = () => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (isAlone || (first.alone && running > 0)) return;
      waiting.shift();
      running += 1;
      isAlone = first.alone;
      first.admit();
    }
  };
  const leave = () => {
    running -= 1;
    isAlone = false;
    admitNext();
  };
  const enter = (alone: boolean, stop: AbortSignal): Promise<(() => void) | null> => {
    if (stop.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (got: boolean) => {
        stop.removeEventListener("abort", stopped);
        resolve(got ? leave : null);
      };
      const entry = { alone, admit: () => settle(true) };
      const stopped = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        settle(false);
        // Others that need not be alone may have waited for it.
        admitNext();
      };
      stop.addEventListener("abort", stopped);
      waiting.push(entry);
      admitNext();
    });
  };
  return { enter: (stop) => enter(false, stop), alone: (stop) => enter(true, stop) };
}
