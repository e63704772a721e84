/** The signals that ask a process to end. */
export const ENDING_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Resolves with the first of these signals from now on. The signals no longer end the process by themselves.
 */
export function firstSignal(): Promise<NodeJS.Signals> {
  return Promise.race(
    ENDING_SIGNALS.map((signal) => new Promise<NodeJS.Signals>((resolve) => process.once(signal, resolve))),
  );
}
