/**
 * Which checks of this process run at once: any number, or one alone. A check that failed beside others is repeated alone, so
 * that no port, file or load of another check decides about it. Whoever waits to be alone comes before checks that begin later.
 */
import type { CheckGate } from "../execution-context.ts";

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
      const place = { alone, admit: () => settle(true) };
      const stopped = () => {
        waiting.splice(waiting.indexOf(place), 1);
        settle(false);
        // It may have kept others waiting that need not be alone.
        admitNext();
      };
      stop.addEventListener("abort", stopped);
      waiting.push(place);
      admitNext();
    });
  };
  return { enter: (stop) => enter(false, stop), alone: (stop) => enter(true, stop) };
}
