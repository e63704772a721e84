/** What the server saw for itself, beside what was reported. */
export type Evidence = readonly Finding[];

export interface Finding {
  /** What it is about: `git`, `files`, `slots`, `diff`, `check test`. */
  readonly about: string;
  readonly verdict: "agrees" | "differs" | "unknown" | "running";
  /** For the reviewer, in plain words. */
  readonly words: string;
  /** Of a configured check. */
  readonly check?: CheckRun;
}

export interface CheckRun {
  readonly name: string;
  readonly command: string;
  /** By which the outcome is found again. */
  readonly key: string;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly tail: string;
}
