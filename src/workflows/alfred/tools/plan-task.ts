import type { ArtifactOf } from "../artifacts.ts";
import type { ToolDefinition } from "../definition.ts";

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
      advice: (artifact) => adviseOnQuestions(artifact as ArtifactOf<"ContextAnalysisArtifact">),
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

function adviseOnQuestions(analysis: ArtifactOf<"ContextAnalysisArtifact">): readonly string[] {
  const count = analysis.questions_for_developer.length;
  if (count === 0) return [];
  return [
    `There ${count === 1 ? "is a question" : `are ${count} questions`} for the developer in the artifact. Answer in feedback_notes; approved with notes, they reach every later step.`,
  ];
}
