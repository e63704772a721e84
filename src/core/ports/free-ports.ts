/** Unused TCP ports of this machine. */
export interface FreePorts {
  /**
   * Takes `count` ports without a listener, not taken by another Pawl process on this machine, and none of
   * `not`. If this process dies, they are free at once.
   */
  take(count: number, not: ReadonlySet<number>): Promise<TakenPorts>;
}

export interface TakenPorts {
  readonly ports: readonly number[];
  release(): void;
}
