/**
 * A second opinion on `decide`: the exported XState machine, run by XState's own pure `transition()`. Any workflow's
 * test can ask for it.
 */
import { assign, createMachine, transition } from "xstate";
import { decide } from "../../src/engine/decide.ts";
import { factOf, isFinal, pairOf } from "../../src/engine/lookup.ts";
import { reachOf } from "../../src/engine/reach.ts";
import type { Box, Configuration, Facts, FactValue, Workflow } from "../../src/engine/workflow.ts";
import { renderXState } from "../../src/engine/xstate.ts";

export interface Agreement {
  readonly configurations: number;
  /** Decisions that were compared: every reachable configuration, event and projected combination. */
  readonly decisions: number;
}

/**
 * Compares rule, next state and variables in every reachable configuration, event and projected combination.
 * Throws with the first disagreements, and where there was nothing to compare.
 */
export function agreesWithXState(
  workflow: Workflow,
  { exported = renderXState(workflow), implementations = IMPLEMENTATIONS as object } = {},
): Agreement {
  const machine = machineOf(JSON.parse(exported), implementations);
  const { configurations } = reachOf(workflow);
  const disagreements: string[] = [];
  let decisions = 0;
  for (const { configuration } of configurations) {
    if (isFinal(workflow, configuration.state)) continue;
    for (const event of Object.keys(workflow.events)) {
      for (const facts of combinationsOf(workflow, configuration.state, event)) {
        decisions++;
        const ours = ourAnswer(workflow, configuration, event, facts);
        const theirs = theirAnswer(machine, configuration, event, facts);
        if (ours === theirs) continue;
        disagreements.push(
          `${JSON.stringify({ configuration, event, facts })}\n  decide: ${ours}\n  xstate: ${theirs}`,
        );
      }
    }
  }
  if (decisions === 0) throw new Error(`${workflow.name} has no decision to compare.`);
  if (disagreements.length > 0)
    throw new Error(
      `${disagreements.length} of ${decisions} decisions differ:\n${disagreements.slice(0, 5).join("\n")}`,
    );
  return { configurations: configurations.length, decisions };
}

function ourAnswer(workflow: Workflow, configuration: Configuration, event: string, facts: Facts): string {
  const { rule, after } = decide(workflow, configuration, event, facts);
  return answer(rule.id, after.state, after.variables);
}

function theirAnswer(
  machine: ReturnType<typeof machineOf>,
  configuration: Configuration,
  event: string,
  facts: Facts,
): string {
  const snapshot = machine.resolveState({
    value: configuration.state,
    context: { ...configuration.variables },
  });
  const [next, actions] = transition(machine, snapshot, { type: event, facts });
  const taken = (actions as readonly unknown[] as readonly TakeAction[])
    .filter(({ type }) => type === "take")
    .map(({ params }) => params.row);
  return answer(taken.join("+"), String(next.value), next.context as Facts);
}

interface TakeAction {
  readonly type: string;
  readonly params: { readonly row: string };
}

function answer(rule: string, state: string, variables: Facts): string {
  const sorted = Object.entries(variables).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([rule, state, sorted]);
}

/** Every combination of the inputs that the rules of the state and event mention. */
function combinationsOf(workflow: Workflow, state: string, event: string): readonly Facts[] {
  let combinations: readonly Facts[] = [{}];
  for (const name of pairOf(workflow, state, event).inputs)
    combinations = combinations.flatMap((combination) =>
      (factOf(workflow, name)?.values ?? []).map((value) => ({ ...combination, [name]: value })),
    );
  return combinations;
}

interface FactsEvent {
  readonly type: string;
  readonly facts: Facts;
}

/** What the exported JSON names and cannot hold; docs/internals/engine.md shows the same. */
const IMPLEMENTATIONS = {
  guards: {
    in: ({ context, event }: { context: Facts; event: FactsEvent }, params: { boxes: readonly Box[] }) =>
      params.boxes.some((box) =>
        Object.entries(box).every(([fact, values]) =>
          values.includes((fact in context ? context : event.facts)[fact] as FactValue),
        ),
      ),
  },
  actions: {
    set: assign((_, params: unknown) => params as Facts),
    step: assign(({ context }, params: unknown) => {
      const { by, fact, values } = params as { by: number; fact: string; values: FactValue[] };
      const place = values.indexOf((context as Facts)[fact] as FactValue) + by;
      return { [fact]: values[Math.max(0, Math.min(place, values.length - 1))] };
    }),
  },
};

function machineOf(config: object, implementations: object) {
  const typed = createMachine({ ...config, types: {} as { context: Facts; events: FactsEvent } });
  // A machine that comes from JSON has no types that its implementations could meet.
  return typed.provide(implementations as never);
}
