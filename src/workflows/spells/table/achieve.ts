import type { Row } from "../../../engine/workflow.ts";

const DRAFTING = ["ACHIEVE_TASK_DRAFTING"];
const EXECUTED = ["ACHIEVE_TASK_EXECUTED"];
const COMPLETE = ["ACHIEVE_COMPLETE"];
const ALL = [...DRAFTING, ...EXECUTED, ...COMPLETE];

/** Working on tasks until every criterion is met. */
export const ACHIEVE_ROWS: readonly Row[] = [
  {
    id: "A1",
    from: DRAFTING,
    on: "accio",
    when: [{ plan: ["present"], criteria: ["none", "open"], task: ["present"] }],
    to: "ACHIEVE_TASK_EXECUTED",
    outcome: "moved",
    reply: "A1",
  },
  {
    id: "A1b",
    from: DRAFTING,
    on: "accio",
    when: [{ plan: ["present"], criteria: ["none", "open"], task: ["missing"] }],
    to: "ERROR_TASK_MISSING",
    outcome: "moved",
    reply: "A1b",
  },
  {
    id: "A2",
    from: EXECUTED,
    on: "accio",
    when: [{ plan: ["present"], task: ["present"], results: ["present"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    outcome: "moved",
    reply: "A2",
  },
  {
    id: "A2b",
    from: EXECUTED,
    on: "accio",
    when: [{ plan: ["present"], results: ["missing"] }],
    to: "ERROR_TASK_RESULTS_MISSING",
    outcome: "moved",
    reply: "A2b",
  },
  {
    id: "A3",
    from: DRAFTING,
    on: "accio",
    when: [{ plan: ["present"], criteria: ["all-checked"] }],
    to: "ACHIEVE_COMPLETE",
    outcome: "moved",
    reply: "A3",
  },
  { id: "A4", from: COMPLETE, on: "accio", to: "same", outcome: "no-effect", reply: "A4" },
  {
    id: "H3",
    from: EXECUTED,
    on: "accio",
    when: [{ plan: ["present"], task: ["missing"], results: ["present"] }],
    to: "ACHIEVE_TASK_DRAFTING",
    outcome: "moved",
    reply: "H3",
  },
  { id: "AB1", from: EXECUTED, on: "finite", to: "same", outcome: "blocked", reply: "AB1" },
  { id: "AB2", from: ALL, on: "reverto", to: "same", outcome: "blocked", reply: "AB2" },
  { id: "AB3", from: ALL, on: "expecto", to: "same", outcome: "blocked", reply: "AB3" },
  {
    id: "F1",
    from: ["ACHIEVE_TASK_DRAFTING", "ERROR_COMMENTS_MISSING_G", "ERROR_COMMENTS_MISSING_A"],
    on: "finite",
    to: "GATHER_EDITING",
    set: { reparo_origin: null },
    outcome: "moved",
    reply: "F1",
  },
  { id: "F2", from: COMPLETE, on: "finite", to: "GATHER_EDITING", outcome: "moved", reply: "F2" },
];
