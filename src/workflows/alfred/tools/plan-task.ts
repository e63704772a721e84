import type { ArtifactOf } from "../artifacts.ts";
import type { ReviewOf, ToolDefinition } from "../definition.ts";

export const PLAN_TASK: ToolDefinition = {
  name: "plan_task",
  title: "Plan a task",
  description:
    "Plan a task step by step: context, strategy, design, then an execution plan of slots, each with a review. Use it before any code is written; call it again to see the current step.",
  reviews: "named",
  steps: [
    {
      state: "contextualize",
      review: "review_context",
      artifact: "ContextAnalysisArtifact",
      evidence: ["affected-files"],
      advice: (artifact, review) =>
        adviseOnQuestions(artifact as ArtifactOf<"ContextAnalysisArtifact">, review),
    },
    { state: "strategize", review: "review_strategy", artifact: "StrategyArtifact", evidence: [] },
    { state: "design", review: "review_design", artifact: "DesignArtifact", evidence: ["designed-files"] },
    {
      state: "generate_slots",
      review: "review_plan",
      artifact: "ExecutionPlanArtifact",
      evidence: ["slots"],
    },
  ],
  status: {
    before: ["new", "planning", "tasks_created"],
    running: "planning",
    after: "ready_for_development",
  },
  persona: "planning",
  greeting: (id, state) => `Planning task '${id}'. Current step: ${state}.`,
  handover: (id, status) =>
    `Planning for task ${id} is complete. The task is now '${status}'. To begin implementation, use the 'implement_task' tool.`,
};

/** An assistant that reviews before a human leaves the questions to them. */
function adviseOnQuestions(
  { questions_for_developer }: ArtifactOf<"ContextAnalysisArtifact">,
  { thenHuman }: ReviewOf,
): readonly string[] {
  const count = questions_for_developer.length;
  if (count === 0) return [];
  const there = `There ${count === 1 ? "is a question" : `are ${count} questions`} for the developer in it.`;
  return [
    thenHuman
      ? `${there} The human who reviews after you answers; check only that the code does not answer already.`
      : `${there} Answers belong in the notes of the approval; they reach every later step.`,
  ];
}
