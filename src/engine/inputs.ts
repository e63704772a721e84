/** The inputs that a decision needs, and those that can still make a difference once others are known. */
import { pairOf, valuesOf } from "./lookup.ts";
import type { Configuration, Facts, Rule, Workflow } from "./workflow.ts";

/** The inputs that the rules for the event mention in the run's state. */
export function neededFacts(workflow: Workflow, { state }: Configuration, event: string): readonly string[] {
  return pairOf(workflow, state, event).inputs;
}

/** Whether the fact's value can still make a difference, or the only remaining rule always needs it. */
export function canMatter(
  workflow: Workflow,
  configuration: Configuration,
  event: string,
  facts: Facts,
  name: string,
): boolean {
  const left = rulesLeft(workflow, configuration, event, facts);
  const [rule] = left;
  if (rule && left.length === 1) return asksAlways(rule, name);
  return left.some(({ when = [] }) => when.some((box) => Object.hasOwn(box, name)));
}

/** Whether each of the rule's combinations needs the fact. */
export function asksAlways({ when = [] }: Rule, name: string): boolean {
  return when.length > 0 && when.every((box) => Object.hasOwn(box, name));
}

/** The rules that may still apply: unknown facts can have any value. */
function rulesLeft(
  workflow: Workflow,
  { state, variables }: Configuration,
  event: string,
  facts: Facts,
): readonly Rule[] {
  const combination: Facts = { ...variables, ...facts };
  return pairOf(workflow, state, event).rules.filter(
    ({ when }) =>
      when === undefined ||
      when.some((box) =>
        Object.entries(box).every(([name, values]) => {
          const value = Object.hasOwn(combination, name) ? combination[name] : undefined;
          return value === undefined || values.includes(value);
        }),
      ),
  );
}

/**
 * The facts, with the first value for each needed one that was not observed, since it makes no difference.
 */
export function completed(workflow: Workflow, needed: readonly string[], facts: Facts): Facts {
  const missing = needed.filter((name) => facts[name] === undefined);
  return {
    ...Object.fromEntries(missing.map((name) => [name, valuesOf(workflow, name)[0] ?? null])),
    ...facts,
  };
}
