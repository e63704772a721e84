/** What the guard's canary found, kept outside of the project. */

export interface LayerProof {
  readonly layer: "hook" | "rules" | "git" | "ci";
  /** Whose: `Claude Code`, `pre-commit`. */
  readonly of: string;
  /** `said`: something that is not tried here says so. */
  readonly result: "refused" | "came-through" | "said";
  /** What was seen, in one line. */
  readonly seen: string;
}

export interface GuardProof {
  /** ISO 8601 */
  readonly time: string;
  /** Of the program. */
  readonly version: string;
  readonly layers: readonly LayerProof[];
  /** The files that were tried, with their hashes. */
  readonly files: Readonly<Record<string, string>>;
}

export interface GuardProofs {
  /** The last one; null: none was kept, or nobody can read it. */
  find(): GuardProof | null;
  keep(proof: GuardProof): void;
}
