import { valuesOf } from "./lookup.ts";
import type { FactValue, Workflow } from "./workflow.ts";

/**
 * A variable's value in words. A counter stays at its last value however often rules add to it: that value
 * reads "or more", since it may not be the count.
 */
export function variableWords(workflow: Workflow, name: string, value: FactValue): string {
  const last = valuesOf(workflow, name).at(-1);
  return value === last && countsUp(workflow, name) ? `${value} or more` : String(value);
}

function countsUp({ rules }: Workflow, name: string): boolean {
  return rules.some(({ set = {} }) => {
    const setting = Object.hasOwn(set, name) ? set[name] : undefined;
    return typeof setting === "object" && setting !== null && "add" in setting && setting.add > 0;
  });
}
