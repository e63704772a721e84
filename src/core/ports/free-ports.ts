/** TCP ports of this machine that nobody uses. */
export interface FreePorts {
  /** So many that nobody listens on and no other Pawl on this machine has taken, none of `not`. They are free at once if this process dies. */
  take(count: number, not: ReadonlySet<number>): Promise<TakenPorts>;
}

export interface TakenPorts {
  readonly ports: readonly number[];
  release(): void;
}
