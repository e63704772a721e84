/** The results of the guard's canary, kept outside of the project. */

export interface LayerProof {
  readonly layer: "hook" | "rules" | "git" | "ci";
  /** The guarded client or hook: `Claude Code`, `pre-commit`. */
  readonly of: string;
  /** `said`: not tried here; `seen` has what is known about it. */
  readonly result: "refused" | "came-through" | "said";
  /** The observation, in one line. */
  readonly seen: string;
}

export interface GuardProof {
  /** ISO 8601 */
  readonly time: string;
  /** The program's version. */
  readonly version: string;
  readonly layers: readonly LayerProof[];
  /** The tested files, with their hashes. */
  readonly files: Readonly<Record<string, string>>;
}

export interface GuardProofs {
  /** The last proof; null: there is none, or it is unreadable. */
  find(): GuardProof | null;
  keep(proof: GuardProof): void;
}
