import type { Rule } from "../../../engine/workflow.ts";
import { blocks, idles, moves } from "./rule.ts";

const CONTEXT = ["GATHER_EDITING_CONTEXT"];
const PLAN = ["GATHER_EDITING"];

/** Gathering context and editing the plan. */
export const gatherRows = (): readonly Rule[] => [
  moves("GC1", "GATHER_NEEDS_CONTEXT", "accio", "GATHER_EDITING_CONTEXT"),
  moves("GC2a", CONTEXT, "accio", "GATHER_EDITING", {
    context: "present",
    context_urls: ["all-processed", "some-unprocessed"],
  }),
  moves("GC2b", CONTEXT, "accio", "GATHER_EDITING", { context: "present", context_urls: "none" }),
  moves("GC2c", CONTEXT, "accio", "ERROR_CONTEXT_MISSING", { context: "missing" }),
  moves("G2", PLAN, "accio", "ACHIEVE_TASK_DRAFTING", { plan: "present", criteria: "open", task: "missing" }),
  moves(
    "G2b",
    ["GATHER_EDITING", "ACHIEVE_TASK_DRAFTING", "ACHIEVE_TASK_EXECUTED"],
    "accio",
    "ERROR_PLAN_MISSING",
    { plan: "missing" },
  ),
  idles("G3", PLAN, "accio", [
    { plan: "present", criteria: "none" },
    { plan: "present", criteria: "all-checked", task: "missing" },
  ]),
  moves("G4", PLAN, "accio", "ACHIEVE_TASK_DRAFTING", {
    plan: "present",
    criteria: ["open", "all-checked"],
    task: "present",
  }),
  moves(
    "G5",
    PLAN,
    "reparo",
    "PR_GATHERING_COMMENTS_G",
    { comments: "missing", review_task: "missing" },
    "GATHER_EDITING",
  ),
  blocks("GCB1", ["GATHER_NEEDS_CONTEXT", "GATHER_EDITING_CONTEXT"], "reverto"),
  blocks("GCB2", "GATHER_NEEDS_CONTEXT", "expecto"),
  blocks("GCB3", "GATHER_NEEDS_CONTEXT", "reparo"),
  blocks("GCB4", CONTEXT, "reparo"),
  idles("GCN1", CONTEXT, "finite"),
  blocks("GB1", PLAN, "reverto"),
  idles("GN1", PLAN, "finite"),
  blocks("F4", "GATHER_NEEDS_CONTEXT", "finite"),
  moves("E1b", CONTEXT, "expecto", "same", { context: "present", context_urls: "some-unprocessed" }),
  moves("E2", PLAN, "expecto", "same", { plan: "present", plan_urls: "some-unprocessed" }),
  idles("E3", CONTEXT, "expecto", { context: "present", context_urls: "none" }),
  idles("E3b", PLAN, "expecto", { plan: "present", plan_urls: "none" }),
  idles("E4", CONTEXT, "expecto", { context: "present", context_urls: "all-processed" }),
  idles("E4b", PLAN, "expecto", { plan: "present", plan_urls: "all-processed" }),
  moves("H1", CONTEXT, "expecto", "ERROR_CONTEXT_MISSING", { context: "missing" }),
  moves("H2", PLAN, "expecto", "ERROR_PLAN_MISSING", { plan: "missing" }),
];
