/** Time and timers. A test passes its own clock and never waits. */
export interface Clock {
  /** The wall clock. A person or the network may set it forward or back. */
  now(): Date;
  /** Milliseconds since some fixed moment; monotonic. */
  elapsed(): number;
  /** Calls `then` once after that time, unless cancelled. */
  after(milliseconds: number, then: () => void): { cancel(): void };
}
