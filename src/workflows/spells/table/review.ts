import type { Row } from "../../../engine/workflow.ts";
import { REPARO_ORIGINS } from "../facts-space.ts";
import { alike, both } from "../states.ts";

const COMMENTS = both("PR_GATHERING_COMMENTS");
const DRAFT = both("PR_REVIEW_TASK_DRAFT");
const APPLIED = both("PR_APPLIED_PENDING_ARCHIVE");
const CONFIRM_COMMENTS = both("PR_CONFIRM_RESTART_COMMENTS");
const CONFIRM_TASK = both("PR_CONFIRM_RESTART_TASK");
const CONFIRM = [...CONFIRM_COMMENTS, ...CONFIRM_TASK];
const ACHIEVE = ["ACHIEVE_TASK_DRAFTING", "ACHIEVE_TASK_EXECUTED", "ACHIEVE_COMPLETE"];
const TASK_ERRORS = ["ERROR_TASK_MISSING", "ERROR_TASK_RESULTS_MISSING"];
const REVIEW_ERRORS = both("ERROR_COMMENTS_MISSING", "ERROR_REVIEW_TASK_MISSING");

/** The states that Reverto leaves, by suffix. */
const inReview = (suffix: "G" | "A") =>
  [
    "PR_GATHERING_COMMENTS",
    "PR_REVIEW_TASK_DRAFT",
    "PR_CONFIRM_RESTART_COMMENTS",
    "PR_CONFIRM_RESTART_TASK",
    "ERROR_COMMENTS_MISSING",
  ].map((name) => `${name}_${suffix}`);

const itself = (states: readonly string[]) => ({
  of: Object.fromEntries(states.map((state) => [state, state])),
});

const NO_REVIEW = [{ comments: ["missing"], review_task: ["missing"] }];
const COMMENTS_ONLY = [{ comments: ["present"], review_task: ["missing"] }];
const REVIEW_TASK = [{ review_task: ["present"] }];

/** Without task.md: the worlds in which the origin ACHIEVE_COMPLETE does not hold any more, or was another. */
const notComplete = (results: "present" | "missing") => [
  {
    task: ["missing"],
    results: [results],
    reparo_origin: [null, ...REPARO_ORIGINS.filter((origin) => origin !== "ACHIEVE_COMPLETE")],
  },
  {
    task: ["missing"],
    results: [results],
    reparo_origin: ["ACHIEVE_COMPLETE"],
    criteria: ["none", "open"],
  },
];

/** From collecting the comments to archiving the review. */
const FLOW: readonly Row[] = [
  {
    id: "P1",
    from: COMMENTS,
    on: "accio",
    when: [{ comments: ["present"] }],
    to: alike(COMMENTS, "PR_REVIEW_TASK_DRAFT"),
    outcome: "moved",
    reply: "P1",
  },
  {
    id: "P1b",
    from: COMMENTS,
    on: "accio",
    when: [{ comments: ["missing"] }],
    to: alike(COMMENTS, "ERROR_COMMENTS_MISSING"),
    outcome: "moved",
    reply: "P1b",
  },
  {
    id: "P2",
    from: DRAFT,
    on: "accio",
    when: [{ review_task: ["present"] }],
    to: alike(DRAFT, "PR_APPLIED_PENDING_ARCHIVE"),
    outcome: "moved",
    reply: "P2",
  },
  {
    id: "P2b",
    from: DRAFT,
    on: "accio",
    when: [{ review_task: ["missing"] }],
    to: alike(DRAFT, "ERROR_REVIEW_TASK_MISSING"),
    outcome: "moved",
    reply: "P2b",
  },
  {
    id: "P3",
    from: ["PR_APPLIED_PENDING_ARCHIVE_G"],
    on: "accio",
    when: [{ review_results: ["present"] }],
    to: "GATHER_EDITING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "P3",
  },
  {
    id: "P3b",
    from: APPLIED,
    on: "accio",
    when: [{ review_results: ["missing"] }],
    to: alike(APPLIED, "ERROR_REVIEW_TASK_RESULTS_MISSING"),
    outcome: "moved",
    reply: "P3b",
  },
  {
    id: "P4a",
    from: ["PR_APPLIED_PENDING_ARCHIVE_A"],
    on: "accio",
    when: [{ review_results: ["present"], task: ["present"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "P4a",
  },
  {
    id: "P4b",
    from: ["PR_APPLIED_PENDING_ARCHIVE_A"],
    on: "accio",
    when: [{ review_results: ["present"], task: ["missing"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "P4b",
  },
];

/** Starting a review, starting it over, and fetching what is still missing. */
const REPARO: readonly Row[] = [
  {
    id: "A5a",
    from: [...ACHIEVE, ...TASK_ERRORS],
    on: "reparo",
    when: NO_REVIEW,
    to: "PR_GATHERING_COMMENTS_A",
    set: { reparo_origin: itself([...ACHIEVE, ...TASK_ERRORS]) },
    outcome: "moved",
    reply: "A5a",
  },
  {
    id: "A5b",
    from: REVIEW_ERRORS,
    on: "reparo",
    when: NO_REVIEW,
    to: alike(REVIEW_ERRORS, "PR_GATHERING_COMMENTS"),
    outcome: "moved",
    reply: "A5b",
  },
  {
    id: "PR1",
    from: ["GATHER_EDITING"],
    on: "reparo",
    when: COMMENTS_ONLY,
    to: "PR_CONFIRM_RESTART_COMMENTS_G",
    set: { reparo_origin: "GATHER_EDITING" },
    outcome: "moved",
    reply: "PR1",
  },
  {
    id: "PR2",
    from: ACHIEVE,
    on: "reparo",
    when: COMMENTS_ONLY,
    to: "PR_CONFIRM_RESTART_COMMENTS_A",
    set: { reparo_origin: itself(ACHIEVE) },
    outcome: "moved",
    reply: "PR2",
  },
  {
    id: "PR3",
    from: ["GATHER_EDITING"],
    on: "reparo",
    when: REVIEW_TASK,
    to: "PR_CONFIRM_RESTART_TASK_G",
    set: { reparo_origin: "GATHER_EDITING" },
    outcome: "moved",
    reply: "PR3",
  },
  {
    id: "PR4",
    from: ACHIEVE,
    on: "reparo",
    when: REVIEW_TASK,
    to: "PR_CONFIRM_RESTART_TASK_A",
    set: { reparo_origin: itself(ACHIEVE) },
    outcome: "moved",
    reply: "PR4",
  },
  {
    id: "H7",
    from: TASK_ERRORS,
    on: "reparo",
    when: COMMENTS_ONLY,
    to: "PR_CONFIRM_RESTART_COMMENTS_A",
    set: { reparo_origin: itself(TASK_ERRORS) },
    outcome: "moved",
    reply: "H7",
  },
  {
    id: "H8",
    from: TASK_ERRORS,
    on: "reparo",
    when: REVIEW_TASK,
    to: "PR_CONFIRM_RESTART_TASK_A",
    set: { reparo_origin: itself(TASK_ERRORS) },
    outcome: "moved",
    reply: "H8",
  },
  {
    id: "H9",
    from: REVIEW_ERRORS,
    on: "reparo",
    when: COMMENTS_ONLY,
    to: alike(REVIEW_ERRORS, "PR_CONFIRM_RESTART_COMMENTS"),
    outcome: "moved",
    reply: "H9",
  },
  {
    id: "H10",
    from: REVIEW_ERRORS,
    on: "reparo",
    when: REVIEW_TASK,
    to: alike(REVIEW_ERRORS, "PR_CONFIRM_RESTART_TASK"),
    outcome: "moved",
    reply: "H10",
  },
  {
    id: "H15",
    from: COMMENTS,
    on: "reparo",
    when: [{ comments_fetch: ["incomplete"] }],
    to: "same",
    outcome: "moved",
    reply: "H15",
  },
];

/** Answers to "start the review over?". */
const CONFIRMATION: readonly Row[] = [
  {
    id: "C1",
    from: CONFIRM_COMMENTS,
    on: "reparo",
    to: alike(CONFIRM_COMMENTS, "PR_GATHERING_COMMENTS"),
    outcome: "moved",
    reply: "C1",
  },
  {
    id: "C2",
    from: CONFIRM_TASK,
    on: "reparo",
    to: alike(CONFIRM_TASK, "PR_GATHERING_COMMENTS"),
    outcome: "moved",
    reply: "C2",
  },
  {
    id: "C3a",
    from: CONFIRM_COMMENTS,
    on: "accio",
    when: [{ comments: ["present"] }],
    to: alike(CONFIRM_COMMENTS, "PR_GATHERING_COMMENTS"),
    outcome: "moved",
    reply: "C3a",
  },
  {
    id: "C3b",
    from: CONFIRM_COMMENTS,
    on: "accio",
    when: [{ comments: ["missing"] }],
    to: alike(CONFIRM_COMMENTS, "ERROR_COMMENTS_MISSING"),
    outcome: "moved",
    reply: "C3b",
  },
  {
    id: "C3c",
    from: CONFIRM_TASK,
    on: "accio",
    when: [{ review_task: ["present"] }],
    to: alike(CONFIRM_TASK, "PR_REVIEW_TASK_DRAFT"),
    outcome: "moved",
    reply: "C3c",
  },
  {
    id: "C3d",
    from: CONFIRM_TASK,
    on: "accio",
    when: [{ review_task: ["missing"] }],
    to: alike(CONFIRM_TASK, "ERROR_REVIEW_TASK_MISSING"),
    outcome: "moved",
    reply: "C3d",
  },
];

/** Leaving the review. Without task.md the files decide where to, beginning with the state it was started in. */
const REVERTO: readonly Row[] = [
  {
    id: "V1",
    from: inReview("G"),
    on: "reverto",
    to: "GATHER_EDITING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "V1",
  },
  {
    id: "V2a",
    from: inReview("A"),
    on: "reverto",
    when: [{ task: ["present"], results: ["missing"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "V2a",
  },
  {
    id: "V2b",
    from: inReview("A"),
    on: "reverto",
    when: [{ task: ["present"], results: ["present"] }],
    to: "ACHIEVE_TASK_EXECUTED",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "V2b",
  },
  {
    id: "H4",
    from: inReview("A"),
    on: "reverto",
    when: [{ task: ["missing"], reparo_origin: ["ACHIEVE_COMPLETE"], criteria: ["all-checked"] }],
    to: "ACHIEVE_COMPLETE",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "H4",
  },
  {
    id: "H5",
    from: inReview("A"),
    on: "reverto",
    when: notComplete("present"),
    to: "ACHIEVE_TASK_EXECUTED",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "H5",
  },
  {
    id: "H6",
    from: inReview("A"),
    on: "reverto",
    when: notComplete("missing"),
    to: "ERROR_TASK_MISSING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "H6",
  },
];

const BLOCKED: readonly Row[] = [
  { id: "PB1", from: APPLIED, on: "reverto", to: "same", outcome: "blocked", reply: "PB1" },
  { id: "PB2", from: COMMENTS, on: "expecto", to: "same", outcome: "blocked", reply: "PB2" },
  { id: "PB2b", from: DRAFT, on: "expecto", to: "same", outcome: "blocked", reply: "PB2b" },
  { id: "PB2d", from: APPLIED, on: "expecto", to: "same", outcome: "blocked", reply: "PB2d" },
  {
    id: "PB3",
    from: [...COMMENTS, ...DRAFT],
    on: "finite",
    to: "same",
    outcome: "blocked",
    reply: "PB3",
  },
  {
    id: "PB4",
    from: [...COMMENTS, ...DRAFT],
    on: "reparo",
    when: [{ comments_fetch: ["complete"] }],
    to: "same",
    outcome: "blocked",
    reply: "PB4",
  },
  {
    id: "H16",
    from: DRAFT,
    on: "reparo",
    when: [{ comments_fetch: ["incomplete"] }],
    to: "same",
    outcome: "blocked",
    reply: "H16",
  },
  { id: "PB5", from: CONFIRM, on: "finite", to: "same", outcome: "blocked", reply: "PB5" },
  { id: "PB6", from: CONFIRM, on: "expecto", to: "same", outcome: "blocked", reply: "PB6" },
  { id: "F3", from: APPLIED, on: "finite", to: "same", outcome: "blocked", reply: "F3" },
  { id: "ER3b", from: APPLIED, on: "reparo", to: "same", outcome: "blocked", reply: "ER3b" },
];

/** The review of a pull request. */
export const REVIEW_ROWS: readonly Row[] = [...FLOW, ...REPARO, ...CONFIRMATION, ...REVERTO, ...BLOCKED];
