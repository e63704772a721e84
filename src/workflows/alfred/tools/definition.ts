import type { Reviewer } from "../../../core/settings.ts";
import type { StateScope } from "../../../engine/workflow.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Artifact } from "../state/state-file.ts";
import { NEXT_TOOL, type RunTool, type TaskStatus } from "../state/status.ts";
import type { ArtifactName } from "./artifacts.ts";

/**
 * The declaration of one workflow tool. Its table, prompts, checks and outputs are made from it; to add a tool, add one
 * of these to `definitions.ts` and its prompts to `prompts/<tool>/`.
 */
export interface ToolDefinition {
  readonly name: RunTool;
  readonly title: string;
  /** For the model that chooses among tools: when to call it. */
  readonly description: string;
  /** `named`: each review has a state of its own. `shared`: the review states are shared, with their source kept. */
  readonly reviews: "named" | "shared";
  /** A state before the first work state; it is left in the same commit as the first submission. */
  readonly opening?: { readonly state: string; readonly trigger: string };
  /** The work, in its order. */
  readonly steps: readonly WorkStep[];
  readonly status: {
    /** The statuses in which the tool can start. */
    readonly before: readonly TaskStatus[];
    /** The status while it runs; null leaves it unchanged. */
    readonly running: TaskStatus | null;
    readonly after: TaskStatus;
  };
  /** The accepted artifact can send the task back instead. */
  readonly sendsBack?: { readonly to: TaskStatus; readonly when: (artifact: Artifact) => boolean };
  /** What may be written in its states; default: nothing. Whatever a prompt asks for must be allowed. */
  readonly scope?: StateScope;
  /** Unless the configuration names another. */
  readonly persona: string;
  /** What the user sees when the tool is called: first, and again. */
  readonly greeting: (id: string, state: string) => string;
  /** What is handed over when it is complete. */
  readonly handover: (id: string, status: TaskStatus) => string;
  /** Counts the slots of the accepted plan as subtasks; all must be marked before the work is handed in. */
  readonly countsSubtasks?: true;
  /** The work is committed and published in it, together with what git shares of the task. */
  readonly delivers?: true;
  /** Must be handed in at the start. */
  readonly takes?: "prd_content";
}

export interface WorkStep {
  readonly state: string;
  /** The review's state, where reviews are named. */
  readonly review?: string;
  readonly artifact: ArtifactName;
  /** What is observed before the review. */
  readonly evidence: readonly EvidenceKind[];
  /** What a reviewer should consider, in plain words. */
  readonly advice?: (artifact: Artifact, review: ReviewOf, found: Evidence) => readonly string[];
  /** What approving the artifact leads to, as the end of "Approving …"; default: that it is accepted. */
  readonly approving?: (artifact: Artifact) => string;
  /** After a rejection, approving in its work state puts the stored artifact up for review again. */
  readonly resubmits?: true;
  /** Accepting it creates the tasks that it lists. */
  readonly createsTasks?: true;
  /** Default: the tool's. */
  readonly scope?: StateScope;
}

/** Who reviews, and who after them. */
export interface ReviewOf {
  readonly reviewer: Reviewer;
  readonly thenHuman: boolean;
}

export type EvidenceKind =
  | "git-status"
  | "git-branch"
  | "affected-files"
  | "designed-files"
  | "slots"
  | "diff"
  | "subtasks"
  | "checks"
  | "commit";

/** What most tools say when they are called. */
export function nowAt(what: string): ToolDefinition["greeting"] {
  return (id, state) => `${what} of task '${id}'. Current step: ${state}.`;
}

/** What most tools hand over with: the new status, and the tool that it calls for. */
export function handOver(what: string): ToolDefinition["handover"] {
  return (id, status) => {
    const next = NEXT_TOOL[status];
    const call = next === null ? "Nothing is left to be done." : `Call '${next}' to go on.`;
    return `${what} of task ${id} is complete. The task is now '${status}'. ${call}`;
  };
}

export const SHARED_REVIEW = { ai: "awaiting_ai_review", human: "awaiting_human_review" } as const;
export const VERIFIED = "verified";
