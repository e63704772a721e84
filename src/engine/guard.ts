/**
 * Rules that refuse: events that a table does not provide for, and combinations that a fact forbids. Each
 * function returns a new table.
 */
import { PawlError } from "../core/error.ts";
import { isFinal } from "./lookup.ts";
import type { Box, Fact, FactValue, Outcome, Rule, Workflow } from "./workflow.ts";

/** Adds one blocked rule per event, from all states in which the table has no rule on that event. */
export function fillBlocked<const Table extends Workflow>(workflow: Table, reply: string): Table {
  const states = Object.keys(workflow.states).filter((state) => !isFinal(workflow, state));
  const rules = Object.keys(workflow.events).flatMap((event): readonly Rule[] => {
    const taken = new Set(workflow.rules.filter(({ on }) => on === event).flatMap(({ from }) => from));
    const from = states.filter((state) => !taken.has(state));
    if (from.length === 0) return [];
    return [{ id: `blocked.${event}`, from, on: event, to: "same", outcome: "blocked", reply }];
  });
  return { ...workflow, rules: [...workflow.rules, ...rules] };
}

/** Combinations in which an event that would move the run is refused. */
export interface Guard {
  /** The new rule's id; if several are needed, each id gets its source state. */
  readonly id: string;
  readonly on: string;
  /** Only rules from these states; absent: every rule that moves on the event. */
  readonly from?: readonly string[];
  /** The refused combinations. */
  readonly when: Box;
  /** Facts of `when` that the table does not have yet. */
  readonly facts?: Readonly<Record<string, Fact>>;
  /** Default `blocked`. */
  readonly outcome?: Exclude<Outcome, "moved">;
  readonly reply: string;
}

/**
 * Takes combinations away from the rules that move on an event, and gives them to a new rule that changes
 * nothing. Blocked combinations stay blocked. If several guards refuse the same combination, the first one
 * added replies. Throws `workflow-invalid` if nothing would be refused, or a fact is unknown.
 */
export function guard(workflow: Workflow, refusal: Guard): Workflow {
  const { from, id, on, outcome = "blocked", reply, when } = refusal;
  const facts = { ...workflow.facts, ...refusal.facts };
  const unknown = Object.keys(when).find((name) => !Object.hasOwn(facts, name));
  if (unknown !== undefined) throw invalidGuardError(workflow, id, `"${unknown}" is not a fact`);
  const refused = new Map<string, { from: readonly string[]; boxes: Box[] }>();
  const rules = workflow.rules.flatMap((rule): readonly Rule[] => {
    const concerned = rule.from.filter((state) => from === undefined || from.includes(state));
    if (rule.on !== on || rule.outcome !== "moved" || concerned.length === 0) return [rule];
    if (concerned.length < rule.from.length)
      throw invalidGuardError(
        workflow,
        id,
        `the rule "${rule.id}" is also from other states than ${concerned.join(", ")}`,
      );
    const boxes = rule.when ?? [{}];
    const taken = boxes.map((box) => intersect(facts, box, when)).filter((box) => box !== null);
    if (taken.length === 0) return [rule];
    const key = JSON.stringify(concerned);
    const group = refused.get(key) ?? { from: concerned, boxes: [] };
    refused.set(key, group);
    group.boxes.push(...taken);
    const left = boxes.flatMap((box) => subtract(facts, box, when));
    return left.length === 0 ? [] : [{ ...rule, when: left }];
  });
  if (refused.size === 0)
    throw invalidGuardError(workflow, id, `no rule moves on "${on}" in those combinations`);
  const added = [...refused.values()].map((group): Rule => {
    const ruleId = refused.size === 1 ? id : `${id}.${group.from.join("+")}`;
    return { id: ruleId, from: group.from, on, when: group.boxes, to: "same", outcome, reply };
  });
  return { ...workflow, facts, rules: [...rules, ...added] };
}

/** The combinations of both boxes, or null if there are none. */
export function intersect(facts: Workflow["facts"], box: Box, other: Box): Box | null {
  const both: Record<string, readonly FactValue[]> = { ...box };
  for (const [name, values] of Object.entries(other)) {
    both[name] = valuesIn(facts, box, name).filter((value) => values.includes(value));
    if (both[name].length === 0) return null;
  }
  return both;
}

/** The combinations of a box that are not in the other, as boxes. */
export function subtract(facts: Workflow["facts"], box: Box, other: Box): readonly Box[] {
  if (intersect(facts, box, other) === null) return [box];
  return Object.entries(other).flatMap(([name, values]) => {
    const outside = valuesIn(facts, box, name).filter((value) => !values.includes(value));
    return outside.length === 0 ? [] : [{ ...box, [name]: outside }];
  });
}

function valuesIn(facts: Workflow["facts"], box: Box, name: string): readonly FactValue[] {
  return Object.hasOwn(box, name) ? (box[name] ?? []) : (facts[name]?.values ?? []);
}

function invalidGuardError(workflow: Workflow, id: string, what: string): PawlError {
  return new PawlError(
    "workflow-invalid",
    `The refusal "${id}" cannot be added to ${workflow.name}: ${what}.`,
    "Correct its event, its source states or its facts.",
  );
}
