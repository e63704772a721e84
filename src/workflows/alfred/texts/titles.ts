/** Words for people instead of names of states and models: a person never sees `dispatched`. */
import type { Reviewer } from "../../../core/settings.ts";
import type { ActiveTool } from "../state/state-file.ts";
import type { RunTool } from "../state/status.ts";
import type { ArtifactName } from "../tools/artifacts.ts";
import { definitionOf } from "../tools/definitions.ts";
import { configurationIn, machineOf, workAt } from "../tools/machine.ts";

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

/** The title of the run's artifact, and its reviewer; null: not submitted. */
export function placeOf(active: ActiveTool): { readonly title: string; readonly reviewer: Reviewer | null } {
  const definition = definitionOf(active.tool_name);
  const configuration = configurationIn(definition, active);
  const work = workAt(definition, configuration);
  return {
    title: work ? ARTIFACT_TITLES[work.artifact] : "artifact",
    reviewer: machineOf(definition).underReview(configuration)?.reviewer ?? null,
  };
}

/** The run's state, in words: `the design is under human review`. */
export function wordsFor(active: ActiveTool): string {
  const { reviewer, title } = placeOf(active);
  if (reviewer === null) return `the ${title} is to be handed in`;
  return `the ${title} is under ${reviewer === "ai" ? "AI" : "human"} review`;
}
