/** Which observed facts a decision needs, and which of them can still make a difference once others are known. */
import { pairOf, valuesOf } from "./lookup.ts";
import type { Facts, Position, Row, Workflow } from "./workflow.ts";

/** The observed facts that the rows for the event mention, where the run stands. */
export function neededFacts(workflow: Workflow, { state }: Position, event: string): readonly string[] {
  return pairOf(workflow, state, event).observed;
}

/** Whether the fact's value can still make a difference, or the only row that is left always asks for it. */
export function canMatter(
  workflow: Workflow,
  position: Position,
  event: string,
  known: Facts,
  name: string,
): boolean {
  const left = rowsLeft(workflow, position, event, known);
  const [row] = left;
  if (row && left.length === 1) return asksAlways(row, name);
  return left.some(({ when = [] }) => when.some((box) => Object.hasOwn(box, name)));
}

/** Whether the row applies by no world in which the fact is not asked for. */
export function asksAlways({ when = [] }: Row, name: string): boolean {
  return when.length > 0 && when.every((box) => Object.hasOwn(box, name));
}

/** The rows that may still apply: unknown facts can have any value. */
function rowsLeft(
  workflow: Workflow,
  { state, kept }: Position,
  event: string,
  known: Facts,
): readonly Row[] {
  const world: Facts = { ...kept, ...known };
  return pairOf(workflow, state, event).rows.filter(
    ({ when }) =>
      when === undefined ||
      when.some((box) =>
        Object.entries(box).every(([name, values]) => {
          const value = Object.hasOwn(world, name) ? world[name] : undefined;
          return value === undefined || values.includes(value);
        }),
      ),
  );
}

/** The facts with the first value for each needed one that was not observed: it makes no difference. */
export function completed(workflow: Workflow, needed: readonly string[], facts: Facts): Facts {
  const missing = needed.filter((name) => facts[name] === undefined);
  return {
    ...Object.fromEntries(missing.map((name) => [name, valuesOf(workflow, name)[0] ?? null])),
    ...facts,
  };
}
