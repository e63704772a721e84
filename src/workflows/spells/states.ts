import type { State, Writes } from "../../engine/workflow.ts";

export interface SpellState extends State {
  /** The developer's position, in words that name no state. */
  readonly where: string;
}

const FROM_GATHER = "The review was started while you were editing the plan; that is where it leads back to.";
const FROM_ACHIEVE = "The review was started from a task or from the completed work, and leads back there.";

const pair = (name: string, description: string, where: string): Record<string, DescribedState> => ({
  [`${name}_G`]: { description: `${description} (from planning)`, where: `${where} ${FROM_GATHER}` },
  [`${name}_A`]: { description: `${description} (from a task)`, where: `${where} ${FROM_ACHIEVE}` },
});

type DescribedState = Omit<SpellState, "writes" | "forbids">;

const DESCRIBED: Readonly<Record<string, DescribedState>> = {
  GATHER_NEEDS_CONTEXT: {
    description: "Nothing has been written down yet",
    where:
      "You are at the very beginning: there is no description of the work yet. The first step is to write down what you want to build or change, so that you and your assistant start from the same picture.",
  },
  GATHER_EDITING_CONTEXT: {
    description: "The context is being written; there is no plan yet",
    where:
      "You are gathering context. `.ai/task/context.md` holds what is known about the work: the goal, the background, the constraints, and links to Jira issues or Confluence pages. The plan will be made from it.",
  },
  GATHER_EDITING: {
    description: "The plan is being written or revised",
    where:
      "You are editing the plan. `.ai/task/plan.md` says what is to be done and how you will know that it is done: its acceptance criteria are checkboxes, open (`- [ ]`) until they are met (`- [x]`).",
  },
  ACHIEVE_TASK_DRAFTING: {
    description: "A task is being written; it has not been carried out",
    where:
      "You are drafting one task. `.ai/task/task.md` describes the next small piece of work towards an acceptance criterion. Nothing has been carried out yet: this is the moment to correct it.",
  },
  ACHIEVE_TASK_EXECUTED: {
    description: "The task is carried out, its results are being reviewed",
    where:
      "A task is being carried out and reviewed. Your assistant works through `.ai/task/task.md` and writes what it did to `.ai/task/task-results.md`; you look at the code and the results before moving on.",
  },
  ACHIEVE_COMPLETE: {
    description: "Every acceptance criterion of the plan is met",
    where:
      "The work is complete: every acceptance criterion in `.ai/task/plan.md` is checked. You can review the pull request's comments, or go back to the plan and add more.",
  },
  ...pair(
    "PR_GATHERING_COMMENTS",
    "The pull request's comments are collected",
    "You are in a pull request review, at its first step: `.ai/task/comments.md` holds what reviewers said about the current branch. Look through it before a task is made of it.",
  ),
  ...pair(
    "PR_REVIEW_TASK_DRAFT",
    "The review task is being written",
    "You are in a pull request review, drafting the review task: `.ai/task/review-task.md` says which comments will be addressed, and how. Nothing has been changed in the code yet.",
  ),
  ...pair(
    "PR_APPLIED_PENDING_ARCHIVE",
    "The review task is carried out, its results wait to be archived",
    "You are in a pull request review, at its last step: your assistant carries out `.ai/task/review-task.md` and writes what it did to `.ai/task/review-task-results.md`. What remains is to look at it and to archive the review.",
  ),
  ...pair(
    "PR_CONFIRM_RESTART_COMMENTS",
    "Starting the review over must be confirmed; comments were already collected",
    "You are at a decision: comments of a pull request review are already collected in `.ai/task/comments.md`, and starting over would replace them. Nothing has been changed so far.",
  ),
  ...pair(
    "PR_CONFIRM_RESTART_TASK",
    "Starting the review over must be confirmed; a review task already exists",
    "You are at a decision: a pull request review already has its task in `.ai/task/review-task.md`, and starting over would set it aside. Nothing has been changed so far.",
  ),
  ERROR_TASK_MISSING: {
    description: "A task was being written, but task.md is missing",
    where:
      "You were drafting a task, but `.ai/task/task.md` was not found when it was needed: it was moved or deleted, or was never written. Your plan is not affected.",
  },
  ERROR_TASK_RESULTS_MISSING: {
    description: "A task was carried out, but task-results.md is missing",
    where:
      "A task was carried out, but its results were not found in `.ai/task/task-results.md`: they were moved or deleted, or were never written. Your plan is not affected.",
  },
  ERROR_PLAN_MISSING: {
    description: "The work needs a plan, but plan.md is missing",
    where:
      "The workflow cannot go on without a plan, and `.ai/task/plan.md` was not found: it was moved or deleted.",
  },
  ...pair(
    "ERROR_COMMENTS_MISSING",
    "The review's comments.md is missing",
    "You are in a pull request review, but its collected comments were not found in `.ai/task/comments.md`: the file was moved or deleted.",
  ),
  ...pair(
    "ERROR_REVIEW_TASK_MISSING",
    "The review's review-task.md is missing",
    "You are in a pull request review, but its task was not found in `.ai/task/review-task.md`: the file was moved or deleted.",
  ),
  ERROR_CONTEXT_MISSING: {
    description: "The context was being written, but context.md is missing",
    where: "You were gathering context, but `.ai/task/context.md` was not found: it was moved or deleted.",
  },
  ...pair(
    "ERROR_REVIEW_TASK_RESULTS_MISSING",
    "The review's review-task-results.md is missing",
    "You are in a pull request review whose task was carried out, but its results were not found in `.ai/task/review-task-results.md`: they were moved or deleted, or were never written.",
  ),
};

/** `NAME_G` and `NAME_A` of each name. */
export function both(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [`${name}_G`, `${name}_A`]);
}

/**
 * From each `NAME_G` and `NAME_A` to the target with the same suffix; a name without a suffix counts as `_A`.
 */
export function alike(from: readonly string[], target: string): Readonly<Record<string, string>> {
  return Object.fromEntries(from.map((state) => [state, `${target}_${state.endsWith("_G") ? "G" : "A"}`]));
}

const CARRIED_OUT: readonly string[] = ["ACHIEVE_TASK_EXECUTED", ...both("PR_APPLIED_PENDING_ARCHIVE")];

/**
 * Code is written only in states that carry out a task; once the work is complete, nothing is guarded. Git is
 * not restricted in any state, because the replies ask developers to commit and push at any time.
 */
function writesIn(state: string): Writes {
  if (state === "ACHIEVE_COMPLETE") return "all";
  return CARRIED_OUT.includes(state) ? "worktree" : "plan";
}

export const STATES: Readonly<Record<string, SpellState>> = Object.fromEntries(
  Object.entries(DESCRIBED).map(([name, state]) => [name, { ...state, writes: writesIn(name), forbids: [] }]),
);
