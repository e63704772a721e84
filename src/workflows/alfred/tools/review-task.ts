import { handOver, nowAt, type ToolDefinition } from "../definition.ts";

export const REVIEW_TASK: ToolDefinition = {
  name: "review_task",
  title: "Review a task",
  description:
    "Review the implementation of a task against its plan and criteria. Use it when the task is ready_for_review; a review that does not approve sends it back for revisions.",
  reviews: "shared",
  steps: [
    {
      state: "dispatched",
      artifact: "ReviewArtifact",
      evidence: ["diff"],
      approving: ({ approved }) =>
        approved === false
          ? "agrees with the review, which sends the task back for revisions"
          : "agrees with the review, which lets the task go on to its tests",
    },
  ],
  status: { before: ["ready_for_review"], running: "in_review", after: "ready_for_testing" },
  sendsBack: { to: "revisions_requested", when: ({ approved }) => approved === false },
  persona: "planning",
  greeting: nowAt("Review"),
  handover: handOver("Review"),
};
