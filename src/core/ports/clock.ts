/** Time. */

/** Time and timers, so that what waits runs in a test without waiting. */
export interface Clock {
  /** The wall clock: a person, or the network, may set it back and forth. */
  now(): Date;
  /** Milliseconds since some moment; never goes back. */
  elapsed(): number;
  /** Calls once, after that time, unless cancelled. */
  after(milliseconds: number, then: () => void): { cancel(): void };
}
