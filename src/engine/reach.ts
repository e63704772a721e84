/**
 * The configurations (state × kept facts) that a run can come to. Observed facts are free, so a row can be taken
 * wherever one of its boxes admits the kept facts: no world need be enumerated, and the whole walk costs little.
 */
import { PawlError } from "../core/error.ts";
import { factOf, hasState, isFinal, isKept, keptNames, pairOf, renderFacts } from "./lookup.ts";
import { checkPosition, follow, startingPositions } from "./position.ts";
import type { Box, Facts, FactValue, Position, Row, Workflow } from "./workflow.ts";

/** Beyond this a table is refused: its kept facts hold what belongs in files. */
export const MAX_CONFIGURATIONS = 20_000;

export interface Step {
  readonly event: string;
  readonly row: Row;
  /** Index of the configuration that it leads to. */
  readonly to: number;
}

export interface Configuration {
  readonly position: Position;
  readonly steps: readonly Step[];
  /** Index of the configuration that it was first reached from, and by which row; null at a start. */
  readonly reachedBy: { readonly from: number; readonly row: Row } | null;
}

export interface Reach {
  readonly configurations: readonly Configuration[];
  readonly rows: ReadonlySet<Row>;
  /** The walk ended at the limit. */
  readonly cut: boolean;
  has(position: Position): boolean;
}

const reaches = new WeakMap<Workflow, Reach>();

/** Walks the table from its starts; the answer is kept per workflow object. Takes tables that `check` refuses too. */
export function reachOf(workflow: Workflow): Reach {
  const known = reaches.get(workflow);
  if (known) return known;
  const made = walk(workflow);
  reaches.set(workflow, made);
  return made;
}

/** Whether some sequence of events leads a run to the position. */
export function isReachable(workflow: Workflow, position: Position): boolean {
  return reachOf(workflow).has(position);
}

/** Throws `run-unreachable`, with what was expected there, unless a run can come to the position. */
export function checkReachable(workflow: Workflow, position: Position): void {
  checkPosition(workflow, position);
  const reach = reachOf(workflow);
  if (reach.has(position)) return;
  const there = reach.configurations.filter((each) => each.position.state === position.state);
  const some = there.slice(0, 6).map((each) => `(${renderFacts(each.position.kept)})`);
  const expected =
    some.length === 0 ? "another state" : `${some.join(" or ")}${there.length > 6 ? " or …" : ""}`;
  throw new PawlError(
    "run-unreachable",
    `The run of ${workflow.name} is in state "${position.state}" with ${renderFacts(position.kept)}, where no sequence of events leads; expected ${expected}.`,
    "Correct the run's state file, or restore it from version control; `pawl repair` shows what it can mend.",
  );
}

/** The rows taken from a start to the configuration of that index, first to last. */
export function pathTo(reach: Reach, index: number): readonly Row[] {
  const rows: Row[] = [];
  for (let at = reach.configurations[index]?.reachedBy; at; at = reach.configurations[at.from]?.reachedBy)
    rows.push(at.row);
  return rows.reverse();
}

/** Whether some values of the observed facts let the row apply with these kept facts. */
export function canApply(workflow: Workflow, row: Row, kept: Facts): boolean {
  return row.when === undefined || row.when.some((box) => admits(workflow, box, kept));
}

/** The events that some row moves the run by, for some observed facts. */
export function movingEvents(workflow: Workflow, { state, kept }: Position): readonly string[] {
  if (isFinal(workflow, state)) return [];
  return Object.keys(workflow.events).filter((event) =>
    pairOf(workflow, state, event).rows.some(
      (row) => row.outcome === "moved" && canApply(workflow, row, kept),
    ),
  );
}

function admits(workflow: Workflow, box: Box, kept: Facts): boolean {
  for (const [name, values] of Object.entries(box)) {
    const fact = factOf(workflow, name);
    if (fact === undefined) return false;
    const possible: readonly FactValue[] = isKept(fact) ? [kept[name] ?? null] : fact.values;
    if (!possible.some((value) => values.includes(value))) return false;
  }
  return true;
}

function walk(workflow: Workflow): Reach {
  const names = keptNames(workflow);
  const keyOf = ({ state, kept }: Position) => JSON.stringify([state, ...names.map((name) => kept[name])]);
  const found: { position: Position; steps: Step[]; reachedBy: Configuration["reachedBy"] }[] = [];
  const indexes = new Map<string, number>();
  const rows = new Set<Row>();
  const enter = (position: Position, reachedBy: Configuration["reachedBy"]): number => {
    const key = keyOf(position);
    const known = indexes.get(key);
    if (known !== undefined) return known;
    indexes.set(key, found.length);
    return found.push({ position, steps: [], reachedBy }) - 1;
  };
  if (hasState(workflow, workflow.initial))
    for (const position of startingPositions(workflow)) enter(position, null);
  const events = Object.keys(workflow.events);
  let index = 0;
  for (; index < found.length && found.length <= MAX_CONFIGURATIONS; index++) {
    const { position, steps } = found[index] as (typeof found)[number];
    if (isFinal(workflow, position.state)) continue;
    for (const event of events) {
      for (const row of pairOf(workflow, position.state, event).rows) {
        if (!canApply(workflow, row, position.kept)) continue;
        rows.add(row);
        const after = follow(workflow, row, position);
        if (hasState(workflow, after.state))
          steps.push({ event, row, to: enter(after, { from: index, row }) });
      }
    }
  }
  const has = (position: Position) =>
    names.length === Object.keys(position.kept).length && indexes.has(keyOf(position));
  return { configurations: found, rows, cut: index < found.length, has };
}
