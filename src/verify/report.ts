/** What a verification found. */
import type { Strength } from "../core/strength.ts";

/** The rule that does not hold. */
export type Rule =
  | "gates-unsigned"
  | "commit-uncovered"
  | "base-moved"
  | "approval-unused"
  | "pawl-folder"
  | "process-files"
  | "record-form"
  | "record-changed"
  | "record-missing"
  | "record-chain"
  | "record-project"
  | "record-policy"
  | "record-workflow"
  | "record-steps"
  | "record-artifact"
  | "record-signature"
  | "record-strength"
  | "check-failed";

export interface Fault {
  readonly rule: Rule;
  /** One sentence. */
  readonly message: string;
  /** A file of the project, or the commit that it is about. */
  readonly path?: string;
  readonly commit?: string;
}

/** A record that the range brings along. */
export interface Judged {
  readonly run: string;
  readonly gate: string;
  readonly seq: number;
  readonly verdict: "approve" | "reject";
  readonly signer: string;
  readonly strength: Strength;
  /** The commit whose work it approves; null: none, or it is not its run's last gate. */
  readonly covers: string | null;
}

export interface Report {
  readonly base: string;
  readonly head: string;
  readonly commits: number;
  readonly records: readonly Judged[];
  readonly faults: readonly Fault[];
}
