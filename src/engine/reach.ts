/**
 * The configurations (state × variables) that a run can reach. Inputs are free, so a rule can be taken
 * wherever one of its boxes admits the variables: no combination is enumerated, and the whole walk is cheap.
 */
import { PawlError } from "../core/error.ts";
import { checkConfiguration, follow, startingConfigurations } from "./configuration.ts";
import { factOf, hasState, isFinal, isVariable, pairOf, renderFacts, variableNames } from "./lookup.ts";
import type { Box, Configuration, Facts, FactValue, Rule, Workflow } from "./workflow.ts";

/** Beyond this a table is refused: its variables hold data that belongs in files. */
export const MAX_CONFIGURATIONS = 20_000;

interface Step {
  readonly event: string;
  readonly rule: Rule;
  /** The index of the resulting configuration. */
  readonly to: number;
}

interface ReachedConfiguration {
  readonly configuration: Configuration;
  readonly steps: readonly Step[];
  /** The index of the configuration from which it was first reached, and the rule; null at a start. */
  readonly reachedBy: { readonly from: number; readonly rule: Rule } | null;
}

export interface Reach {
  readonly configurations: readonly ReachedConfiguration[];
  readonly rules: ReadonlySet<Rule>;
  /** The walk ended at the limit. */
  readonly cut: boolean;
  has(configuration: Configuration): boolean;
}

const reaches = new WeakMap<Workflow, Reach>();

/**
 * Walks the table from its starts; the result is kept per workflow object. Accepts tables that `check`
 * refuses too.
 */
export function reachOf(workflow: Workflow): Reach {
  const cached = reaches.get(workflow);
  if (cached) return cached;
  const made = walk(workflow);
  reaches.set(workflow, made);
  return made;
}

/** Whether some sequence of events leads a run to the configuration. */
export function isReachable(workflow: Workflow, configuration: Configuration): boolean {
  return reachOf(workflow).has(configuration);
}

/** Throws `run-unreachable`, with the expected states, unless a run can reach the configuration. */
export function checkReachable(workflow: Workflow, configuration: Configuration): void {
  checkConfiguration(workflow, configuration);
  const reach = reachOf(workflow);
  if (reach.has(configuration)) return;
  const there = reach.configurations.filter((each) => each.configuration.state === configuration.state);
  const some = there.slice(0, 6).map((each) => `(${renderFacts(each.configuration.variables)})`);
  const expected =
    some.length === 0 ? "another state" : `${some.join(" or ")}${there.length > 6 ? " or …" : ""}`;
  throw new PawlError(
    "run-unreachable",
    `The run of ${workflow.name} is in state "${configuration.state}" with ${renderFacts(configuration.variables)}, where no sequence of events leads; expected ${expected}.`,
    "Correct the run's state file, or restore it from version control; `pawl repair` shows what it can mend.",
  );
}

/** The rules from a start to the configuration of that index, first to last. */
export function pathTo(reach: Reach, index: number): readonly Rule[] {
  const rules: Rule[] = [];
  for (let at = reach.configurations[index]?.reachedBy; at; at = reach.configurations[at.from]?.reachedBy)
    rules.push(at.rule);
  return rules.reverse();
}

/** Whether some values of the inputs let the rule apply with these variables. */
export function canApply(workflow: Workflow, rule: Rule, variables: Facts): boolean {
  return rule.when === undefined || rule.when.some((box) => admits(workflow, box, variables));
}

/** The events by which some rule moves the run, for some inputs. */
export function movingEvents(workflow: Workflow, { state, variables }: Configuration): readonly string[] {
  if (isFinal(workflow, state)) return [];
  return Object.keys(workflow.events).filter((event) =>
    pairOf(workflow, state, event).rules.some(
      (rule) => rule.outcome === "moved" && canApply(workflow, rule, variables),
    ),
  );
}

function admits(workflow: Workflow, box: Box, variables: Facts): boolean {
  for (const [name, values] of Object.entries(box)) {
    const fact = factOf(workflow, name);
    if (fact === undefined) return false;
    const possible: readonly FactValue[] = isVariable(fact) ? [variables[name] ?? null] : fact.values;
    if (!possible.some((value) => values.includes(value))) return false;
  }
  return true;
}

function walk(workflow: Workflow): Reach {
  const names = variableNames(workflow);
  const keyOf = ({ state, variables }: Configuration) =>
    JSON.stringify([state, ...names.map((name) => variables[name])]);
  const found: {
    configuration: Configuration;
    steps: Step[];
    reachedBy: ReachedConfiguration["reachedBy"];
  }[] = [];
  const indexes = new Map<string, number>();
  const rules = new Set<Rule>();
  const enter = (configuration: Configuration, reachedBy: ReachedConfiguration["reachedBy"]): number => {
    const key = keyOf(configuration);
    const cached = indexes.get(key);
    if (cached !== undefined) return cached;
    indexes.set(key, found.length);
    return found.push({ configuration, steps: [], reachedBy }) - 1;
  };
  if (hasState(workflow, workflow.initial))
    for (const configuration of startingConfigurations(workflow)) enter(configuration, null);
  const events = Object.keys(workflow.events);
  let index = 0;
  for (; index < found.length && found.length <= MAX_CONFIGURATIONS; index++) {
    const { configuration, steps } = found[index] as (typeof found)[number];
    if (isFinal(workflow, configuration.state)) continue;
    for (const event of events) {
      for (const rule of pairOf(workflow, configuration.state, event).rules) {
        if (!canApply(workflow, rule, configuration.variables)) continue;
        rules.add(rule);
        const after = follow(workflow, rule, configuration);
        if (hasState(workflow, after.state))
          steps.push({ event, rule, to: enter(after, { from: index, rule }) });
      }
    }
  }
  const has = (configuration: Configuration) =>
    names.length === Object.keys(configuration.variables).length && indexes.has(keyOf(configuration));
  return { configurations: found, rules, cut: index < found.length, has };
}
