/**
 * What `check` proves, found out the slow way: every combination of all inputs in every configuration, without
 * projections, trees or indexes. Only for tables so small that this ends.
 */
import type { Configuration, Facts, FactValue, Rule, Workflow } from "../../src/engine/workflow.ts";

export interface BruteVerdict {
  readonly configurations: readonly Configuration[];
  /** `kind|state|event`, `kind|rule` or `kind|state`, sorted, each once. */
  readonly findings: readonly string[];
}

export function bruteForce(workflow: Workflow): BruteVerdict {
  const findings = new Set<string>();
  const found = new Map<string, Configuration>();
  const edges: [string, string][] = [];
  const reachedRules = new Set<string>();
  const open = starts(workflow);
  for (let configuration = open.pop(); configuration; configuration = open.pop()) {
    const key = keyOf(configuration);
    if (found.has(key)) continue;
    found.set(key, configuration);
    if (workflow.states[configuration.state]?.final) continue;
    for (const event of Object.keys(workflow.events)) {
      for (const combination of allCombinations(workflow, configuration)) {
        const rules = rulesFor(workflow, configuration.state, event, combination);
        if (rules.length === 0) findings.add(`no-rule|${configuration.state}|${event}`);
        if (rules.length > 1) findings.add(`several-rules|${configuration.state}|${event}`);
        for (const rule of rules) {
          reachedRules.add(rule.id);
          const after = afterRule(workflow, rule, configuration);
          edges.push([key, keyOf(after)]);
          open.push(after);
        }
      }
    }
  }
  const configurations = [...found.values()];
  for (const state of Object.keys(workflow.states))
    if (!configurations.some((each) => each.state === state)) findings.add(`state-unreached|${state}`);
  for (const { id } of workflow.rules) if (!reachedRules.has(id)) findings.add(`rule-unreached|${id}`);
  const saved = new Set(
    [...found].filter(([, { state }]) => workflow.goals.includes(state)).map(([key]) => key),
  );
  for (let grew = true; grew; ) {
    grew = false;
    for (const [from, to] of edges) {
      if (!saved.has(to) || saved.has(from)) continue;
      saved.add(from);
      grew = true;
    }
  }
  for (const [key, { state }] of found) if (!saved.has(key)) findings.add(`trap|${state}`);
  return { configurations, findings: [...findings].sort() };
}

/** Every combination of all inputs, with the configuration's kept ones. */
export function allCombinations(workflow: Workflow, configuration: Configuration): readonly Facts[] {
  let combinations: readonly Facts[] = [configuration.variables];
  for (const [name, fact] of Object.entries(workflow.facts)) {
    if (fact.initial !== undefined) continue;
    combinations = combinations.flatMap((combination) =>
      fact.values.map((value) => ({ ...combination, [name]: value })),
    );
  }
  return combinations;
}

export function rulesFor(
  workflow: Workflow,
  state: string,
  event: string,
  combination: Facts,
): readonly Rule[] {
  return workflow.rules.filter(
    (rule) =>
      rule.from.includes(state) &&
      rule.on === event &&
      (rule.when ?? [{}]).some((box) =>
        Object.entries(box).every(([name, values]) => values.includes(combination[name] as FactValue)),
      ),
  );
}

function afterRule(workflow: Workflow, rule: Rule, { state, variables }: Configuration): Configuration {
  const next: Record<string, FactValue> = { ...variables };
  for (const [name, setting] of Object.entries(rule.set ?? {})) {
    if (typeof setting !== "object" || setting === null) next[name] = setting;
    else if ("of" in setting) next[name] = setting.of[state] as FactValue;
    else {
      const values = workflow.facts[name]?.values ?? [];
      const wanted = values.indexOf(variables[name] as FactValue) + setting.add;
      next[name] = values[wanted < 0 ? 0 : wanted >= values.length ? values.length - 1 : wanted] as FactValue;
    }
  }
  const to = typeof rule.to === "string" ? rule.to : (rule.to[state] as string);
  return { state: to === "same" ? state : to, variables: next };
}

function starts(workflow: Workflow): Configuration[] {
  const variables: Record<string, FactValue> = {};
  for (const [name, { initial }] of Object.entries(workflow.facts))
    if (initial !== undefined) variables[name] = initial;
  return (workflow.starts ?? [{}]).map((start) => ({
    state: workflow.initial,
    variables: { ...variables, ...start },
  }));
}

function keyOf({ state, variables }: Configuration): string {
  return JSON.stringify([state, Object.entries(variables).sort(([one], [other]) => (one < other ? -1 : 1))]);
}
