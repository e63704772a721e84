import type { ArtifactOf } from "../artifacts.ts";
import type { ToolDefinition } from "../definition.ts";
import { isOwn } from "../git-evidence.ts";

export const START_TASK: ToolDefinition = {
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
      advice: (artifact) => adviseOnStatus(artifact as ArtifactOf<"GitStatusArtifact">),
      approving: () => "accepts the report, and has the task's branch created",
    },
    {
      state: "branch_created",
      artifact: "BranchCreationArtifact",
      evidence: ["git-branch"],
      advice: (artifact) => adviseOnBranch(artifact as ArtifactOf<"BranchCreationArtifact">),
    },
  ],
  status: { before: ["new", "planning"], running: null, after: "planning" },
  persona: "onboarding",
  greeting: (id, state) => `Starting setup for task '${id}'. Current step: ${state}.`,
  handover: (id, status) =>
    `Setup for task ${id} is complete. The task is now '${status}'. Call 'plan_task' to begin planning.`,
};

/** Pawl's own files are no reason to call a tree unclean, whoever names them. */
function adviseOnStatus(status: ArtifactOf<"GitStatusArtifact">): readonly string[] {
  const count = status.uncommitted_files.filter((file) => !isOwn(withoutStatus(file))).length;
  const isOnlyOwn = count === 0 && status.uncommitted_files.length > 0;
  if (count === 0 && (status.is_clean || isOnlyOwn)) return [];
  return [
    `The working tree is not clean${count > 0 ? `: ${count} uncommitted file${count === 1 ? "" : "s"}` : ""}. A new branch would take these changes along.`,
    "Proposed: commit them, or put them aside with `git stash`, or agree on another branch name; then approve, or reject with what should be done first.",
  ];
}

/** ` M src/a.js` → `src/a.js`: reports often hold the lines of `git status --porcelain` as they are. */
const withoutStatus = (line: string): string => line.replace(/^[ MTADRCU?!]{1,2} (?=\S)/, "");

function adviseOnBranch(branch: ArtifactOf<"BranchCreationArtifact">): readonly string[] {
  if (branch.success) return [];
  return [
    "Creating the branch is reported as failed. The task can go on, but its work would not be on a branch of its own.",
    "Proposed: reject, and ask to commit or stash what is in the way, or to use another branch name.",
  ];
}
