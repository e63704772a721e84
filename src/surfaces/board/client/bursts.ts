/**
 * When a page reloads its data. Events come in bursts: the first reloads at once, the others together. On
 * average a page may use a small share of its server's time, and briefly more; if events keep coming for
 * long, it waits between its requests.
 */
const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;
/** The share of the server's time, and how many milliseconds of it may be saved up. */
const SHARE = 1 / 25;
const SAVED_MS = 500;

export interface Bursts {
  ask(): void;
  stop(): void;
}

/** `load` must not throw. */
export function inBursts(load: () => Promise<void>): Bursts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;
  let isAsked = false;
  let isOver = false;
  let saved = SAVED_MS;
  let reckoned = performance.now();
  /** Milliseconds to wait after a request that took `took` milliseconds. */
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
