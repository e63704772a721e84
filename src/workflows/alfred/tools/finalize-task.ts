import { handOver, nowAt, type ToolDefinition } from "../definition.ts";

export const FINALIZE_TASK: ToolDefinition = {
  name: "finalize_task",
  title: "Finalize a task",
  description:
    "Commit the work and open its pull request. Use it when the task is ready_for_finalization; afterwards the task is done.",
  reviews: "shared",
  steps: [{ state: "dispatched", artifact: "FinalizeArtifact", evidence: ["commit"] }],
  status: { before: ["ready_for_finalization"], running: "in_finalization", after: "done" },
  persona: "planning",
  greeting: nowAt("Finalization"),
  delivers: true,
  handover: handOver("Finalization"),
};
