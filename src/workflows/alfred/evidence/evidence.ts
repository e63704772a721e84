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
  /** Of one that could not start. `waits`: only until a person has agreed to it. */
  readonly unstarted?: Pick<CheckRun, "name" | "key"> & { readonly waits: boolean };
  /** Of work that the loop did. */
  readonly loop?: LoopProof;
}

/** What the loop's evidence and git say about a task that the loop did. */
export interface LoopProof {
  readonly task: string;
  readonly branch: string;
  readonly commit: string;
  readonly merged: boolean;
  readonly steps: readonly { readonly id: string; readonly completed_at: string | null }[];
  readonly commands: readonly {
    readonly command: string;
    readonly exit_code: number | null;
    readonly log: string;
    readonly time: string;
  }[];
  readonly commits: readonly string[];
  readonly files: readonly string[];
}

/** The policy says what runs under the name. */
export interface CheckRun {
  readonly name: string;
  /** The key that finds the outcome again. */
  readonly key: string;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly tail: string;
}
