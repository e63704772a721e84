import type { Rule } from "../../../engine/workflow.ts";
import { blocks, idles, moves } from "./rule.ts";

const DRAFTING = ["ACHIEVE_TASK_DRAFTING"];
const EXECUTED = ["ACHIEVE_TASK_EXECUTED"];
const COMPLETE = ["ACHIEVE_COMPLETE"];
const ALL = [...DRAFTING, ...EXECUTED, ...COMPLETE];

/** Working on tasks until every criterion is met. */
export const achieveRows = (): readonly Rule[] => [
  moves("A1", DRAFTING, "accio", "ACHIEVE_TASK_EXECUTED", {
    plan: "present",
    criteria: ["none", "open"],
    task: "present",
  }),
  moves("A1b", DRAFTING, "accio", "ERROR_TASK_MISSING", {
    plan: "present",
    criteria: ["none", "open"],
    task: "missing",
  }),
  moves("A2", EXECUTED, "accio", "ACHIEVE_TASK_DRAFTING", {
    plan: "present",
    task: "present",
    results: "present",
  }),
  moves("A2b", EXECUTED, "accio", "ERROR_TASK_RESULTS_MISSING", { plan: "present", results: "missing" }),
  moves("A3", DRAFTING, "accio", "ACHIEVE_COMPLETE", { plan: "present", criteria: "all-checked" }),
  idles("A4", COMPLETE, "accio"),
  moves("H3", EXECUTED, "accio", "ACHIEVE_TASK_DRAFTING", {
    plan: "present",
    task: "missing",
    results: "present",
  }),
  blocks("AB1", EXECUTED, "finite"),
  blocks("AB2", ALL, "reverto"),
  blocks("AB3", ALL, "expecto"),
  moves(
    "F1",
    ["ACHIEVE_TASK_DRAFTING", "ERROR_COMMENTS_MISSING_G", "ERROR_COMMENTS_MISSING_A"],
    "finite",
    "GATHER_EDITING",
    {},
    null,
  ),
  moves("F2", COMPLETE, "finite", "GATHER_EDITING"),
];
