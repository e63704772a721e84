/**
 * A table as the configuration of an XState 5 machine: plain JSON, which Stately's tools open. Variables are its
 * context; inputs come with each event as `event.facts`. What JSON cannot hold is named and parameterised:
 *
 * guard  `in`      some box of `params.boxes` holds; a fact is read from the context, else from `event.facts`
 * action `set`     assigns `params` to the context
 * action `step`    moves the fact `params.fact` by `params.by` places along `params.values`, and not past their ends
 * action `take`    the rule that was taken: its id, outcome and reply
 * action `perform` a command of the rule
 *
 * docs/internals/engine.md has these implementations in a dozen lines.
 */

import { initialVariables, targetOf } from "./configuration.ts";
import { pairOf, renderBoxes, valuesOf, variableNames } from "./lookup.ts";
import type { Box, Facts, FactValue, Rule, Setting, Workflow } from "./workflow.ts";

export interface XStateConfig {
  readonly id: string;
  readonly description: string;
  readonly initial: string;
  readonly context: Facts;
  readonly states: Readonly<Record<string, XStateNode>>;
}

export interface XStateNode {
  readonly description: string;
  readonly type?: "final";
  readonly on?: Readonly<Record<string, readonly XStateTransition[]>>;
}

export interface XStateTransition {
  readonly description: string;
  /** Absent: the state stays. */
  readonly target?: string;
  readonly guard?: { readonly type: "in"; readonly params: { readonly boxes: readonly Box[] } };
  readonly actions: readonly XStateAction[];
}

export type XStateAction =
  | { readonly type: "set"; readonly params: Facts }
  | {
      readonly type: "step";
      readonly params: { readonly fact: string; readonly by: number; readonly values: readonly FactValue[] };
    }
  | {
      readonly type: "take";
      readonly params: { readonly row: string; readonly outcome: string; readonly reply: string };
    }
  | { readonly type: "perform"; readonly params: Readonly<Record<string, unknown>> };

/** The machine's configuration as data. The context is that of the first start. */
export function xstateConfig(workflow: Workflow): XStateConfig {
  const states = Object.entries(workflow.states).map(([name, { description, final }]) => {
    const node: XStateNode = final
      ? { description, type: "final" }
      : { description, on: transitionsFrom(workflow, name) };
    return [name, node] as const;
  });
  return {
    id: workflow.name,
    description: workflow.title,
    initial: workflow.initial,
    context: { ...initialVariables(workflow), ...workflow.starts?.[0] },
    states: Object.fromEntries(states),
  };
}

/** The machine's configuration as JSON text, the same for the same table. */
export function renderXState(workflow: Workflow): string {
  return `${JSON.stringify(xstateConfig(workflow), null, 2)}\n`;
}

function transitionsFrom(
  workflow: Workflow,
  state: string,
): Readonly<Record<string, readonly XStateTransition[]>> {
  const taken = Object.keys(workflow.events)
    .map((event) => [event, pairOf(workflow, state, event).rules] as const)
    .filter(([, rules]) => rules.length > 0);
  return Object.fromEntries(
    taken.map(([event, rules]) => [event, rules.map((rule) => transition(workflow, rule, state))]),
  );
}

function transition(workflow: Workflow, rule: Rule, state: string): XStateTransition {
  const target = targetOf(rule, state);
  return {
    description: `${rule.id}: ${renderBoxes(rule.when)}`,
    ...(target === undefined || target === state ? {} : { target }),
    ...(rule.when ? { guard: { type: "in", params: { boxes: rule.when } } as const } : {}),
    actions: [
      ...assignments(workflow, rule, state),
      { type: "take", params: { row: rule.id, outcome: rule.outcome, reply: rule.reply } },
      ...(rule.commands ?? []).map((command) => ({ type: "perform", params: command }) as const),
    ],
  };
}

function assignments(workflow: Workflow, rule: Rule, state: string): readonly XStateAction[] {
  const given: Record<string, FactValue> = {};
  const steps: XStateAction[] = [];
  for (const name of variableNames(workflow)) {
    const setting = rule.set?.[name];
    if (setting === undefined) continue;
    const step = stepOf(setting);
    if (step === null) given[name] = settled(setting, state);
    else
      steps.push({
        type: "step",
        params: { fact: name, by: step, values: valuesOf(workflow, name) },
      });
  }
  return [...(Object.keys(given).length > 0 ? [{ type: "set", params: given } as const] : []), ...steps];
}

function stepOf(setting: Setting): number | null {
  return typeof setting === "object" && setting !== null && "add" in setting ? setting.add : null;
}

function settled(setting: Setting, state: string): FactValue {
  if (typeof setting !== "object" || setting === null) return setting;
  return "of" in setting ? (setting.of[state] ?? null) : null;
}
