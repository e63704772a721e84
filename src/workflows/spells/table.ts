import type { Workflow } from "../../engine/workflow.ts";
import { EVENTS } from "./events.ts";
import { FACTS } from "./facts-space.ts";
import { STATES } from "./states.ts";
import { ACHIEVE_ROWS } from "./table/achieve.ts";
import { ERROR_ROWS } from "./table/errors.ts";
import { GATHER_ROWS } from "./table/gather.ts";
import { LOOK_ROWS } from "./table/looks.ts";
import { REVIEW_ROWS } from "./table/review.ts";

/**
 * Where rows of the source contradict each other, in this order: a missing prerequisite is reported first (context,
 * plan, task, results); a row that names a state beats a general one; the more advanced file wins; completion beats
 * execution when there is a criterion and every one is checked. Rows H1 … answer what the source leaves open.
 */
export const SPELLS_WORKFLOW: Workflow = {
  name: "spells",
  title: "Spells",
  states: STATES,
  initial: "GATHER_NEEDS_CONTEXT",
  events: EVENTS,
  facts: FACTS,
  rules: [...GATHER_ROWS, ...ACHIEVE_ROWS, ...REVIEW_ROWS, ...ERROR_ROWS, ...LOOK_ROWS],
  goals: ["GATHER_EDITING", "ACHIEVE_COMPLETE"],
};
