import type { Rule } from "../../../engine/workflow.ts";
import { REPARO_ORIGINS } from "../facts-space.ts";
import { both } from "../states.ts";
import { blocks, moves } from "./rule.ts";

const COMMENTS = both("PR_GATHERING_COMMENTS");
const DRAFT = both("PR_REVIEW_TASK_DRAFT");
const APPLIED = both("PR_APPLIED_PENDING_ARCHIVE");
const CONFIRM_COMMENTS = both("PR_CONFIRM_RESTART_COMMENTS");
const CONFIRM_TASK = both("PR_CONFIRM_RESTART_TASK");
const CONFIRM = [...CONFIRM_COMMENTS, ...CONFIRM_TASK];
const ACHIEVE = ["ACHIEVE_TASK_DRAFTING", "ACHIEVE_TASK_EXECUTED", "ACHIEVE_COMPLETE"];
const TASK_ERRORS = ["ERROR_TASK_MISSING", "ERROR_TASK_RESULTS_MISSING"];
const ACHIEVING = [...ACHIEVE, ...TASK_ERRORS];
const REVIEW_ERRORS = both("ERROR_COMMENTS_MISSING", "ERROR_REVIEW_TASK_MISSING");

/** The states that Reverto leaves. */
const IN_REVIEW = [
  "PR_GATHERING_COMMENTS",
  "PR_REVIEW_TASK_DRAFT",
  "PR_CONFIRM_RESTART_COMMENTS",
  "PR_CONFIRM_RESTART_TASK",
  "ERROR_COMMENTS_MISSING",
];
const FROM_PLAN = IN_REVIEW.map((name) => `${name}_G`);
const FROM_TASK = IN_REVIEW.map((name) => `${name}_A`);

const itself = (states: readonly string[]) => ({
  of: Object.fromEntries(states.map((state) => [state, state])),
});

const NO_REVIEW = { comments: "missing", review_task: "missing" };
const COMMENTS_ONLY = { comments: "present", review_task: "missing" };
const REVIEW_TASK = { review_task: "present" };
const TASK_HERE = { review_results: "present", task: "present" };
const TASK_MISSING = { review_results: "present", task: "missing" };
const DONE_A = "PR_APPLIED_PENDING_ARCHIVE_A";
/** The value of the origin after the review. */
const LEFT = null;

/** The combinations in which the origin is not ACHIEVE_COMPLETE, or that no longer applies. */
const OTHERS = [null, ...REPARO_ORIGINS.filter((origin) => origin !== "ACHIEVE_COMPLETE")];
const notComplete = (task: "present" | "missing", results: "present" | "missing") => [
  { task, results, reparo_origin: OTHERS },
  { task, results, reparo_origin: "ACHIEVE_COMPLETE", criteria: ["none", "open"] },
];
/** When the work becomes complete, the task that is prepared after each archive exists, too. */
const COMPLETE = { reparo_origin: "ACHIEVE_COMPLETE", criteria: "all-checked" };

/** From collecting the comments to archiving the review. */
const flow = (): readonly Rule[] => [
  moves("P1", COMMENTS, "accio", "PR_REVIEW_TASK_DRAFT_*", { comments: "present" }),
  moves("P1b", COMMENTS, "accio", "ERROR_COMMENTS_MISSING_*", { comments: "missing" }),
  moves("P2", DRAFT, "accio", "PR_APPLIED_PENDING_ARCHIVE_*", { review_task: "present" }),
  moves("P2b", DRAFT, "accio", "ERROR_REVIEW_TASK_MISSING_*", { review_task: "missing" }),
  moves("P3", "PR_APPLIED_PENDING_ARCHIVE_G", "accio", "GATHER_EDITING", { review_results: "present" }, LEFT),
  moves("P3b", APPLIED, "accio", "ERROR_REVIEW_TASK_RESULTS_MISSING_*", { review_results: "missing" }),
  moves("P4a", DONE_A, "accio", "ACHIEVE_TASK_DRAFTING", TASK_HERE, LEFT),
  moves("P4b", DONE_A, "accio", "ACHIEVE_TASK_DRAFTING", TASK_MISSING, LEFT),
];

/** Starting a review, restarting it, and fetching what is still missing. */
const reparo = (): readonly Rule[] => [
  moves("A5a", ACHIEVING, "reparo", "PR_GATHERING_COMMENTS_A", NO_REVIEW, itself(ACHIEVING)),
  moves("A5b", REVIEW_ERRORS, "reparo", "PR_GATHERING_COMMENTS_*", NO_REVIEW),
  moves("PR1", "GATHER_EDITING", "reparo", "PR_CONFIRM_RESTART_COMMENTS_G", COMMENTS_ONLY, "GATHER_EDITING"),
  moves("PR2", ACHIEVE, "reparo", "PR_CONFIRM_RESTART_COMMENTS_A", COMMENTS_ONLY, itself(ACHIEVE)),
  moves("PR3", "GATHER_EDITING", "reparo", "PR_CONFIRM_RESTART_TASK_G", REVIEW_TASK, "GATHER_EDITING"),
  moves("PR4", ACHIEVE, "reparo", "PR_CONFIRM_RESTART_TASK_A", REVIEW_TASK, itself(ACHIEVE)),
  moves("H7", TASK_ERRORS, "reparo", "PR_CONFIRM_RESTART_COMMENTS_A", COMMENTS_ONLY, itself(TASK_ERRORS)),
  moves("H8", TASK_ERRORS, "reparo", "PR_CONFIRM_RESTART_TASK_A", REVIEW_TASK, itself(TASK_ERRORS)),
  moves("H9", REVIEW_ERRORS, "reparo", "PR_CONFIRM_RESTART_COMMENTS_*", COMMENTS_ONLY),
  moves("H10", REVIEW_ERRORS, "reparo", "PR_CONFIRM_RESTART_TASK_*", REVIEW_TASK),
  moves("H15", COMMENTS, "reparo", "same", { comments_fetch: "incomplete" }),
];

/** Answers to "start the review over?". */
const confirmation = (): readonly Rule[] => [
  moves("C1", CONFIRM_COMMENTS, "reparo", "PR_GATHERING_COMMENTS_*"),
  moves("C2", CONFIRM_TASK, "reparo", "PR_GATHERING_COMMENTS_*"),
  moves("C3a", CONFIRM_COMMENTS, "accio", "PR_GATHERING_COMMENTS_*", { comments: "present" }),
  moves("C3b", CONFIRM_COMMENTS, "accio", "ERROR_COMMENTS_MISSING_*", { comments: "missing" }),
  moves("C3c", CONFIRM_TASK, "accio", "PR_REVIEW_TASK_DRAFT_*", { review_task: "present" }),
  moves("C3d", CONFIRM_TASK, "accio", "ERROR_REVIEW_TASK_MISSING_*", { review_task: "missing" }),
];

/**
 * Leaving the review: back to the completed work if it started there and the plan is still complete; else the
 * files decide.
 */
const reverto = (): readonly Rule[] => [
  moves("V1", FROM_PLAN, "reverto", "GATHER_EDITING", {}, LEFT),
  moves("V2a", FROM_TASK, "reverto", "ACHIEVE_TASK_DRAFTING", notComplete("present", "missing"), LEFT),
  moves("V2b", FROM_TASK, "reverto", "ACHIEVE_TASK_EXECUTED", notComplete("present", "present"), LEFT),
  moves("H4", FROM_TASK, "reverto", "ACHIEVE_COMPLETE", COMPLETE, LEFT),
  moves("H5", FROM_TASK, "reverto", "ACHIEVE_TASK_EXECUTED", notComplete("missing", "present"), LEFT),
  moves("H6", FROM_TASK, "reverto", "ERROR_TASK_MISSING", notComplete("missing", "missing"), LEFT),
];

const blocked = (): readonly Rule[] => [
  blocks("PB1", APPLIED, "reverto"),
  blocks("PB2", COMMENTS, "expecto"),
  blocks("PB2b", DRAFT, "expecto"),
  blocks("PB2d", APPLIED, "expecto"),
  blocks("PB3", [...COMMENTS, ...DRAFT], "finite"),
  blocks("PB4", [...COMMENTS, ...DRAFT], "reparo", { comments_fetch: "complete" }),
  blocks("H16", DRAFT, "reparo", { comments_fetch: "incomplete" }),
  blocks("PB5", CONFIRM, "finite"),
  blocks("PB6", CONFIRM, "expecto"),
  blocks("F3", APPLIED, "finite"),
  blocks("ER3b", APPLIED, "reparo"),
];

/** The review of a pull request. */
export const reviewRows = (): readonly Rule[] => [
  ...flow(),
  ...reparo(),
  ...confirmation(),
  ...reverto(),
  ...blocked(),
];
