import { handOver, nowAt, type ToolDefinition } from "../definition.ts";

export const CREATE_SPEC: ToolDefinition = {
  name: "create_spec",
  title: "Create a specification",
  description:
    "Turn a product document into an engineering specification for a new task. Call it again to see the current step.",
  reviews: "shared",
  steps: [{ state: "dispatched", artifact: "EngineeringSpecArtifact", evidence: [] }],
  status: { before: ["new"], running: "creating_spec", after: "spec_completed" },
  persona: "planning",
  greeting: nowAt("Specification"),
  handover: handOver("Specification"),
  takes: "prd_content",
};
