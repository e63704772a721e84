/**
 * Whether exactly one row applies in every world of a state and event. The worlds form a tree, one fact a level; a
 * branch whose remaining facts no living box mentions is judged as a whole, so that the cost follows the rows and not
 * the product of the values.
 */
import { factOf, pairOf, valuesOf } from "./lookup.ts";
import type { Box, Facts, FactValue, Row, Workflow } from "./workflow.ts";

export interface Coverage {
  /** The worlds of the projection: all combinations of the observed facts that the rows mention. */
  readonly worlds: number;
  /** The worlds in which no row or several apply, by the rows that do. */
  readonly faults: readonly CoverageFault[];
  /** The budget ran out before all worlds were judged. */
  readonly cut: boolean;
}

export interface CoverageFault {
  readonly rows: readonly Row[];
  /** One world that shows it. */
  readonly world: Facts;
  /** In how many worlds it is so. */
  readonly worlds: number;
}

/** How many branches may still be looked at; shared by the pairs of one check. */
export interface Budget {
  left: number;
}

interface Candidate {
  readonly row: Row;
  readonly box: Box;
}

/** Judges the worlds of one state and event for a run with these kept facts. */
export function coverageOf(
  workflow: Workflow,
  state: string,
  event: string,
  kept: Facts,
  budget: Budget,
): Coverage {
  const pair = pairOf(workflow, state, event);
  const levels = pair.observed.map((name) => ({ name, values: valuesOf(workflow, name) }));
  const worlds = levels.reduce((product, { values }) => product * values.length, 1);
  const faults = new Map<string, { rows: Row[]; world: Facts; worlds: number }>();
  const world: Record<string, FactValue> = {};
  for (const name of pair.kept) world[name] = kept[name] ?? null;
  for (const { name, values } of levels) world[name] = values[0] ?? null;

  const judge = (living: readonly Candidate[], weight: number) => {
    const rows = [...new Set(living.map(({ row }) => row))];
    if (rows.length === 1) return;
    const key = rows.map((row) => pair.rows.indexOf(row)).join();
    const fault = faults.get(key) ?? { rows, world: { ...world }, worlds: 0 };
    faults.set(key, fault);
    fault.worlds += weight;
  };
  /** `weight`: how many worlds the branch holds. */
  const visit = (living: readonly Candidate[], depth: number, weight: number) => {
    if (budget.left-- <= 0) return;
    const next = levels.findIndex(({ name }, level) => level >= depth && mentions(living, name));
    const level = levels[next];
    if (level === undefined) {
      judge(living, weight);
      return;
    }
    for (const value of level.values) {
      world[level.name] = value;
      const still = living.filter(({ box }) => allows(box, level.name, value));
      visit(still, next + 1, weight / level.values.length);
    }
  };

  const living = pair.rows
    .flatMap((row) => (row.when ?? [{}]).map((box) => ({ row, box })))
    .filter(({ box }) => isPossible(workflow, box, pair.kept, kept));
  if (worlds > 0) visit(living, 0, worlds);
  return { worlds, faults: [...faults.values()], cut: budget.left < 0 };
}

function mentions(living: readonly Candidate[], name: string): boolean {
  return living.some(({ box }) => Object.hasOwn(box, name));
}

function allows(box: Box, name: string, value: FactValue): boolean {
  return !Object.hasOwn(box, name) || (box[name] ?? []).includes(value);
}

/** Whether the box holds for the kept facts, and names only facts that there are. */
function isPossible(workflow: Workflow, box: Box, keptNames: readonly string[], kept: Facts): boolean {
  if (Object.keys(box).some((name) => factOf(workflow, name) === undefined)) return false;
  return keptNames.every((name) => allows(box, name, kept[name] ?? null));
}
