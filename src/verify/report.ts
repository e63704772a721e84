/** What a verification found. */
import type { Strength } from "../core/strength.ts";

/** The broken rule. */
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
  /** The file of the project concerned. */
  readonly path?: string;
  readonly commit?: string;
}

/** A record that the range adds. */
export interface Judged {
  readonly run: string;
  readonly gate: string;
  readonly seq: number;
  readonly verdict: "approve" | "reject";
  readonly signer: string;
  readonly strength: Strength;
  /** The commit whose work it approves; null if there is none, or if it is not at its run's last gate. */
  readonly covers: string | null;
}

export interface Report {
  readonly base: string;
  readonly head: string;
  readonly commits: number;
  readonly records: readonly Judged[];
  readonly faults: readonly Fault[];
}
