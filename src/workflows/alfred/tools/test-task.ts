import { handOver, nowAt, type ToolDefinition } from "../definition.ts";

export const TEST_TASK: ToolDefinition = {
  name: "test_task",
  title: "Test a task",
  description:
    "Run the tests of a task and hand in the result. Use it when the task is ready_for_testing; a failing exit code sends it back for revisions.",
  reviews: "shared",
  steps: [
    {
      state: "dispatched",
      artifact: "TestResultArtifact",
      evidence: ["checks"],
      approving: ({ exit_code }) =>
        exit_code === 0
          ? "accepts the test result, which lets the task be finalized"
          : "accepts the test result, which sends the task back for revisions",
    },
  ],
  status: { before: ["ready_for_testing"], running: "in_testing", after: "ready_for_finalization" },
  sendsBack: { to: "revisions_requested", when: ({ exit_code }) => exit_code !== 0 },
  persona: "planning",
  greeting: nowAt("Testing"),
  handover: handOver("Testing"),
};
