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
  | "record-branches"
  | "record-signature"
  | "record-strength"
  | "review-missing"
  | "review-too-weak"
  | "check-failed";

export interface Fault {
  readonly rule: Rule;
  /** One sentence. */
  readonly message: string;
  /** The project's file that is concerned. */
  readonly path?: string;
  readonly commit?: string;
}

/** A record that the range adds. */
interface JudgedRecord {
  readonly run: string;
  readonly gate: string;
  readonly seq: number;
  readonly verdict: "approve" | "reject";
  readonly signer: string;
  readonly strength: Strength;
  /**
   * The commit whose work it approves; null if there is none, or if the record is not of its run's last gate.
   */
  readonly covers: string | null;
}

/** A review on the forge that covers the whole range. Weaker evidence than a signature. */
export interface Approval {
  /** `owner/name#7` */
  readonly pull: string;
  readonly url: string;
  readonly login: string;
  /** ISO 8601. */
  readonly time: string;
  readonly covers: string;
  /** The changed files that decide how work is judged. */
  readonly process_files: readonly string[];
}

export interface Report {
  readonly base: string;
  readonly head: string;
  readonly commits: number;
  readonly records: readonly JudgedRecord[];
  readonly approval: Approval | null;
  readonly faults: readonly Fault[];
}
