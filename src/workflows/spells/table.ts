import { readOnce } from "../../core/once.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { EVENTS } from "./events.ts";
import { FACTS } from "./facts-space.ts";
import { STATES } from "./states.ts";
import { achieveRows } from "./table/achieve.ts";
import { errorRows } from "./table/errors.ts";
import { gatherRows } from "./table/gather.ts";
import { lookRows } from "./table/lumos.ts";
import { reviewRows } from "./table/review.ts";

/** Lazy: most commands send no event, so they need no rules. */
const rules = readOnce(() => [
  ...gatherRows(),
  ...achieveRows(),
  ...reviewRows(),
  ...errorRows(),
  ...lookRows(),
]);

/**
 * Where rows of the source contradict each other, in this order: a missing prerequisite is reported first
 * (context, plan, task, results); a row that names a state beats a general one; the more advanced file wins;
 * completion beats execution if there is a criterion and every one is checked. Rows H1 … decide what the
 * source leaves open.
 */
export const SPELLS_WORKFLOW: Workflow = {
  name: "spells",
  title: "Spells",
  states: STATES,
  initial: "GATHER_NEEDS_CONTEXT",
  events: EVENTS,
  facts: FACTS,
  get rules() {
    return rules();
  },
  goals: ["GATHER_EDITING", "ACHIEVE_COMPLETE"],
};
