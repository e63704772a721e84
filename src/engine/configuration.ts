/**
 * Configurations (state and variables): the starts of runs, the results of rules, and checks of stored ones.
 */
import { PawlError } from "../core/error.ts";
import { factOf, hasState, renderValue, valuesOf, variableNames } from "./lookup.ts";
import type { Configuration, Facts, FactValue, Rule, Setting, Workflow } from "./workflow.ts";

/** The variables at their initial values. */
export function initialVariables(workflow: Workflow): Facts {
  const variables: Record<string, FactValue> = {};
  for (const name of variableNames(workflow)) variables[name] = factOf(workflow, name)?.initial ?? null;
  return variables;
}

/** Every configuration that a run may begin at, in the order of the workflow's `starts`. */
export function startingConfigurations(workflow: Workflow): readonly Configuration[] {
  const variables = initialVariables(workflow);
  return (workflow.starts ?? [{}]).map((start) => ({
    state: workflow.initial,
    variables: { ...variables, ...start },
  }));
}

/** The configuration to which a rule leads. If `check` refuses a `to` or `set`, that part stays as it was. */
export function follow(workflow: Workflow, rule: Rule, configuration: Configuration): Configuration {
  const state = targetOf(rule, configuration.state) ?? configuration.state;
  if (rule.set === undefined) return { state, variables: configuration.variables };
  const variables: Record<string, FactValue> = { ...configuration.variables };
  for (const [name, setting] of Object.entries(rule.set)) {
    const value = settle(workflow, name, setting, configuration);
    if (value !== undefined) variables[name] = value;
  }
  return { state, variables };
}

/** The state to which a rule leads from a source state; undefined if its map lacks the source. */
export function targetOf(rule: Rule, from: string): string | undefined {
  if (rule.to === "same") return from;
  if (typeof rule.to === "string") return rule.to;
  return Object.hasOwn(rule.to, from) ? rule.to[from] : undefined;
}

function settle(
  workflow: Workflow,
  name: string,
  setting: Setting,
  configuration: Configuration,
): FactValue | undefined {
  if (typeof setting !== "object" || setting === null) return setting;
  if ("of" in setting)
    return Object.hasOwn(setting.of, configuration.state) ? setting.of[configuration.state] : undefined;
  const values = valuesOf(workflow, name);
  const place = values.indexOf(configuration.variables[name] ?? null) + setting.add;
  return values[Math.min(Math.max(place, 0), values.length - 1)];
}

/** Throws `run-unreachable` unless the state is known and each variable has one of its values. */
export function checkConfiguration(workflow: Workflow, configuration: Configuration): void {
  const { state, variables } = configuration;
  if (!hasState(workflow, state)) {
    const names = Object.keys(workflow.states).join(", ");
    throw unreachableRunError(workflow, `is in state ${JSON.stringify(state)}; expected one of ${names}`);
  }
  const names = variableNames(workflow);
  for (const name of names) {
    const values = valuesOf(workflow, name);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined && values.includes(value)) continue;
    const shown = value === undefined ? "nothing" : renderValue(value);
    throw unreachableRunError(
      workflow,
      `has ${name} = ${shown}; expected one of ${values.map(renderValue).join(", ")}`,
    );
  }
  const unknown = Object.keys(variables).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const knownNames = names.length === 0 ? "none" : names.join(", ");
  throw unreachableRunError(
    workflow,
    `has the variable ${JSON.stringify(unknown)}; expected only ${knownNames}`,
  );
}

/** The error for a stored configuration that no run can reach; `what` completes "The run of start_task …". */
export function unreachableRunError(workflow: Workflow, what: string): PawlError {
  return new PawlError(
    "run-unreachable",
    `The run of ${workflow.name} ${what}.`,
    "Correct the run's state file, or restore it from version control; `pawl repair` shows what it can mend.",
  );
}
