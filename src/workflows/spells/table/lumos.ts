import type { Rule } from "../../../engine/workflow.ts";

const LOOKS: Readonly<Record<string, string>> = {
  L2: "GATHER_EDITING",
  L3: "ACHIEVE_TASK_DRAFTING",
  L4: "ACHIEVE_TASK_EXECUTED",
  L5: "ACHIEVE_COMPLETE",
  L6: "PR_GATHERING_COMMENTS_G",
  L7: "PR_GATHERING_COMMENTS_A",
  L8: "PR_REVIEW_TASK_DRAFT_G",
  L9: "PR_REVIEW_TASK_DRAFT_A",
  L10: "PR_APPLIED_PENDING_ARCHIVE_G",
  L11: "PR_APPLIED_PENDING_ARCHIVE_A",
  L12: "PR_CONFIRM_RESTART_COMMENTS_G",
  L13: "PR_CONFIRM_RESTART_COMMENTS_A",
  L14: "PR_CONFIRM_RESTART_TASK_G",
  L15: "PR_CONFIRM_RESTART_TASK_A",
  L16: "ERROR_TASK_MISSING",
  L17: "ERROR_TASK_RESULTS_MISSING",
  L18: "ERROR_PLAN_MISSING",
  L19: "ERROR_COMMENTS_MISSING_G",
  L20: "ERROR_REVIEW_TASK_MISSING_G",
  L21: "ERROR_REVIEW_TASK_RESULTS_MISSING_G",
  L22: "GATHER_NEEDS_CONTEXT",
  L23: "GATHER_EDITING_CONTEXT",
  L24: "ERROR_CONTEXT_MISSING",
  H12: "ERROR_COMMENTS_MISSING_A",
  H13: "ERROR_REVIEW_TASK_MISSING_A",
  H14: "ERROR_REVIEW_TASK_RESULTS_MISSING_A",
};

/** Lumos: one rule that shows the state, for each state. */
export const lookRows = (): readonly Rule[] =>
  Object.entries(LOOKS).map(([id, state]) => ({
    id,
    from: [state],
    on: "lumos",
    to: "same",
    outcome: "shown",
    reply: id,
  }));
