import { PawlError } from "../core/error.ts";
import { applies, isFinal, pairOf, renderFacts, renderValue, valuesOf } from "./lookup.ts";
import { checkPosition, follow, keptAtFirst, startingPositions, unreachable } from "./position.ts";
import { isReachable } from "./reach.ts";
import type { Decision, Facts, FactValue, Position, Row, Workflow } from "./workflow.ts";

/**
 * Where a run begins: the initial state, with the kept facts' initial values and `start` over them.
 * Throws `workflow-invalid` where `start` is none of the workflow's `starts`.
 */
export function initialPosition(workflow: Workflow, start: Facts = {}): Position {
  const starts = startingPositions(workflow);
  const wanted = { ...keptAtFirst(workflow), ...start };
  const position = starts.find(({ kept }) => sameFacts(kept, wanted));
  if (position) return position;
  throw new PawlError(
    "workflow-invalid",
    `A run of ${workflow.name} cannot begin with ${renderFacts(start)}; expected one of ${starts.map(({ kept }) => renderFacts(kept)).join("; ")}.`,
    "Begin with one of the listed, or add it to the workflow's `starts`.",
  );
}

/**
 * The one row that applies, and where it leads. Pure and total for a table that `check` accepts.
 *
 * `facts` are the observed ones; only those that the rows of the state and event mention need be there.
 * Throws `run-unreachable` for a position that the table does not know; `no-effect` in a final state; `internal` for
 * an event or an observed value that the table does not declare (the caller's mistake); and `workflow-invalid` where
 * no row or several apply, which `check` refuses.
 */
export function decide(workflow: Workflow, position: Position, event: string, facts: Facts): Decision {
  checkPosition(workflow, position);
  checkEvent(workflow, position, event);
  const world = worldOf(workflow, position, event, facts);
  const rows = pairOf(workflow, position.state, event).rows.filter((row) => applies(row, world));
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw undecided(workflow, position, event, world, rows);
  return { row, before: position, after: follow(workflow, row, position) };
}

function checkEvent(workflow: Workflow, position: Position, event: string): void {
  if (!Object.hasOwn(workflow.events, event))
    throw mistaken(
      `${workflow.name} has no event ${JSON.stringify(event)}; expected one of ${Object.keys(workflow.events).join(", ")}`,
    );
  if (!isFinal(workflow, position.state)) return;
  throw new PawlError(
    "no-effect",
    `The run of ${workflow.name} has ended in state "${position.state}"; it takes no "${event}" any more.`,
    "Nothing is to be done: the run is complete.",
  );
}

/** The facts that the rows of the pair mention, each with a declared value. */
function worldOf(workflow: Workflow, position: Position, event: string, facts: Facts): Facts {
  const pair = pairOf(workflow, position.state, event);
  const world: Record<string, FactValue> = {};
  for (const name of pair.kept) world[name] = position.kept[name] ?? null;
  for (const name of pair.observed) {
    const value = Object.hasOwn(facts, name) ? facts[name] : undefined;
    const values = valuesOf(workflow, name);
    if (value === undefined || !values.includes(value))
      throw mistaken(
        `${workflow.name} was asked about "${event}" in state "${position.state}" with ${name} = ${JSON.stringify(value) ?? "nothing"}; expected one of ${values.map(renderValue).join(", ")}`,
      );
    world[name] = value;
  }
  return world;
}

function mistaken(what: string): PawlError {
  return new PawlError(
    "internal",
    `${what}.`,
    "Report this: what was observed does not fit the workflow's facts.",
  );
}

/** A table is to blame only for configurations that it can reach. */
function undecided(
  workflow: Workflow,
  position: Position,
  event: string,
  world: Facts,
  rows: readonly Row[],
): PawlError {
  const where = `"${event}" in state "${position.state}" with ${renderFacts(world)}`;
  if (!isReachable(workflow, position))
    return unreachable(workflow, `stands where no sequence of events leads: no single row is for ${where}`);
  const found =
    rows.length === 0 ? "no row applies" : `the rows ${rows.map((row) => row.id).join(", ")} apply`;
  return new PawlError(
    "workflow-invalid",
    `${workflow.name}: expected exactly one row for ${where}; found that ${found}.`,
    `Correct the table; \`pawl check ${workflow.name}\` shows all that is wrong with it.`,
  );
}

function sameFacts(one: Facts, other: Facts): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
