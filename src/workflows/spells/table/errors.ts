import type { Row } from "../../../engine/workflow.ts";
import { alike, both } from "../states.ts";

const TASK = ["ERROR_TASK_MISSING", "ERROR_TASK_RESULTS_MISSING"];
const PLAN = ["ERROR_PLAN_MISSING"];
const CONTEXT = ["ERROR_CONTEXT_MISSING"];
const COMMENTS = both("ERROR_COMMENTS_MISSING");
const REVIEW_TASK = both("ERROR_REVIEW_TASK_MISSING");
const REVIEW_RESULTS = both("ERROR_REVIEW_TASK_RESULTS_MISSING");

/** Accio mends what is missing. */
const RECOVERY: readonly Row[] = [
  {
    id: "R1",
    from: ["ERROR_TASK_MISSING"],
    on: "accio",
    to: "ACHIEVE_TASK_DRAFTING",
    outcome: "moved",
    reply: "R1",
  },
  {
    id: "R2",
    from: ["ERROR_TASK_RESULTS_MISSING"],
    on: "accio",
    when: [{ results: ["present"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    outcome: "moved",
    reply: "R2",
  },
  {
    id: "R3",
    from: ["ERROR_TASK_RESULTS_MISSING"],
    on: "accio",
    when: [{ results: ["missing"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    outcome: "moved",
    reply: "R3",
  },
  { id: "R4", from: PLAN, on: "accio", to: "GATHER_NEEDS_CONTEXT", outcome: "moved", reply: "R4" },
  {
    id: "R5a",
    from: ["ERROR_COMMENTS_MISSING_G"],
    on: "accio",
    to: "PR_GATHERING_COMMENTS_G",
    outcome: "moved",
    reply: "R5a",
  },
  {
    id: "R5b",
    from: ["ERROR_COMMENTS_MISSING_A"],
    on: "accio",
    to: "PR_GATHERING_COMMENTS_A",
    outcome: "moved",
    reply: "R5b",
  },
  {
    id: "R6a",
    from: REVIEW_TASK,
    on: "accio",
    when: [{ comments: ["present"] }],
    to: alike(REVIEW_TASK, "PR_REVIEW_TASK_DRAFT"),
    outcome: "moved",
    reply: "R6a",
  },
  {
    id: "R7a",
    from: REVIEW_TASK,
    on: "accio",
    when: [{ comments: ["missing"] }],
    to: alike(REVIEW_TASK, "ERROR_COMMENTS_MISSING"),
    outcome: "moved",
    reply: "R7a",
  },
  {
    id: "R8a",
    from: REVIEW_RESULTS,
    on: "accio",
    when: [{ review_task: ["present"] }],
    to: alike(REVIEW_RESULTS, "PR_REVIEW_TASK_DRAFT"),
    outcome: "moved",
    reply: "R8a",
  },
  {
    id: "H11",
    from: REVIEW_RESULTS,
    on: "accio",
    when: [{ review_task: ["missing"] }],
    to: alike(REVIEW_RESULTS, "ERROR_REVIEW_TASK_MISSING"),
    outcome: "moved",
    reply: "H11",
  },
  {
    id: "R9",
    from: CONTEXT,
    on: "accio",
    to: "GATHER_EDITING_CONTEXT",
    outcome: "moved",
    reply: "R9",
  },
];

const BLOCKED: readonly Row[] = [
  { id: "ER1", from: PLAN, on: "finite", to: "same", outcome: "blocked", reply: "ER1" },
  {
    id: "ER2",
    from: [...REVIEW_TASK, ...REVIEW_RESULTS],
    on: "finite",
    to: "same",
    outcome: "blocked",
    reply: "ER2",
  },
  {
    id: "ER3a",
    from: [...PLAN, ...REVIEW_RESULTS],
    on: "reparo",
    to: "same",
    outcome: "blocked",
    reply: "ER3a",
  },
  {
    id: "ER4",
    from: [...TASK, ...PLAN, ...REVIEW_TASK, ...REVIEW_RESULTS],
    on: "reverto",
    to: "same",
    outcome: "blocked",
    reply: "ER4",
  },
  { id: "ER5", from: TASK, on: "finite", to: "same", outcome: "blocked", reply: "ER5" },
  {
    id: "ER6",
    from: [...TASK, ...COMMENTS],
    on: "expecto",
    to: "same",
    outcome: "blocked",
    reply: "ER6",
  },
  { id: "ER7a", from: PLAN, on: "expecto", to: "same", outcome: "blocked", reply: "ER7a" },
  {
    id: "ER8",
    from: [...REVIEW_TASK, ...REVIEW_RESULTS],
    on: "expecto",
    to: "same",
    outcome: "blocked",
    reply: "ER8",
  },
  { id: "ER9", from: CONTEXT, on: "finite", to: "same", outcome: "blocked", reply: "ER9" },
  { id: "ER10", from: CONTEXT, on: "reparo", to: "same", outcome: "blocked", reply: "ER10" },
  { id: "ER11", from: CONTEXT, on: "reverto", to: "same", outcome: "blocked", reply: "ER11" },
  { id: "ER12", from: CONTEXT, on: "expecto", to: "same", outcome: "blocked", reply: "ER12" },
];

/** What to do where a file that the state needs is missing. */
export const ERROR_ROWS: readonly Row[] = [...RECOVERY, ...BLOCKED];
