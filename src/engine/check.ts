import { type Budget, type CoverageFault, coverageOf } from "./coverage.ts";
import { hasState, isFinal, pairOf, renderFacts, valuesOf, variableNames } from "./lookup.ts";
import { MAX_CONFIGURATIONS, pathTo, type Reach, reachOf } from "./reach.ts";
import { checkStructure } from "./structure.ts";
import type { Violation } from "./violation.ts";
import type { Configuration, Workflow } from "./workflow.ts";

/** A table, and the names of the replies that exist for it. */
export interface Checkable {
  readonly workflow: Workflow;
  readonly replies: readonly string[];
}

export interface CheckReport {
  readonly workflow: string;
  readonly counts: CheckCounts;
  /** Empty: the table is proved. */
  readonly violations: readonly Violation[];
}

export interface CheckCounts {
  readonly states: number;
  readonly events: number;
  /** States in which a run continues × events: each pair needs its rule. */
  readonly pairs: number;
  /** Reachable state × variables. */
  readonly configurations: number;
  /** Reachable combinations of state, event and the facts that the rules of that state and event mention. */
  readonly combinations: number;
  readonly rules: number;
  readonly replies: number;
}

/** Most branches, per pair and in all; hand-written tables need a few thousand. */
const MAX_BRANCHES_PER_PAIR = 50_000;
const MAX_BRANCHES = 1_000_000;

/**
 * Proves a table by enumeration, or reports all its faults (laws T1 to T3): every name and value is known;
 * exactly one rule applies in each reachable configuration, event and combination; every state and rule is
 * reached; from everywhere some sequence of events leads to a goal; rules that do not move change nothing;
 * rules and replies match.
 */
export function check({ workflow, replies }: Checkable): CheckReport {
  const reach = reachOf(workflow);
  const coverage = checkCoverage(workflow, reach);
  const { states, events, rules } = workflow;
  const going = Object.keys(states).filter((state) => !isFinal(workflow, state));
  return {
    workflow: workflow.name,
    counts: {
      states: Object.keys(states).length,
      events: Object.keys(events).length,
      pairs: going.length * Object.keys(events).length,
      configurations: reach.configurations.length,
      combinations: coverage.combinations,
      rules: rules.length,
      replies: replies.length,
    },
    violations: [
      ...checkStructure(workflow),
      ...coverage.violations,
      ...(reach.cut ? [tooManyConfigurations(workflow)] : checkReach(workflow, reach)),
      ...checkReplies(workflow, replies),
    ],
  };
}

/**
 * The reachable combinations of the given variables in a state, each with the configuration first found with
 * it.
 */
function projections(reach: Reach, state: string, names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  reach.configurations.forEach(({ configuration }, index) => {
    if (configuration.state !== state) return;
    const key = JSON.stringify(names.map((name) => configuration.variables[name]));
    if (!counts.has(key)) counts.set(key, index);
  });
  return counts;
}

function checkCoverage(
  workflow: Workflow,
  reach: Reach,
): { combinations: number; violations: readonly Violation[] } {
  const violations: Violation[] = [];
  let combinations = 0;
  let branches = MAX_BRANCHES;
  for (const state of Object.keys(workflow.states)) {
    if (isFinal(workflow, state)) continue;
    for (const event of Object.keys(workflow.events)) {
      const budget: Budget = { left: Math.min(MAX_BRANCHES_PER_PAIR, branches) };
      const before = budget.left;
      const faults = new Map<string, { fault: CoverageFault; index: number; times: number }>();
      let cut = false;
      for (const index of projections(reach, state, pairOf(workflow, state, event).variables).values()) {
        const variables = reach.configurations[index]?.configuration.variables ?? {};
        const coverage = coverageOf(workflow, state, event, variables, budget);
        combinations += coverage.combinations;
        cut ||= coverage.cut;
        for (const fault of coverage.faults) collect(faults, fault, index);
      }
      branches -= before - Math.max(budget.left, 0);
      for (const each of faults.values()) violations.push(notOneRule(reach, state, event, each));
      if (cut) violations.push(tooManyCombinations(workflow, state, event));
    }
  }
  return { combinations, violations };
}

function collect(
  faults: Map<string, { fault: CoverageFault; index: number; times: number }>,
  fault: CoverageFault,
  index: number,
): void {
  const key = JSON.stringify(fault.rules.map((rule) => rule.id));
  const existing = faults.get(key);
  if (existing) existing.times += fault.combinations;
  else faults.set(key, { fault, index, times: fault.combinations });
}

function notOneRule(
  reach: Reach,
  state: string,
  event: string,
  { fault, index, times }: { fault: CoverageFault; index: number; times: number },
): Violation {
  const rules = fault.rules.map((rule) => rule.id);
  const found = rules.length === 0 ? "No rule applies" : `${rules.length} rules apply (${rules.join(", ")})`;
  const more = times > 1 ? `, and in ${times - 1} more combination${times > 2 ? "s" : ""} of inputs` : "";
  return {
    kind: rules.length === 0 ? "no-rule" : "several-rules",
    message: `${found} to "${event}" in state "${state}" with ${renderFacts(fault.combination)}${more}; expected exactly one.`,
    state,
    event,
    facts: fault.combination,
    times,
    rules,
    path: pathIds(reach, index),
  };
}

function tooManyCombinations(workflow: Workflow, state: string, event: string): Violation {
  const { variables, inputs } = pairOf(workflow, state, event);
  const sizes = [...variables, ...inputs].map(
    (name) => `${name} (${valuesOf(workflow, name).length} values)`,
  );
  return {
    kind: "too-many-combinations",
    message: `The rules for "${event}" in state "${state}" distinguish too many combinations to enumerate them: they mention ${sizes.join(", ")}; expected at most ${MAX_BRANCHES_PER_PAIR} branches for one state and event, and ${MAX_BRANCHES} in all.`,
    state,
    event,
    rules: pairOf(workflow, state, event).rules.map((rule) => rule.id),
  };
}

function tooManyConfigurations(workflow: Workflow): Violation {
  const sizes = variableNames(workflow).map((name) => `${name} (${valuesOf(workflow, name).length} values)`);
  return {
    kind: "too-many-configurations",
    message: `More than ${MAX_CONFIGURATIONS} configurations can be reached, too many to follow: the variables are ${sizes.join(", ")}; keep less in the table.`,
    rules: [],
  };
}

function checkReach(workflow: Workflow, reach: Reach): readonly Violation[] {
  const reached = new Set(reach.configurations.map(({ configuration }) => configuration.state));
  const states = Object.keys(workflow.states).filter((state) => !reached.has(state));
  const rules = workflow.rules.filter((rule) => !reach.rules.has(rule));
  return [
    ...states.map((state): Violation => {
      return {
        kind: "state-unreached",
        message: `No sequence of events leads to the state "${state}".`,
        state,
        rules: [],
      };
    }),
    ...rules.map((rule): Violation => {
      const message = `The rule "${rule.id}" (on "${rule.on}" from ${rule.from.join(", ")}) never applies in any configuration that a run can reach.`;
      return { kind: "rule-unreached", message, event: rule.on, rules: [rule.id] };
    }),
    ...checkTraps(workflow, reach),
  ];
}

/** One violation per state, with the first of its configurations that has no way out. */
function checkTraps(workflow: Workflow, reach: Reach): readonly Violation[] {
  const saved = savedConfigurations(workflow, reach);
  const traps = new Map<string, { configuration: Configuration; index: number; times: number }>();
  reach.configurations.forEach(({ configuration }, index) => {
    if (saved.has(index)) return;
    const trap = traps.get(configuration.state);
    if (trap) trap.times += 1;
    else traps.set(configuration.state, { configuration, index, times: 1 });
  });
  const goals = workflow.goals.filter((goal) => hasState(workflow, goal)).join(", ") || "none";
  return [...traps.values()].map(({ configuration, index, times }) => {
    const more =
      times > 1 ? `, nor from ${times - 1} more configuration${times > 2 ? "s" : ""} of that state` : "";
    return {
      kind: "trap",
      message: `No sequence of events leads from state "${configuration.state}" with ${renderFacts(configuration.variables)} to a goal (${goals})${more}.`,
      state: configuration.state,
      facts: configuration.variables,
      times,
      rules: [],
      path: pathIds(reach, index),
    };
  });
}

/** Indexes of the configurations from which a goal can be reached. */
function savedConfigurations(workflow: Workflow, reach: Reach): ReadonlySet<number> {
  const comingFrom = reach.configurations.map((): number[] => []);
  reach.configurations.forEach(({ steps }, index) => {
    for (const { to } of steps) comingFrom[to]?.push(index);
  });
  const saved = new Set<number>();
  const open = reach.configurations.flatMap(({ configuration }, index) =>
    workflow.goals.includes(configuration.state) ? [index] : [],
  );
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (saved.has(index)) continue;
    saved.add(index);
    open.push(...(comingFrom[index] ?? []));
  }
  return saved;
}

function checkReplies(workflow: Workflow, replies: readonly string[]): readonly Violation[] {
  const used = new Set(workflow.rules.map((rule) => rule.reply));
  const existing = new Set(replies);
  const missing = [...used].filter((reply) => !existing.has(reply));
  return [
    ...missing.map((reply): Violation => {
      const rules = workflow.rules.filter((rule) => rule.reply === reply).map((rule) => rule.id);
      return {
        kind: "reply-missing",
        message: `The reply "${reply}" of ${rules.join(", ")} does not exist.`,
        reply,
        rules,
      };
    }),
    ...[...existing]
      .filter((reply) => !used.has(reply))
      .map((reply): Violation => {
        return {
          kind: "reply-unused",
          message: `The reply "${reply}" belongs to no rule.`,
          reply,
          rules: [],
        };
      }),
  ];
}

function pathIds(reach: Reach, index: number): readonly string[] {
  return pathTo(reach, index).map((rule) => rule.id);
}

export type { Violation } from "./violation.ts";
