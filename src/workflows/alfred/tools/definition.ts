import type { Reviewer, Size } from "../../../core/settings.ts";
import type { StateScope } from "../../../engine/workflow.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Artifact } from "../state/state-file.ts";
import { NEXT_TOOL, type RunTool, type TaskStatus } from "../state/status.ts";
import type { ArtifactName } from "./artifacts.ts";

/**
 * The declaration of one workflow tool. Its table, prompts, checks and outputs are made from it. To add a
 * tool, add a declaration to `definitions.ts` and its prompts to `prompts/<tool>/`.
 */
export interface ToolDefinition {
  readonly name: RunTool;
  readonly title: string;
  /** Tells the model when to call it. */
  readonly description: string;
  /**
   * `named`: each review has a state of its own. `shared`: steps share the review states, and the run records
   * whose artifact is under review.
   */
  readonly reviews: "named" | "shared";
  /** A state before the first work state; the first submission leaves it in the same commit. */
  readonly opening?: { readonly state: string; readonly trigger: string };
  /** The steps of work, in order. */
  readonly steps: readonly WorkStep[];
  readonly status: {
    /** The statuses in which the tool can start. */
    readonly before: readonly TaskStatus[];
    /** The status while it runs; null leaves it unchanged. */
    readonly running: TaskStatus | null;
    readonly after: TaskStatus;
    /** A task of size `light` skips tools: where else the tool may begin then, and what follows it. */
    readonly light?: { readonly before?: readonly TaskStatus[]; readonly after?: TaskStatus };
  };
  /** The state in which it begins for tasks of size `light` and `standard`: the steps before are skipped. */
  readonly shortStart?: string;
  /** When an accepted artifact sends the task back instead, and to which status. */
  readonly sendsBack?: { readonly to: TaskStatus; readonly when: (artifact: Artifact) => boolean };
  /** What may be written in its states; default: nothing. Must allow everything that a prompt asks for. */
  readonly scope?: StateScope;
  /** The default; the configuration may name another. */
  readonly persona: string;
  /** The user sees this when the tool is called, each time. */
  readonly greeting: (id: string, state: string) => string;
  /** The message when it is complete. */
  readonly handover: (id: string, status: TaskStatus) => string;
  /** Counts the slots of the accepted plan as subtasks; all must be marked before the work is submitted. */
  readonly countsSubtasks?: true;
  /** In this tool the work is committed and published, together with what git shares of the task. */
  readonly delivers?: true;
  /** An input that the first call must have. */
  readonly takes?: "prd_content";
}

export interface WorkStep {
  readonly state: string;
  /** The review's state, if reviews are named. */
  readonly review?: string;
  readonly artifact: ArtifactName;
  /** What is observed before the review. */
  readonly evidence: readonly EvidenceKind[];
  /** What a reviewer should consider, in plain words. */
  readonly advice?: (artifact: Artifact, review: ReviewOf, evidence: Evidence) => readonly string[];
  /** The consequence of approving the artifact, as the end of "Approving …"; default: that it is accepted. */
  readonly approving?: (artifact: Artifact) => string;
  /** After a rejection, an approval in the work state submits the stored artifact for review again. */
  readonly resubmits?: true;
  /** Accepting it creates the tasks that it lists. */
  readonly createsTasks?: true;
  /** Default: the tool's. */
  readonly scope?: StateScope;
}

/** The reviewer, and whether a human reviews after them. */
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

/** The statuses at which the tool may begin, for a task of that size. */
export function beginsAt({ status }: ToolDefinition, size: Size | null): readonly TaskStatus[] {
  return [...status.before, ...((size === "light" ? status.light?.before : undefined) ?? [])];
}

/** The statuses to which the tool may lead, for a task of some size. */
export function endsOf({ sendsBack, status }: ToolDefinition): readonly TaskStatus[] {
  const { after, light } = status;
  return [after, ...(light?.after ? [light.after] : []), ...(sendsBack ? [sendsBack.to] : [])];
}

/** The status to which accepting the artifact leads. */
export function statusAfter(
  { sendsBack, status }: ToolDefinition,
  artifact: Artifact | undefined,
  size: Size | null,
): TaskStatus {
  if (sendsBack && artifact && sendsBack.when(artifact)) return sendsBack.to;
  return (size === "light" ? status.light?.after : undefined) ?? status.after;
}

/** The greeting of most tools. */
export function nowAt(what: string): ToolDefinition["greeting"] {
  return (id, state) => `${what} of task '${id}'. Current step: ${state}.`;
}

/** The hand-over message of most tools: the new status, and the next tool. */
export function handOver(what: string): ToolDefinition["handover"] {
  return (id, status) => {
    const next = NEXT_TOOL[status];
    const call = next === null ? "Nothing is left to be done." : `Call '${next}' to go on.`;
    return `${what} of task ${id} is complete. The task is now '${status}'. ${call}`;
  };
}

export const SHARED_REVIEW = { ai: "awaiting_ai_review", human: "awaiting_human_review" } as const;
export const VERIFIED = "verified";
