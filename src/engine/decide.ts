import { PawlError } from "../core/error.ts";
import {
  checkConfiguration,
  follow,
  initialVariables,
  startingConfigurations,
  unreachableRunError,
} from "./configuration.ts";
import { applies, isFinal, pairOf, renderFacts, renderValue, valuesOf } from "./lookup.ts";
import { isReachable } from "./reach.ts";
import type { Configuration, Decision, Facts, FactValue, Rule, Workflow } from "./workflow.ts";

/**
 * The configuration in which a run begins: the initial state, with the variables' initial values, overridden
 * by `start`. Throws `workflow-invalid` if `start` is not one of the workflow's `starts`.
 */
export function initialConfiguration(workflow: Workflow, start: Facts = {}): Configuration {
  const starts = startingConfigurations(workflow);
  const wanted = { ...initialVariables(workflow), ...start };
  const configuration = starts.find(({ variables }) => sameFacts(variables, wanted));
  if (configuration) return configuration;
  throw new PawlError(
    "workflow-invalid",
    `A run of ${workflow.name} cannot begin with ${renderFacts(start)}; expected one of ${starts.map(({ variables }) => renderFacts(variables)).join("; ")}.`,
    "Begin with one of the listed, or add it to the workflow's `starts`.",
  );
}

/**
 * The one rule that applies, and the resulting configuration. Pure and total for a table that `check`
 * accepts.
 *
 * `facts` are the inputs; only those that the rules of the state and event mention are required. Throws
 * `run-unreachable` for a configuration that the table does not know; `no-effect` in a final state;
 * `internal` for an event or an observed value that the table does not declare (the caller's mistake); and
 * `workflow-invalid` if no rule or several apply, which `check` refuses.
 */
export function decide(
  workflow: Workflow,
  configuration: Configuration,
  event: string,
  facts: Facts,
): Decision {
  checkConfiguration(workflow, configuration);
  checkEvent(workflow, configuration, event);
  const combination = combinationOf(workflow, configuration, event, facts);
  const rules = pairOf(workflow, configuration.state, event).rules.filter((rule) =>
    applies(rule, combination),
  );
  const [rule] = rules;
  if (rule === undefined || rules.length > 1)
    throw undecidedError(workflow, configuration, event, combination, rules);
  return { rule, before: configuration, after: follow(workflow, rule, configuration) };
}

function checkEvent(workflow: Workflow, configuration: Configuration, event: string): void {
  if (!Object.hasOwn(workflow.events, event))
    throw observationError(
      `${workflow.name} has no event ${JSON.stringify(event)}; expected one of ${Object.keys(workflow.events).join(", ")}`,
    );
  if (!isFinal(workflow, configuration.state)) return;
  throw new PawlError(
    "no-effect",
    `The run of ${workflow.name} has ended in state "${configuration.state}"; it takes no "${event}" any more.`,
    "Nothing to do: the run is complete.",
  );
}

/** The facts that the rules of the pair mention, each with a declared value. */
function combinationOf(workflow: Workflow, configuration: Configuration, event: string, facts: Facts): Facts {
  const pair = pairOf(workflow, configuration.state, event);
  const combination: Record<string, FactValue> = {};
  for (const name of pair.variables) combination[name] = configuration.variables[name] ?? null;
  for (const name of pair.inputs) {
    const value = Object.hasOwn(facts, name) ? facts[name] : undefined;
    const values = valuesOf(workflow, name);
    if (value === undefined || !values.includes(value))
      throw observationError(
        `${workflow.name} was asked about "${event}" in state "${configuration.state}" with ${name} = ${JSON.stringify(value) ?? "nothing"}; expected one of ${values.map(renderValue).join(", ")}`,
      );
    combination[name] = value;
  }
  return combination;
}

function observationError(what: string): PawlError {
  return new PawlError(
    "internal",
    `${what}.`,
    "Report this: what was observed does not fit the workflow's facts.",
  );
}

/** Blames the table only for configurations that it can reach. */
function undecidedError(
  workflow: Workflow,
  configuration: Configuration,
  event: string,
  combination: Facts,
  rules: readonly Rule[],
): PawlError {
  const where = `"${event}" in state "${configuration.state}" with ${renderFacts(combination)}`;
  if (!isReachable(workflow, configuration))
    return unreachableRunError(
      workflow,
      `stands where no sequence of events leads: no single rule applies to ${where}`,
    );
  const found =
    rules.length === 0 ? "no rule applies" : `the rules ${rules.map((rule) => rule.id).join(", ")} apply`;
  return new PawlError(
    "workflow-invalid",
    `${workflow.name}: expected exactly one rule for ${where}; found that ${found}.`,
    `Correct the table; \`pawl check ${workflow.name}\` shows all that is wrong with it.`,
  );
}

function sameFacts(one: Facts, other: Facts): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
