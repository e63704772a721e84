/** The calls under way: what must be done before the end, and when there is time to settle the store. */
export interface Work {
  /** Runs a call; the store is settled when none has been under way for a moment. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Resolves once no call is under way. */
  done(): Promise<void>;
}

const QUIET = 200;

export function openWork(settle: () => Promise<void>): Work {
  const under = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  return {
    async run(call) {
      clearTimeout(timer);
      const running = call();
      under.add(running);
      try {
        return await running;
      } finally {
        under.delete(running);
        // Settling is never needed for correctness: the next start does what this one could not.
        if (under.size === 0) timer = setTimeout(() => void settle().catch(() => {}), QUIET).unref();
      }
    },
    async done() {
      do {
        // A request that has just been read has not begun yet.
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(under);
      } while (under.size > 0);
      clearTimeout(timer);
    },
  };
}
