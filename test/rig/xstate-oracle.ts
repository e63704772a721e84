/**
 * A second opinion on `decide`: the exported XState machine, run by XState's own pure `transition()`. Any workflow's
 * test can ask for it.
 */
import { assign, createMachine, transition } from "xstate";
import { decide } from "../../src/engine/decide.ts";
import { factOf, isFinal, pairOf } from "../../src/engine/lookup.ts";
import { reachOf } from "../../src/engine/reach.ts";
import type { Box, Facts, FactValue, Position, Workflow } from "../../src/engine/workflow.ts";
import { renderXState } from "../../src/engine/xstate.ts";

export interface Agreement {
  readonly configurations: number;
  /** Decisions that were compared: every reachable configuration, event and projected world. */
  readonly decisions: number;
}

/**
 * Compares row, next state and kept facts in every reachable configuration, event and projected world.
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
  for (const { position } of configurations) {
    if (isFinal(workflow, position.state)) continue;
    for (const event of Object.keys(workflow.events)) {
      for (const facts of worldsOf(workflow, position.state, event)) {
        decisions++;
        const ours = ourAnswer(workflow, position, event, facts);
        const theirs = theirAnswer(machine, position, event, facts);
        if (ours === theirs) continue;
        disagreements.push(
          `${JSON.stringify({ position, event, facts })}\n  decide: ${ours}\n  xstate: ${theirs}`,
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

function ourAnswer(workflow: Workflow, position: Position, event: string, facts: Facts): string {
  const { row, after } = decide(workflow, position, event, facts);
  return answer(row.id, after.state, after.kept);
}

function theirAnswer(
  machine: ReturnType<typeof machineOf>,
  position: Position,
  event: string,
  facts: Facts,
): string {
  const snapshot = machine.resolveState({ value: position.state, context: { ...position.kept } });
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

function answer(row: string, state: string, kept: Facts): string {
  const sorted = Object.entries(kept).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([row, state, sorted]);
}

/** Every combination of the observed facts that the rows of the state and event mention. */
function worldsOf(workflow: Workflow, state: string, event: string): readonly Facts[] {
  let worlds: readonly Facts[] = [{}];
  for (const name of pairOf(workflow, state, event).observed)
    worlds = worlds.flatMap((world) =>
      (factOf(workflow, name)?.values ?? []).map((value) => ({ ...world, [name]: value })),
    );
  return worlds;
}

interface FactsEvent {
  readonly type: string;
  readonly facts: Facts;
}

/** What the exported JSON names and cannot hold; docs/engine.md shows the same. */
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
