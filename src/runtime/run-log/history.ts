/** Steps through a table, and what a state file says that its history does not. */
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical, isObject } from "../../core/json.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { follow } from "../../engine/configuration.ts";
import { pairOf } from "../../engine/lookup.ts";
import { canApply } from "../../engine/reach.ts";
import { withoutScopes } from "../../engine/scope.ts";
import type { Configuration, Facts, Workflow } from "../../engine/workflow.ts";

/** A step through a table. */
export interface TableStep {
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
}

/** A configuration as it is written to disk. */
export interface StoredConfiguration {
  readonly state: string;
  readonly kept: Facts;
}

export function toStored({ state, variables }: Configuration): StoredConfiguration {
  return { state, kept: variables };
}

export function fromStored({ kept, state }: StoredConfiguration): Configuration {
  return { state, variables: kept };
}

/** A table in the form that is hashed into run files: what decides, with its rules called `rows`. */
export function storedTable(table: Workflow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(withoutScopes(table)).map(([key, value]) => [key === "rules" ? "rows" : key, value]),
  );
}

const tables = new WeakMap<Workflow, string>();

export function hashOfTable(table: Workflow): string {
  const hash = tables.get(table) ?? hashOf(canonical(storedTable(table)));
  tables.set(table, hash);
  return hash;
}

/** The event of accepting the state as it was, by a person at a terminal: no rule of any table. */
export const EDIT_ACCEPTED = "edit_accepted";

/** The event of adopting a run that others advanced, or one of its branches: no rule of any table. */
export const ADOPTED = "adopted";

/** The configuration after such a step; null: no rule of the table is such a step. */
export function stepFrom(
  table: Workflow,
  configuration: Configuration,
  step: TableStep,
): Configuration | null {
  const rule = pairOf(table, configuration.state, step.event).rules.find(({ id }) => id === step.row);
  if (!rule || !canApply(table, rule, configuration.variables)) return null;
  const leads = follow(table, rule, configuration);
  return step.from === configuration.state && step.to === leads.state ? leads : null;
}

export function isSame(one: Configuration, other: Configuration): boolean {
  const names = new Set([...Object.keys(one.variables), ...Object.keys(other.variables)]);
  return (
    one.state === other.state && [...names].every((name) => one.variables[name] === other.variables[name])
  );
}

export function configurationWords({ variables, state }: Configuration): string {
  const facts = Object.entries(variables).map(([name, value]) => `${name} = ${value}`);
  return facts.length === 0 ? state : `${state} with ${facts.join(", ")}`;
}

/** The differences, by path; the order of keys does not matter. */
export function differences(found: unknown, derived: unknown, path = ""): readonly string[] {
  if (isObject(found) && isObject(derived)) {
    const keys = [...new Set([...Object.keys(found), ...Object.keys(derived)])];
    return keys.flatMap((key) => differences(found[key], derived[key], path ? `${path}.${key}` : key));
  }
  if (JSON.stringify(found) === JSON.stringify(derived)) return [];
  return [`${path}: found ${shown(found)}, its history leads to ${shown(derived)}`];
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing").slice(0, 200);
}

/**
 * Returns the faults found between files of a run only if these files have not changed since they were read.
 * If they have, a commit came in between: then there is no fault, and no decision based on the old reading
 * can be committed.
 */
export async function confirmed(
  view: View,
  paths: readonly ProjectPath[],
  found: readonly string[],
): Promise<readonly string[]> {
  return found.length === 0 || (await view.isCurrent(paths)) ? found : [];
}

/** Throws `state-tampered` if the file does not follow from the history. `whose`: "run's". */
export function checkFaults(path: string, whose: string, found: readonly string[]): void {
  if (found.length > 0) throw tamperedStateError(path, whose, found);
}

function tamperedStateError(path: string, whose: string, found: readonly string[]): PawlError {
  return new PawlError(
    "state-tampered",
    `${path} does not follow from the ${whose} own history: ${found.join("; ")}. The run is held until a person decides.`,
    "Put the file back as it was; or, if the edit is your own, accept it in a terminal with `pawl repair`.",
  );
}
