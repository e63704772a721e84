/** Positions (state and kept facts): where runs begin, where rows lead, and what a position on disk may be. */
import { PawlError } from "../core/error.ts";
import { factOf, hasState, keptNames, renderValue, valuesOf } from "./lookup.ts";
import type { Facts, FactValue, Position, Row, Setting, Workflow } from "./workflow.ts";

/** The kept facts at their initial values. */
export function keptAtFirst(workflow: Workflow): Facts {
  const kept: Record<string, FactValue> = {};
  for (const name of keptNames(workflow)) kept[name] = factOf(workflow, name)?.initial ?? null;
  return kept;
}

/** Every position that a run may begin at, in the order of the workflow's `starts`. */
export function startingPositions(workflow: Workflow): readonly Position[] {
  const kept = keptAtFirst(workflow);
  return (workflow.starts ?? [{}]).map((start) => ({ state: workflow.initial, kept: { ...kept, ...start } }));
}

/** Where a row leads from a position. A `to` or `set` that `check` refuses leaves that part as it was. */
export function follow(workflow: Workflow, row: Row, position: Position): Position {
  const state = targetOf(row, position.state) ?? position.state;
  if (row.set === undefined) return { state, kept: position.kept };
  const kept: Record<string, FactValue> = { ...position.kept };
  for (const [name, setting] of Object.entries(row.set)) {
    const value = settle(workflow, name, setting, position);
    if (value !== undefined) kept[name] = value;
  }
  return { state, kept };
}

/** The state that a row leads to from a source state; undefined where its map does not say. */
export function targetOf(row: Row, from: string): string | undefined {
  if (row.to === "same") return from;
  if (typeof row.to === "string") return row.to;
  return Object.hasOwn(row.to, from) ? row.to[from] : undefined;
}

function settle(
  workflow: Workflow,
  name: string,
  setting: Setting,
  position: Position,
): FactValue | undefined {
  if (typeof setting !== "object" || setting === null) return setting;
  if ("of" in setting)
    return Object.hasOwn(setting.of, position.state) ? setting.of[position.state] : undefined;
  const values = valuesOf(workflow, name);
  const place = values.indexOf(position.kept[name] ?? null) + setting.add;
  return values[Math.min(Math.max(place, 0), values.length - 1)];
}

/** Throws `run-unreachable` unless the state is known and each kept fact has one of its values. */
export function checkPosition(workflow: Workflow, position: Position): void {
  const { state, kept } = position;
  if (!hasState(workflow, state)) {
    const known = Object.keys(workflow.states).join(", ");
    throw unreachable(workflow, `is in state ${JSON.stringify(state)}; expected one of ${known}`);
  }
  const names = keptNames(workflow);
  for (const name of names) {
    const values = valuesOf(workflow, name);
    const value = Object.hasOwn(kept, name) ? kept[name] : undefined;
    if (value !== undefined && values.includes(value)) continue;
    const found = value === undefined ? "nothing" : renderValue(value);
    throw unreachable(
      workflow,
      `has ${name} = ${found}; expected one of ${values.map(renderValue).join(", ")}`,
    );
  }
  const unknown = Object.keys(kept).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? "none" : names.join(", ");
  throw unreachable(workflow, `keeps the fact ${JSON.stringify(unknown)}; expected only ${known}`);
}

/** What stands on disk and no run can come to; `what` completes "The run of start_task …". */
export function unreachable(workflow: Workflow, what: string): PawlError {
  return new PawlError(
    "run-unreachable",
    `The run of ${workflow.name} ${what}.`,
    "Correct the run's state file, or restore it from version control; `pawl repair` shows what it can mend.",
  );
}
