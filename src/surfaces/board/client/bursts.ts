/**
 * When a page asks again. Events come in bursts: the first is answered at once, the others together. A page may take a small
 * share of its server's time, and for some moments more; where more happens for long, it rests between its questions.
 */
const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;
/** Of the server's time, and milliseconds of it that may be saved up. */
const SHARE = 1 / 25;
const SAVED_MS = 500;

export interface Bursts {
  ask(): void;
  stop(): void;
}

/** `load` never fails. */
export function inBursts(load: () => Promise<void>): Bursts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;
  let isAsked = false;
  let isOver = false;
  let saved = SAVED_MS;
  let reckoned = performance.now();
  /** Milliseconds to rest after an answer that took so long. */
  const restAfter = (took: number) => {
    const now = performance.now();
    saved = Math.min(SAVED_MS, saved + SHARE * (now - reckoned)) - took;
    reckoned = now;
    return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, -saved / SHARE));
  };
  const run = async () => {
    isBusy = true;
    isAsked = false;
    const begun = performance.now();
    await load();
    if (isOver) return;
    timer = setTimeout(
      () => {
        isBusy = false;
        if (isAsked) void run();
      },
      restAfter(performance.now() - begun),
    );
  };
  return {
    ask() {
      isAsked = true;
      if (!isBusy && !isOver) void run();
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
