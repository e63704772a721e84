/** The checks of a table without running it: its names, values, targets and settings. */

import { targetOf } from "./configuration.ts";
import { factOf, hasState, isFinal, isVariable, renderValue } from "./lookup.ts";
import { hasScopes } from "./scope.ts";
import type { Violation, ViolationKind } from "./violation.ts";
import { type FactValue, GIT_ACTS, type Rule, type Setting, type Workflow, WRITES } from "./workflow.ts";

/**
 * Names go into diagrams, state machines of other tools and file names, where a dot or a space has a meaning.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_:-]*$/;
const RESERVED = ["same"];

export function checkStructure(workflow: Workflow): readonly Violation[] {
  return [
    ...checkNames(workflow),
    ...checkFacts(workflow),
    ...checkEnds(workflow),
    ...checkStarts(workflow),
    ...checkScopes(workflow),
    ...checkIds(workflow),
    ...workflow.rules.flatMap((rule) => checkRule(workflow, rule)),
  ];
}

function checkNames(workflow: Workflow): readonly Violation[] {
  const names = [
    ["workflow", workflow.name],
    ...Object.keys(workflow.states).map((name) => ["state", name]),
    ...Object.keys(workflow.events).map((name) => ["event", name]),
    ...Object.keys(workflow.facts).map((name) => ["fact", name]),
  ] as const;
  return names
    .filter(([, name = ""]) => !NAME.test(name) || RESERVED.includes(name))
    .map(([what, name]) =>
      fault(
        "name-invalid",
        `The ${what} ${quote(name)} needs another name: expected a letter, then letters, digits, _ : or -, and not ${quote("same")}.`,
      ),
    );
}

function checkFacts(workflow: Workflow): readonly Violation[] {
  return Object.entries(workflow.facts).flatMap(([name, fact]) => {
    const violations: Violation[] = [];
    if (fact.values.length === 0 || repeats(fact.values))
      violations.push(
        fault(
          "list-invalid",
          `The fact ${quote(name)} must list its values, each once; found ${list(fact.values)}.`,
        ),
      );
    if (fact.initial !== undefined && !fact.values.includes(fact.initial))
      violations.push(
        fault(
          "value-unknown",
          `The fact ${quote(name)} begins as ${renderValue(fact.initial)}; expected one of ${list(fact.values)}.`,
        ),
      );
    return violations;
  });
}

function checkEnds(workflow: Workflow): readonly Violation[] {
  const names = Object.keys(workflow.states).join(", ");
  const named = [
    ["initial state", workflow.initial],
    ...workflow.goals.map((goal) => ["goal", goal]),
  ] as const;
  const violations = named
    .filter(([, state = ""]) => !hasState(workflow, state))
    .map(([what, state]) =>
      fault("state-unknown", `The ${what} ${quote(state)} is not a state; expected one of ${names}.`),
    );
  if (workflow.goals.length === 0)
    violations.push(
      fault(
        "list-invalid",
        "The workflow has no goal; expected at least one state that a run should come to.",
      ),
    );
  return violations;
}

function checkStarts(workflow: Workflow): readonly Violation[] {
  if (workflow.starts?.length === 0)
    return [
      fault("list-invalid", "The list of starts is empty; leave it out, or say with what a run may begin."),
    ];
  return (workflow.starts ?? []).flatMap((start) =>
    Object.entries(start).flatMap(([name, value]) => {
      const fact = factOf(workflow, name);
      if (fact === undefined || !isVariable(fact))
        return [fault("start-invalid", `A start gives ${quote(name)} a value; expected a variable.`)];
      if (fact.values.includes(value)) return [];
      return [
        fault(
          "value-unknown",
          `A start gives ${quote(name)} the value ${renderValue(value)}; expected one of ${list(fact.values)}.`,
        ),
      ];
    }),
  );
}

/** If any state has a scope, each state in which a run continues needs one. */
function checkScopes(workflow: Workflow): readonly Violation[] {
  if (!hasScopes(workflow)) return [];
  return Object.entries(workflow.states).flatMap(([state, { final, forbids = [], writes }]) => {
    const of = (kind: ViolationKind, what: string) => ({
      ...fault(kind, `The state ${quote(state)} ${what}.`),
      state,
    });
    const violations: Violation[] = forbids
      .filter((act) => !GIT_ACTS.includes(act))
      .map((act) => of("value-unknown", `forbids ${quote(act)}; expected one of ${list(GIT_ACTS)}`));
    if (repeats(forbids))
      violations.push(of("list-invalid", `must list what it forbids, each once; found ${list(forbids)}`));
    if (writes !== undefined && !WRITES.includes(writes))
      violations.push(of("value-unknown", `writes ${quote(writes)}; expected one of ${list(WRITES)}`));
    if (writes === undefined && !final)
      violations.push(
        of("scope-missing", `does not say what it writes, as others do; expected one of ${list(WRITES)}`),
      );
    return violations;
  });
}

function checkIds(workflow: Workflow): readonly Violation[] {
  const visited = new Set<string>();
  const repeated = new Set<string>();
  for (const { id } of workflow.rules) (visited.has(id) ? repeated : visited).add(id);
  return [...repeated].map((id) =>
    fault("id-repeated", `Several rules have the id ${quote(id)}; expected each once.`, [id]),
  );
}

function checkRule(workflow: Workflow, rule: Rule): readonly Violation[] {
  return [
    ...checkFrom(workflow, rule),
    ...checkWhen(workflow, rule),
    ...checkTo(workflow, rule),
    ...Object.entries(rule.set ?? {}).flatMap(([name, setting]) =>
      checkSetting(workflow, rule, name, setting),
    ),
    ...checkEffect(rule),
  ];
}

function checkFrom(workflow: Workflow, rule: Rule): readonly Violation[] {
  const violations: Violation[] = [];
  if (rule.from.length === 0 || repeats(rule.from))
    violations.push(
      of(rule, "list-invalid", `must list its source states, each once; found ${list(rule.from)}`),
    );
  for (const state of rule.from) {
    if (!hasState(workflow, state))
      violations.push({
        ...of(rule, "state-unknown", `is from ${quote(state)}, which is not a state`),
        state,
      });
    else if (isFinal(workflow, state))
      violations.push({
        ...of(rule, "state-final", `is from ${quote(state)}, where the run has ended`),
        state,
      });
  }
  if (!Object.hasOwn(workflow.events, rule.on))
    violations.push({
      ...of(
        rule,
        "event-unknown",
        `is on ${quote(rule.on)}; expected one of ${Object.keys(workflow.events).join(", ")}`,
      ),
      event: rule.on,
    });
  return violations;
}

function checkWhen(workflow: Workflow, rule: Rule): readonly Violation[] {
  if (rule.when?.length === 0)
    return [
      of(
        rule,
        "list-invalid",
        "has an empty list of boxes and can never apply; leave `when` out for every combination",
      ),
    ];
  return (rule.when ?? []).flatMap((box) =>
    Object.entries(box).flatMap(([name, values]) => {
      const fact = factOf(workflow, name);
      if (fact === undefined)
        return [of(rule, "fact-unknown", `mentions ${quote(name)}, which is not a fact`)];
      if (values.length === 0 || repeats(values))
        return [
          of(rule, "list-invalid", `must list values of ${quote(name)}, each once; found ${list(values)}`),
        ];
      return values
        .filter((value) => !fact.values.includes(value))
        .map((value) =>
          of(
            rule,
            "value-unknown",
            `asks for ${name} = ${renderValue(value)}; expected one of ${list(fact.values)}`,
          ),
        );
    }),
  );
}

function checkTo(workflow: Workflow, rule: Rule): readonly Violation[] {
  if (typeof rule.to === "string") {
    if (rule.to === "same" || hasState(workflow, rule.to)) return [];
    return [
      { ...of(rule, "state-unknown", `leads to ${quote(rule.to)}, which is not a state`), state: rule.to },
    ];
  }
  const unknown = Object.values(rule.to).filter((state) => !hasState(workflow, state));
  return [
    ...unknown.map((state) => ({
      ...of(rule, "state-unknown", `leads to ${quote(state)}, which is not a state`),
      state,
    })),
    ...checkMap(rule, "to", rule.to),
  ];
}

function checkMap(rule: Rule, what: string, map: Readonly<Record<string, unknown>>): readonly Violation[] {
  const missing = rule.from.filter((state) => !Object.hasOwn(map, state));
  const extra = Object.keys(map).filter((state) => !rule.from.includes(state));
  return [
    ...missing.map((state) => ({
      ...of(rule, "map-incomplete", `does not say its ${what} for the source state ${quote(state)}`),
      state,
    })),
    ...extra.map((state) => ({
      ...of(
        rule,
        "map-incomplete",
        `gives its ${what} for ${quote(state)}, which is not one of its source states`,
      ),
      state,
    })),
  ];
}

function checkSetting(workflow: Workflow, rule: Rule, name: string, setting: Setting): readonly Violation[] {
  const fact = factOf(workflow, name);
  if (fact === undefined) return [of(rule, "fact-unknown", `sets ${quote(name)}, which is not a fact`)];
  if (!isVariable(fact))
    return [
      of(
        rule,
        "input-set",
        `sets ${quote(name)}, which is an input; only variables (with \`initial\`) can be set`,
      ),
    ];
  if (typeof setting === "object" && setting !== null && "add" in setting)
    return Number.isInteger(setting.add)
      ? []
      : [of(rule, "value-unknown", `adds ${setting.add} to ${quote(name)}; expected a whole number`)];
  const map = typeof setting === "object" && setting !== null ? setting.of : null;
  const values: readonly FactValue[] = map === null ? [setting as FactValue] : Object.values(map);
  return [
    ...values
      .filter((value) => !fact.values.includes(value))
      .map((value) =>
        of(
          rule,
          "value-unknown",
          `sets ${name} to ${renderValue(value)}; expected one of ${list(fact.values)}`,
        ),
      ),
    ...(map === null ? [] : checkMap(rule, `value of ${name}`, map)),
  ];
}

function checkEffect(rule: Rule): readonly Violation[] {
  if (rule.outcome === "moved") return [];
  const effects: string[] = [];
  if (rule.from.some((state) => targetOf(rule, state) !== state)) effects.push("leads to another state");
  if (Object.keys(rule.set ?? {}).length > 0) effects.push("sets facts");
  if ((rule.commands ?? []).length > 0) effects.push("has commands");
  if (effects.length === 0) return [];
  return [
    of(
      rule,
      "effect-unexpected",
      `is "${rule.outcome}", which changes nothing, and yet ${effects.join(" and ")}`,
    ),
  ];
}

function of(rule: Rule, kind: ViolationKind, what: string): Violation {
  return fault(kind, `The rule ${quote(rule.id)} ${what}.`, [rule.id]);
}

function fault(kind: ViolationKind, message: string, rules: readonly string[] = []): Violation {
  return { kind, message, rules };
}

function quote(text: string | undefined): string {
  return JSON.stringify(text ?? "");
}

function list(values: readonly FactValue[]): string {
  return values.length === 0 ? "none" : values.map(renderValue).join(", ");
}

function repeats(values: readonly unknown[]): boolean {
  return new Set(values).size !== values.length;
}
