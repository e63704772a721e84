import { handOver, nowAt, type ToolDefinition } from "../definition.ts";

export const IMPLEMENT_TASK: ToolDefinition = {
  name: "implement_task",
  title: "Implement a task",
  description:
    "Implement a planned task, slot by slot, and hand in a manifest of what was done. Use it when the task is ready_for_development or revisions_requested; call it again to see the progress.",
  reviews: "shared",
  steps: [
    {
      state: "dispatched",
      artifact: "ImplementationManifestArtifact",
      evidence: ["subtasks", "diff", "checks"],
    },
  ],
  status: {
    before: ["ready_for_development", "revisions_requested"],
    running: "in_development",
    after: "ready_for_review",
  },
  persona: "planning",
  greeting: nowAt("Implementation"),
  handover: handOver("Implementation"),
  countsSubtasks: true,
};
