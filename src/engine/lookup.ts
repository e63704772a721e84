/**
 * The rows of a table by state and event, with the facts that they mention. Made once per workflow object (tables are
 * never changed in place) and held weakly, so that a decision costs a few comparisons.
 */
import type { Box, Fact, Facts, FactValue, Row, Workflow } from "./workflow.ts";

/** The rows of one state and event. */
export interface Pair {
  readonly rows: readonly Row[];
  /** The kept facts that the rows mention, in the order of the table's facts. */
  readonly kept: readonly string[];
  /** The observed facts that the rows mention, in the order of the table's facts. */
  readonly observed: readonly string[];
}

interface Lookup {
  readonly kept: readonly string[];
  readonly pairs: ReadonlyMap<string, ReadonlyMap<string, Pair>>;
}

const NO_ROWS: Pair = { rows: [], kept: [], observed: [] };
const lookups = new WeakMap<Workflow, Lookup>();

export function isKept(fact: Fact): boolean {
  return fact.initial !== undefined;
}

/** The names of the kept facts, in the order of the table's facts. */
export function keptNames(workflow: Workflow): readonly string[] {
  return lookupOf(workflow).kept;
}

export function pairOf(workflow: Workflow, state: string, event: string): Pair {
  return lookupOf(workflow).pairs.get(state)?.get(event) ?? NO_ROWS;
}

/** Whether the row applies in a world; a fact that the world does not have is in no box. */
export function applies(row: Row, world: Facts): boolean {
  return row.when === undefined || row.when.some((box) => isIn(box, world));
}

function isIn(box: Box, world: Facts): boolean {
  for (const [fact, values] of Object.entries(box)) {
    const value = world[fact];
    if (value === undefined || !values.includes(value)) return false;
  }
  return true;
}

/** The fact of that name, or undefined; never a property of the object's prototype. */
export function factOf(workflow: Workflow, name: string): Fact | undefined {
  return Object.hasOwn(workflow.facts, name) ? workflow.facts[name] : undefined;
}

/** The values that the fact can have; none where there is no such fact. */
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

/** A value as it is; a text in quotes where it could be taken for something else. */
export function renderValue(value: FactValue): string {
  const isPlain =
    typeof value === "string" && /^(?!(?:null|true|false|or|always)$)[A-Za-z][\w:./+-]*$/.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function lookupOf(workflow: Workflow): Lookup {
  const known = lookups.get(workflow);
  if (known) return known;
  const made = makeLookup(workflow);
  lookups.set(workflow, made);
  return made;
}

function makeLookup(workflow: Workflow): Lookup {
  const names = Object.keys(workflow.facts);
  const kept = names.filter((name) => isKept(workflow.facts[name] as Fact));
  const rows = new Map<string, Map<string, Row[]>>();
  for (const row of workflow.rows) {
    for (const state of new Set(row.from)) {
      const events = rows.get(state) ?? new Map<string, Row[]>();
      rows.set(state, events);
      const list = events.get(row.on);
      if (list) list.push(row);
      else events.set(row.on, [row]);
    }
  }
  const pairs = new Map<string, Map<string, Pair>>();
  for (const [state, events] of rows) {
    const made = new Map<string, Pair>();
    for (const [event, list] of events) made.set(event, makePair(list, names, kept));
    pairs.set(state, made);
  }
  return { kept, pairs };
}

function makePair(rows: readonly Row[], names: readonly string[], kept: readonly string[]): Pair {
  const mentioned = new Set(rows.flatMap((row) => (row.when ?? []).flatMap((box) => Object.keys(box))));
  const ordered = names.filter((name) => mentioned.has(name));
  return {
    rows,
    kept: ordered.filter((name) => kept.includes(name)),
    observed: ordered.filter((name) => !kept.includes(name)),
  };
}
