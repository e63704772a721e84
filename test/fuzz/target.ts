/** What is fuzzed: one module each, in the list of `targets.ts`. */
export interface Target {
  readonly name: string;
  /** Inputs that mean something, from which others are made. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Reads the bytes as the program would. May refuse them by a `PawlError`; anything else that it throws is a finding. */
  run(bytes: Uint8Array, scratch: string): unknown;
}
