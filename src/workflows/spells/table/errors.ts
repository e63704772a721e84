import type { Rule } from "../../../engine/workflow.ts";
import { both } from "../states.ts";
import { blocks, moves } from "./rule.ts";

const TASK = ["ERROR_TASK_MISSING", "ERROR_TASK_RESULTS_MISSING"];
const PLAN = ["ERROR_PLAN_MISSING"];
const CONTEXT = ["ERROR_CONTEXT_MISSING"];
const COMMENTS = both("ERROR_COMMENTS_MISSING");
const REVIEW_TASK = both("ERROR_REVIEW_TASK_MISSING");
const REVIEW_RESULTS = both("ERROR_REVIEW_TASK_RESULTS_MISSING");

/** Accio restores what is missing. */
const recovery = (): readonly Rule[] => [
  moves("R1", "ERROR_TASK_MISSING", "accio", "ACHIEVE_TASK_DRAFTING"),
  moves("R2", "ERROR_TASK_RESULTS_MISSING", "accio", "ACHIEVE_TASK_DRAFTING", { results: "present" }),
  moves("R3", "ERROR_TASK_RESULTS_MISSING", "accio", "ACHIEVE_TASK_DRAFTING", { results: "missing" }),
  moves("R4", PLAN, "accio", "GATHER_NEEDS_CONTEXT"),
  moves("R5a", "ERROR_COMMENTS_MISSING_G", "accio", "PR_GATHERING_COMMENTS_G"),
  moves("R5b", "ERROR_COMMENTS_MISSING_A", "accio", "PR_GATHERING_COMMENTS_A"),
  moves("R6a", REVIEW_TASK, "accio", "PR_REVIEW_TASK_DRAFT_*", { comments: "present" }),
  moves("R7a", REVIEW_TASK, "accio", "ERROR_COMMENTS_MISSING_*", { comments: "missing" }),
  moves("R8a", REVIEW_RESULTS, "accio", "PR_REVIEW_TASK_DRAFT_*", { review_task: "present" }),
  moves("H11", REVIEW_RESULTS, "accio", "ERROR_REVIEW_TASK_MISSING_*", { review_task: "missing" }),
  moves("R9", CONTEXT, "accio", "GATHER_EDITING_CONTEXT"),
];

const blocked = (): readonly Rule[] => [
  blocks("ER1", PLAN, "finite"),
  blocks("ER2", [...REVIEW_TASK, ...REVIEW_RESULTS], "finite"),
  blocks("ER3a", [...PLAN, ...REVIEW_RESULTS], "reparo"),
  blocks("ER4", [...TASK, ...PLAN, ...REVIEW_TASK, ...REVIEW_RESULTS], "reverto"),
  blocks("ER5", TASK, "finite"),
  blocks("ER6", [...TASK, ...COMMENTS], "expecto"),
  blocks("ER7a", PLAN, "expecto"),
  blocks("ER8", [...REVIEW_TASK, ...REVIEW_RESULTS], "expecto"),
  blocks("ER9", CONTEXT, "finite"),
  blocks("ER10", CONTEXT, "reparo"),
  blocks("ER11", CONTEXT, "reverto"),
  blocks("ER12", CONTEXT, "expecto"),
];

/** The rules for states whose file is missing. */
export const errorRows = (): readonly Rule[] => [...recovery(), ...blocked()];
