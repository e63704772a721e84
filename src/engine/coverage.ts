/**
 * Whether exactly one rule applies in every combination of a state and event. The combinations form a tree,
 * one fact a level; a branch whose remaining facts no living box mentions is judged as a whole, so that the
 * cost follows the rules and not the product of the values.
 */
import { factOf, pairOf, valuesOf } from "./lookup.ts";
import type { Box, Facts, FactValue, Rule, Workflow } from "./workflow.ts";

export interface Coverage {
  /** The combinations of the projection: all combinations of the inputs that the rules mention. */
  readonly combinations: number;
  /** The combinations in which no rule or several apply, by the rules that do. */
  readonly faults: readonly CoverageFault[];
  /** The budget ran out before all combinations were judged. */
  readonly cut: boolean;
}

export interface CoverageFault {
  readonly rules: readonly Rule[];
  /** An example. */
  readonly combination: Facts;
  /** The number of combinations with the fault. */
  readonly combinations: number;
}

/** How many branches may still be visited; shared by the pairs of one check. */
export interface Budget {
  left: number;
}

interface Candidate {
  readonly rule: Rule;
  readonly box: Box;
}

/** Judges the combinations of one state and event for a run with these variables. */
export function coverageOf(
  workflow: Workflow,
  state: string,
  event: string,
  variables: Facts,
  budget: Budget,
): Coverage {
  const pair = pairOf(workflow, state, event);
  const levels = pair.inputs.map((name) => ({ name, values: valuesOf(workflow, name) }));
  const combinations = levels.reduce((product, { values }) => product * values.length, 1);
  const faults = new Map<string, { rules: Rule[]; combination: Facts; combinations: number }>();
  const combination: Record<string, FactValue> = {};
  for (const name of pair.variables) combination[name] = variables[name] ?? null;
  for (const { name, values } of levels) combination[name] = values[0] ?? null;

  const judge = (living: readonly Candidate[], weight: number) => {
    const rules = [...new Set(living.map(({ rule }) => rule))];
    if (rules.length === 1) return;
    const key = rules.map((rule) => pair.rules.indexOf(rule)).join();
    const fault = faults.get(key) ?? { rules, combination: { ...combination }, combinations: 0 };
    faults.set(key, fault);
    fault.combinations += weight;
  };
  /** `weight`: the number of combinations in the branch. */
  const visit = (living: readonly Candidate[], depth: number, weight: number) => {
    if (budget.left-- <= 0) return;
    const next = levels.findIndex(({ name }, level) => level >= depth && mentions(living, name));
    const level = levels[next];
    if (level === undefined) {
      judge(living, weight);
      return;
    }
    for (const value of level.values) {
      combination[level.name] = value;
      const still = living.filter(({ box }) => allows(box, level.name, value));
      visit(still, next + 1, weight / level.values.length);
    }
  };

  const living = pair.rules
    .flatMap((rule) => (rule.when ?? [{}]).map((box) => ({ rule, box })))
    .filter(({ box }) => isPossible(workflow, box, pair.variables, variables));
  if (combinations > 0) visit(living, 0, combinations);
  return { combinations, faults: [...faults.values()], cut: budget.left < 0 };
}

function mentions(living: readonly Candidate[], name: string): boolean {
  return living.some(({ box }) => Object.hasOwn(box, name));
}

function allows(box: Box, name: string, value: FactValue): boolean {
  return !Object.hasOwn(box, name) || (box[name] ?? []).includes(value);
}

/** Whether the box holds for the variables, and names only existing facts. */
function isPossible(
  workflow: Workflow,
  box: Box,
  variableNames: readonly string[],
  variables: Facts,
): boolean {
  if (Object.keys(box).some((name) => factOf(workflow, name) === undefined)) return false;
  return variableNames.every((name) => allows(box, name, variables[name] ?? null));
}
