/**
 * What casting a spell would do, or why it cannot be cast or does nothing, for the rule that would apply. The
 * lists of available and unavailable spells show it. For a rule that moves, a sentence; for another, a clause
 * that follows "because". If the reason depends on a fact, one text for each of its values.
 */
export type Effect = string | { readonly by: string; readonly texts: Readonly<Record<string, string>> };

const TO_PLAN = "Leaves the review and returns you to editing the plan. Its files stay where they are.";
const START_REVIEW =
  "Starts a pull request review: collects the comments on the current branch's pull request in `.ai/task/comments.md`.";
const ASK_TO_RESTART_COMMENTS =
  "Asks whether to start the pull request review over, since comments are already collected in `.ai/task/comments.md`.";
const ASK_TO_RESTART_TASK =
  "Asks whether to start the pull request review over, since a review task already exists in `.ai/task/review-task.md`.";
const NOT_IN_REVIEW = "it leaves a pull request review, and none is running";
const ONLY_GATHERING =
  "it enriches the context or the plan from Jira and Confluence links, which is done while those are being edited";

export const EFFECTS: Readonly<Record<string, Effect>> = {
  GC1: "Creates `.ai/task/context.md`, where you describe the work, and puts the guides for plans and tasks into `.ai/`.",
  GC2a: "Makes the plan, `.ai/task/plan.md`, from your context, and gives the assistant the Atlassian links in it.",
  GC2b: "Makes the plan, `.ai/task/plan.md`, from your context.",
  GC2c: "Reports that `.ai/task/context.md` is missing, so that it can be created again.",
  G2: "Starts a task: creates `.ai/task/task.md` for the next open acceptance criterion of your plan.",
  G2b: "Reports that `.ai/task/plan.md` is missing, so that a new one can be made.",
  G3: {
    by: "criteria",
    texts: {
      none: "the plan has no acceptance criteria yet, so there is nothing to make a task for",
      "all-checked":
        "every acceptance criterion in the plan is already checked, and there is no task to continue with",
    },
  },
  G4: "Takes you back to the task in `.ai/task/task.md`.",
  G5: START_REVIEW,
  GCB1: NOT_IN_REVIEW,
  GCB2: "there is no context yet that could hold Jira or Confluence links",
  GCB3: "a pull request review can start only once there is a plan",
  GCB4: "a pull request review can start only once there is a plan",
  GCN1: "it returns you to editing the plan, and there is no plan yet: you are still editing its context",
  GB1: NOT_IN_REVIEW,
  GN1: "it returns you to editing the plan, and you are editing the plan already",
  F4: "it returns you to editing the plan, and nothing has been written down yet",
  E1b: "Fetches the Jira issues and Confluence pages linked in `.ai/task/context.md` and adds them to it.",
  E2: "Fetches the Jira issues and Confluence pages linked in `.ai/task/plan.md` and adds them to it.",
  E3: "`.ai/task/context.md` has no Atlassian links",
  E3b: "`.ai/task/plan.md` has no Atlassian links",
  E4: "every Atlassian link in `.ai/task/context.md` has already been processed",
  E4b: "every Atlassian link in `.ai/task/plan.md` has already been processed",
  H1: "Reports that `.ai/task/context.md` is missing, so that it can be created again.",
  H2: "Reports that `.ai/task/plan.md` is missing, so that a new one can be made.",

  A1: "Approves the task: the assistant carries out `.ai/task/task.md` and writes what it did to `.ai/task/task-results.md`.",
  A1b: "Reports that `.ai/task/task.md` is missing, so that a task can be written again.",
  A2: "Accepts the results: archives the task with its results and prepares the next task.",
  A2b: "Accepts the results and prepares the next task, once `.ai/task/task-results.md` is there. As long as it is not, the cast reports it as missing.",
  A3: "Completes the work, since every acceptance criterion in the plan is checked.",
  A4: "every acceptance criterion is met, so there is no next step to take",
  H3: "Accepts the results: archives them and prepares the next task. (`.ai/task/task.md` is not there to be archived with them.)",
  AB1: "a task has just been carried out, and its results must be archived before you go back to the plan",
  AB2: NOT_IN_REVIEW,
  AB3: ONLY_GATHERING,
  F1: "Returns you to editing the plan. All files stay where they are.",
  F2: "Returns you to editing the plan, with all acceptance criteria completed, to refine it or to add more.",

  P1: "Creates `.ai/task/review-task.md`, the task that addresses the collected comments.",
  P1b: "Reports that `.ai/task/comments.md` is missing, so that the comments can be collected again.",
  P2: "Approves the review task: the assistant carries it out and writes what it did to `.ai/task/review-task-results.md`.",
  P2b: "Reports that `.ai/task/review-task.md` is missing, so that it can be written again.",
  P3: "Finishes the review: archives its files and returns you to editing the plan.",
  P3b: "Finishes the review, once `.ai/task/review-task-results.md` is there. As long as it is not, the cast reports it as missing.",
  P4a: "Finishes the review: archives its files and returns you to your task.",
  P4b: "Finishes the review: archives its files and prepares the next task.",
  A5a: START_REVIEW,
  A5b: "Starts the pull request review over: collects the comments in `.ai/task/comments.md` again.",
  PR1: ASK_TO_RESTART_COMMENTS,
  PR2: ASK_TO_RESTART_COMMENTS,
  PR3: ASK_TO_RESTART_TASK,
  PR4: ASK_TO_RESTART_TASK,
  H7: ASK_TO_RESTART_COMMENTS,
  H8: ASK_TO_RESTART_TASK,
  H9: ASK_TO_RESTART_COMMENTS,
  H10: ASK_TO_RESTART_TASK,
  H15: "Fetches the comments that are still missing in `.ai/task/comments.md`.",
  C1: "Confirms: archives the collected comments, then collects them anew.",
  C2: "Confirms: archives the review task with its comments, then collects the comments anew.",
  C3a: "Keeps the collected comments and continues the review with them.",
  C3b: "Reports that `.ai/task/comments.md` is missing, so that the comments can be collected again.",
  C3c: "Keeps the review task and continues the review with it.",
  C3d: "Reports that `.ai/task/review-task.md` is missing, so that it can be written again.",
  V1: TO_PLAN,
  V2a: "Leaves the review and returns you to drafting your task. The review's files stay where they are.",
  V2b: "Leaves the review and returns you to your task and its results. The review's files stay where they are.",
  H4: "Leaves the review and returns you to the completed work. The review's files stay where they are.",
  H5: "Leaves the review and returns you to your task's results. The review's files stay where they are.",
  H6: "Leaves the review. Since `.ai/task/task.md` is missing, it then helps you to write a task again.",
  PB1: "the review's results must be archived first",
  PB2: ONLY_GATHERING,
  PB2b: ONLY_GATHERING,
  PB2d: ONLY_GATHERING,
  PB3: "a pull request review is running, and it must be completed or left before you go back to the plan",
  PB4: "a pull request review is already running",
  H16: "a pull request review is already running, and its task is being written",
  PB5: "you were asked whether to start the review over, and that must be answered first",
  PB6: "you were asked whether to start the review over, and that must be answered first",
  F3: "the review's results must be archived before you go back to the plan",
  ER3b: "a review has just been carried out and waits to be archived",

  R1: "Creates a new `.ai/task/task.md` for the next open acceptance criterion of your plan.",
  R2: "Archives the task with its results, which are back, and prepares the next task.",
  R3: "Archives the unfinished task and prepares a new one.",
  R4: "Takes you to the beginning, to write down a new context and make a plan of it.",
  R5a: "Collects the pull request's comments in `.ai/task/comments.md` again.",
  R5b: "Collects the pull request's comments in `.ai/task/comments.md` again.",
  R6a: "Creates a new `.ai/task/review-task.md` from the collected comments.",
  R7a: "Goes back one step: the collected comments are missing too, and must be collected first.",
  R8a: "Takes you back to the review task, so that it can be carried out again.",
  R9: "Creates a new `.ai/task/context.md` for you to fill in.",
  H11: "Goes back one step: the review task is missing too, and must be written first.",
  ER1: "there is no plan to return to",
  ER2: "the review's missing file must be dealt with before you go back to the plan",
  ER3a: "a file that the workflow needs is missing, and that must be dealt with first",
  ER4: "a file that the workflow needs is missing, and that must be dealt with first",
  ER5: "a file of your task is missing, and that must be dealt with before you go back to the plan",
  ER6: ONLY_GATHERING,
  ER7a: "there is no plan that could hold Jira or Confluence links",
  ER8: ONLY_GATHERING,
  ER9: "there is no context to return to, and no plan yet",
  ER10: "the context is missing, and that must be dealt with first",
  ER11: NOT_IN_REVIEW,
  ER12: "there is no context that could hold Jira or Confluence links",
};
