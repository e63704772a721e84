import type { Artifact } from "../state/state-file.ts";
import type { Task } from "../state/task-file.ts";
import type { ArtifactName } from "../tools/artifacts.ts";

/** A task with all sections filled. */
export const SAMPLE_TASK: Task = {
  task_id: "TS-01",
  title: "Limit the rate",
  context: "The service is asked too often.",
  implementation_details: "Add a token bucket in front of the handler.",
  acceptance_criteria: ["429 after ten requests a second", "the limit is configurable"],
  ac_verification: ["`npm test` passes", "`curl` sees 429"],
  dev_notes: "The clock is passed in.",
  priority: "high",
  size: "standard",
  dependencies: [],
  other: [{ heading: "Links", text: "https://example.com/rates" }],
};

const flow = { procedural_steps: ["write it"], verification_steps: ["`npm test` passes"] };

export const SAMPLE_ARTIFACTS: Readonly<Record<ArtifactName, Artifact>> = {
  GitStatusArtifact: { is_clean: true, current_branch: "main", uncommitted_files: [] },
  BranchCreationArtifact: {
    branch_name: "feature/TS-01",
    success: true,
    details: "Switched to a new branch",
  },
  ContextAnalysisArtifact: {
    context_summary: "Every request is answered at once.",
    affected_files: ["src/server.ts"],
    questions_for_developer: ["Per client, or for all?", "What is the limit?"],
  },
  StrategyArtifact: {
    high_level_strategy: "A token bucket before the handler.",
    key_components: ["bucket", "handler"],
    new_dependencies: [],
    risk_analysis: "The clock may jump.",
  },
  DesignArtifact: {
    design_summary: "One new file, and a call of it.",
    file_breakdown: [
      { file_path: "src/bucket.ts", change_summary: "the bucket", operation: "CREATE" },
      { file_path: "src/server.ts", change_summary: "asks it", operation: "MODIFY" },
    ],
  },
  ExecutionPlanArtifact: {
    slots: [
      {
        slot_id: "S-1",
        title: "Bucket",
        spec: "Write the bucket.",
        location: "src/bucket.ts",
        operation: "CREATE",
        taskflow: flow,
      },
      {
        slot_id: "S-2",
        title: "Call",
        spec: "Ask it before the handler.",
        location: "src/server.ts",
        operation: "MODIFY",
        taskflow: flow,
        depends_on: ["S-1"],
      },
    ],
  },
  ImplementationManifestArtifact: {
    summary: "A bucket, and a call of it.",
    completed_subtasks: ["S-1", "S-2"],
    testing_notes: "`npm test`",
  },
  ReviewArtifact: { summary: "Good.", approved: true, feedback: [] },
  TestResultArtifact: { command: "npm test", exit_code: 0, output: "12 passed" },
  FinalizeArtifact: { commit_hash: "0123456789abcdef0123456789abcdef01234567", pr_url: "" },
  EngineeringSpecArtifact: {
    title: "Rates",
    overview: "Requests are limited.",
    requirements: ["429 after ten requests a second"],
    design_decisions: ["a token bucket, since bursts are fine"],
    out_of_scope: ["billing"],
  },
  TaskListArtifact: {
    tasks: [
      {
        task_id: "TS-02",
        title: "Bucket",
        context: "Why.",
        implementation_details: "What.",
        acceptance_criteria: ["it fills"],
      },
    ],
  },
};
