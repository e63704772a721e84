import type { Evidence } from "../evidence/evidence.ts";
import { GIT, isOwn } from "../evidence/git-evidence.ts";
import type { RunTool } from "../state/status.ts";
import type { ArtifactOf } from "./artifacts.ts";
import { handOver, nowAt, type ReviewOf, type ToolDefinition } from "./definition.ts";

/** Every workflow tool, in the order of a task's life. */
export const DEFINITIONS: readonly ToolDefinition[] = [
  {
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
  },
  {
    name: "create_tasks_from_spec",
    title: "Create tasks from the specification",
    description:
      "Cut the accepted specification of a task into tasks of their own, with dependencies. Use it when the task is spec_completed; the task files are written when the list is approved.",
    reviews: "shared",
    steps: [{ state: "dispatched", artifact: "TaskListArtifact", evidence: [], createsTasks: true }],
    status: { before: ["spec_completed"], running: "creating_tasks", after: "tasks_created" },
    persona: "planning",
    greeting: nowAt("Creation of the tasks"),
    handover: (id, status) =>
      `The tasks of the specification are created. The task ${id} is now '${status}'. Call 'plan_task' to go on.`,
  },
  {
    name: "start_task",
    title: "Start a task",
    description:
      "Begin work on a task: checks the git status, then creates its feature branch, each with a review. Use it for a new task; call it again to see the current step.",
    reviews: "shared",
    opening: { state: "initialized", trigger: "check_git_status" },
    steps: [
      {
        state: "git_status_checked",
        artifact: "GitStatusArtifact",
        evidence: ["git-status"],
        resubmits: true,
        advice: (artifact, _, evidence) =>
          adviseOnStatus(artifact as ArtifactOf<"GitStatusArtifact">, evidence),
        approving: () => "accepts the report, and has the task's branch created",
      },
      {
        state: "branch_created",
        artifact: "BranchCreationArtifact",
        evidence: ["git-branch"],
        advice: (artifact) => adviseOnBranch(artifact as ArtifactOf<"BranchCreationArtifact">),
      },
    ],
    status: {
      before: ["new", "planning"],
      running: null,
      after: "planning",
      light: { after: "ready_for_development" },
    },
    // Uncommitted files that block the branch may be committed or stashed first, as the advice in the reviews
    // proposes.
    scope: { writes: "none", forbids: ["push"] },
    persona: "onboarding",
    greeting: (id, state) => `Starting setup for task '${id}'. Current step: ${state}.`,
    handover: (id, status) =>
      status === "planning"
        ? `Setup for task ${id} is complete. The task is now '${status}'. Call 'plan_task' to begin planning.`
        : `Setup for task ${id} is complete. The task is light: it is now '${status}'. Call 'implement_task' to go on.`,
  },
  {
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
      light: { before: ["ready_for_development"] },
    },
    shortStart: "generate_slots",
    persona: "planning",
    greeting: (id, state) => `Planning task '${id}'. Current step: ${state}.`,
    handover: (id, status) =>
      `Planning for task ${id} is complete. The task is now '${status}'. To begin implementation, use the 'implement_task' tool.`,
  },
  {
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
        scope: { writes: "worktree", forbids: ["commit", "push"] },
      },
    ],
    status: {
      before: ["ready_for_development", "revisions_requested"],
      running: "in_development",
      after: "ready_for_review",
      light: { after: "ready_for_finalization" },
    },
    persona: "planning",
    greeting: nowAt("Implementation"),
    handover: handOver("Implementation"),
    countsSubtasks: true,
  },
  {
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
  },
  {
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
  },
  {
    name: "finalize_task",
    title: "Finalize a task",
    description:
      "Commit the work and open its pull request. Use it when the task is ready_for_finalization; afterwards the task is done.",
    reviews: "shared",
    steps: [
      {
        state: "dispatched",
        artifact: "FinalizeArtifact",
        evidence: ["commit"],
        // Its prompt asks for a commit, a push and a pull request.
        scope: { writes: "none", forbids: [] },
      },
    ],
    status: { before: ["ready_for_finalization"], running: "in_finalization", after: "done" },
    persona: "planning",
    greeting: nowAt("Finalization"),
    delivers: true,
    handover: handOver("Finalization"),
  },
];

/** The call that begins the tool or shows its run's state: `plan_task with task_id "TS-01"`. */
export function callOf(name: RunTool, id: string): string {
  const { takes } = definitionOf(name);
  return `${name} with task_id "${id}"${takes ? ` and ${takes} "" (the run has it)` : ""}`;
}

export function definitionOf(name: RunTool): ToolDefinition {
  const found = DEFINITIONS.find((definition) => definition.name === name);
  if (!found) throw new Error(`No definition of the tool ${name}.`);
  return found;
}

/**
 * Advises on an unclean tree, not counting Pawl's own files. Silent if git contradicts the report, because
 * then that finding matters.
 */
function adviseOnStatus(status: ArtifactOf<"GitStatusArtifact">, evidence: Evidence): readonly string[] {
  if (evidence.some(({ about, verdict }) => about === GIT && verdict === "differs")) return [];
  const count = status.uncommitted_files.filter((file) => !isOwn(withoutStatus(file))).length;
  const isOnlyOwn = count === 0 && status.uncommitted_files.length > 0;
  if (count === 0 && (status.is_clean || isOnlyOwn)) return [];
  return [
    // What was found names and counts them.
    "The working tree is not clean. A new branch would take these changes along.",
    "Proposed: commit them, or put them aside with `git stash`, or agree on another branch name; then approve, or reject with what should be done first.",
  ];
}

/** ` M src/a.js` → `src/a.js`: reports often contain the lines of `git status --porcelain` verbatim. */
const withoutStatus = (line: string): string => line.replace(/^[ MTADRCU?!]{1,2} (?=\S)/, "");

function adviseOnBranch(branch: ArtifactOf<"BranchCreationArtifact">): readonly string[] {
  if (branch.success) return [];
  return [
    "Creating the branch is reported as failed. The task can go on, but its work would not be on a branch of its own.",
    "Proposed: reject, and ask to commit or stash what is in the way, or to use another branch name.",
  ];
}

/** An assistant that reviews before a human leaves the questions to the human. */
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
