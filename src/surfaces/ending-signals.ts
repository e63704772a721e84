/** The signals that ask a process to end. */
export const ENDING_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The first one from now on. It no longer ends the process by itself. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return Promise.race(
    ENDING_SIGNALS.map((signal) => new Promise<NodeJS.Signals>((resolve) => process.once(signal, resolve))),
  );
}
