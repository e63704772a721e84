/**
 * The rules of a table by state and event, with the facts that they mention. Computed on first use, once per
 * workflow object (tables are never changed in place), and held weakly, so that a decision costs a few
 * comparisons.
 */
import type { Box, Fact, Facts, FactValue, Rule, Workflow } from "./workflow.ts";

/** The rules of one state and event. */
export interface Pair {
  readonly rules: readonly Rule[];
  /** The variables that the rules mention, in the order of the table's facts. */
  readonly variables: readonly string[];
  /** The inputs that the rules mention, in the order of the table's facts. */
  readonly inputs: readonly string[];
}

interface Lookup {
  readonly variables: readonly string[];
  /** By state and event, for those already used. */
  readonly pairs: Map<string, Map<string, Pair>>;
}

const lookups = new WeakMap<Workflow, Lookup>();

export function isVariable(fact: Fact): boolean {
  return fact.initial !== undefined;
}

/** The names of the variables, in the order of the table's facts. */
export function variableNames(workflow: Workflow): readonly string[] {
  return lookupOf(workflow).variables;
}

export function pairOf(workflow: Workflow, state: string, event: string): Pair {
  const { pairs, variables } = lookupOf(workflow);
  const events = pairs.get(state) ?? new Map<string, Pair>();
  const pair = events.get(event) ?? makePair(workflow, state, event, variables);
  // A file may name arbitrarily many states and events that the table lacks: these are not cached.
  if (hasState(workflow, state) && Object.hasOwn(workflow.events, event))
    pairs.set(state, events.set(event, pair));
  return pair;
}

/** Whether the rule applies in a combination; a box never matches a fact that the combination lacks. */
export function applies(rule: Rule, combination: Facts): boolean {
  return rule.when === undefined || rule.when.some((box) => isIn(box, combination));
}

function isIn(box: Box, combination: Facts): boolean {
  for (const [fact, values] of Object.entries(box)) {
    const value = combination[fact];
    if (value === undefined || !values.includes(value)) return false;
  }
  return true;
}

/** The fact of that name, or undefined; never a property of the object's prototype. */
export function factOf(workflow: Workflow, name: string): Fact | undefined {
  return Object.hasOwn(workflow.facts, name) ? workflow.facts[name] : undefined;
}

/** The values that the fact can have; none if there is no such fact. */
export function valuesOf(workflow: Workflow, name: string): readonly FactValue[] {
  return factOf(workflow, name)?.values ?? [];
}

export function hasState(workflow: Workflow, state: string): boolean {
  return Object.hasOwn(workflow.states, state);
}

export function isFinal(workflow: Workflow, state: string): boolean {
  return workflow.states[state]?.final === true;
}

/** Facts in words: `review_source = null, review_policy = ai`. */
export function renderFacts(facts: Facts): string {
  const words = Object.entries(facts).map(([name, value]) => `${name} = ${renderValue(value)}`);
  return words.length === 0 ? "any facts" : words.join(", ");
}

/** Boxes in words: `a = x or y, b = true; or c = null`. */
export function renderBoxes(when: readonly Box[] | undefined): string {
  if (when === undefined) return "always";
  return when.map(renderBox).join("; or ");
}

function renderBox(box: Box): string {
  const words = Object.entries(box).map(
    ([name, values]) => `${name} = ${values.map(renderValue).join(" or ")}`,
  );
  return words.length === 0 ? "always" : words.join(", ");
}

/** A value as text; a string is quoted if it could be mistaken for another value. */
export function renderValue(value: FactValue): string {
  const isPlain =
    typeof value === "string" && /^(?!(?:null|true|false|or|always)$)[A-Za-z][\w:./+-]*$/.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function lookupOf(workflow: Workflow): Lookup {
  const cached = lookups.get(workflow);
  if (cached) return cached;
  const names = Object.keys(workflow.facts);
  const variables = names.filter((name) => isVariable(workflow.facts[name] as Fact));
  const made: Lookup = { variables, pairs: new Map() };
  lookups.set(workflow, made);
  return made;
}

function makePair(workflow: Workflow, state: string, event: string, variables: readonly string[]): Pair {
  const rules = workflow.rules.filter(({ from, on }) => on === event && from.includes(state));
  const mentioned = new Set(rules.flatMap(({ when = [] }) => when.flatMap((box) => Object.keys(box))));
  const names = Object.keys(workflow.facts).filter((name) => mentioned.has(name));
  return {
    rules,
    variables: names.filter((name) => variables.includes(name)),
    inputs: names.filter((name) => !variables.includes(name)),
  };
}
