/** What the server observed itself, independent of the assistant's report. */
export type Evidence = readonly Finding[];

export interface Finding {
  /** The subject: `git`, `files`, `slots`, `diff`, `check test`. */
  readonly about: string;
  readonly verdict: "agrees" | "differs" | "unknown" | "running";
  /** For the reviewer, in plain words. */
  readonly words: string;
  /** The run of a configured check. */
  readonly check?: CheckRun;
  /** A check that could not start. `waits`: it can start once a person has agreed to it. */
  readonly unstarted?: Pick<CheckRun, "name" | "key"> & { readonly waits: boolean };
  /** Of work that the loop did. */
  readonly loop?: LoopProof;
}

/** The commit that the loop worked on, and the commands that passed there. */
interface LoopProof {
  readonly commit: string;
  readonly commands: readonly {
    readonly command: string;
    readonly exit_code: number | null;
    readonly log: string;
  }[];
}

/** One run of a check. The policy defines the command of each name. */
export interface CheckRun {
  readonly name: string;
  /** The key under which the outcome is stored. */
  readonly key: string;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly tail: string;
  /** It ran no test. */
  readonly empty?: true;
}

/** A check, run or not, is no claim: it is shown among the checks. */
export function isNoCheck({ check, unstarted }: Finding): boolean {
  return check === undefined && unstarted === undefined;
}
