/** Words for people instead of names of states and models: a person never sees `dispatched`. */
import type { Reviewer } from "../../../core/settings.ts";
import type { ActiveTool } from "../state/state-file.ts";
import type { RunTool } from "../state/status.ts";
import type { ArtifactName } from "../tools/artifacts.ts";
import { SHARED_REVIEW } from "../tools/definition.ts";
import { definitionOf } from "../tools/definitions.ts";

/** Artifacts' names for people. */
export const ARTIFACT_TITLES: Readonly<Record<ArtifactName, string>> = {
  GitStatusArtifact: "git status report",
  BranchCreationArtifact: "branch report",
  ContextAnalysisArtifact: "context analysis",
  StrategyArtifact: "strategy",
  DesignArtifact: "design",
  ExecutionPlanArtifact: "execution plan",
  ImplementationManifestArtifact: "implementation manifest",
  ReviewArtifact: "review",
  TestResultArtifact: "test result",
  FinalizeArtifact: "delivery report",
  EngineeringSpecArtifact: "specification",
  TaskListArtifact: "list of tasks",
};

/** The name for people of the artifact in a tool's work state. */
export function titleOf(tool: RunTool, state: string): string {
  const step = definitionOf(tool).steps.find((each) => each.state === state);
  return step ? ARTIFACT_TITLES[step.artifact] : "artifact";
}

/** The title of the run's artifact, and its reviewer; null: not submitted. Reads no table. */
export function placeOf(active: ActiveTool): { readonly title: string; readonly reviewer: Reviewer | null } {
  const { context_store, current_state, review_source, review_stage, tool_name } = active;
  const { opening, steps } = definitionOf(tool_name);
  const [first] = steps;
  const isOpening = opening?.state === current_state;
  const work =
    review_source ??
    steps.find(({ review, state }) => state === current_state || review === current_state)?.state ??
    (isOpening ? first?.state : context_store.submitted?.state);
  return { title: titleOf(tool_name, work ?? ""), reviewer: review_stage ?? sharedReviewer(current_state) };
}

function sharedReviewer(state: string): Reviewer | null {
  if (state === SHARED_REVIEW.human) return "human";
  return state === SHARED_REVIEW.ai ? "ai" : null;
}

/** The run's state, in words: `the design is under human review`. */
export function wordsFor(active: ActiveTool): string {
  const { reviewer, title } = placeOf(active);
  if (reviewer === null) return `the ${title} is to be handed in`;
  return `the ${title} is under ${reviewer === "ai" ? "AI" : "human"} review`;
}
