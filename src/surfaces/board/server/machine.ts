/** Tables as graphs, and what may happen next in them, all computed by the engine. */
import { PawlError, toPawlError } from "../../../core/error.ts";
import { check } from "../../../engine/check.ts";
import { targetOf } from "../../../engine/configuration.ts";
import { decide } from "../../../engine/decide.ts";
import { edgesOf } from "../../../engine/diagram.ts";
import { isFinal, isVariable, pairOf, renderBoxes, renderValue } from "../../../engine/lookup.ts";
import { movingEvents } from "../../../engine/reach.ts";
import type { Facts, FactValue, Rule, Workflow } from "../../../engine/workflow.ts";
import type { TableState } from "../../../runtime/board.ts";
import type { RunOverview, Table, WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import type { Machine, Move, TryAnswer, TryOrder, WorkflowsPage } from "../wire.ts";
import { refused } from "./errors.ts";

export function machineOf(workflow: Workflow): Machine {
  return {
    name: workflow.name,
    title: workflow.title,
    states: Object.entries(workflow.states).map(([name, { description }]) => ({
      ...{ name, description },
      isFinal: isFinal(workflow, name),
    })),
    edges: edgesOf(workflow).map(({ from, to, labels }) => ({ from, to, labels: [...labels] })),
  };
}

const WHO: Readonly<Record<RunOverview["awaits"], string>> = {
  nobody: "Pawl",
  assistant: "the assistant",
  human: "a person",
  agent: "an agent",
};

/** Every event of the table; first those that may move the run. */
export function movesAt(
  { configuration, owners = {}, workflow }: TableState,
  awaits: RunOverview["awaits"],
): Move[] {
  const moving = new Set(movingEvents(workflow, configuration));
  const moves = Object.entries(workflow.events).map(([event, { description }]): Move => {
    const { rules } = pairOf(workflow, configuration.state, event);
    const owner = owners[event];
    return {
      ...{ event, description },
      by: owner === "engine" ? WHO.nobody : owner === "person" ? WHO.human : WHO[awaits],
      leads: rules.flatMap((rule) => leadOf(rule, configuration.state)),
      refused: moving.has(event) ? null : whyNot(workflow, configuration.state, rules),
    };
  });
  return moves.sort((one, other) => Number(one.refused !== null) - Number(other.refused !== null));
}

function leadOf(rule: Rule, state: string): readonly string[] {
  const to = rule.outcome === "moved" ? targetOf(rule, state) : undefined;
  return to === undefined ? [] : [`to ${to}${rule.when ? `, if ${renderBoxes(rule.when)}` : ""}`];
}

function whyNot(workflow: Workflow, state: string, rules: readonly Rule[]): string {
  if (isFinal(workflow, state)) return `The run has ended in ${state}.`;
  const blocked = rules.find(({ outcome }) => outcome === "blocked");
  if (blocked) return `It is not allowed in ${state} (rule ${blocked.id}).`;
  return rules.some(({ outcome }) => outcome === "moved")
    ? `With these facts, it leads nowhere from ${state}.`
    : `It changes nothing in ${state}.`;
}

export async function workflowsOf({ workflows }: Project): Promise<WorkflowsPage> {
  const modules = await loadWorkflows(workflows);
  return { workflows: await Promise.all(modules.map(workflowOf)) };
}

async function workflowOf(module: WorkflowModule): Promise<WorkflowsPage["workflows"][number]> {
  const { name, title, summary } = module;
  try {
    const tables = await module.tables();
    return { name, title, summary, problem: null, tables: tables.map(tableOf) };
  } catch (thrown) {
    return { name, title, summary, problem: refused(module.fault ?? toPawlError(thrown)), tables: [] };
  }
}

function tableOf(table: Table): WorkflowsPage["workflows"][number]["tables"][number] {
  const { workflow } = table;
  return {
    machine: machineOf(workflow),
    proof: proofOf(table),
    events: Object.keys(workflow.events),
    facts: Object.fromEntries(
      Object.entries(workflow.facts).map(([name, { values }]) => [name, values.map(renderValue)]),
    ),
  };
}

const proofs = new WeakMap<Workflow, { readonly holds: boolean; readonly words: readonly string[] }>();

/** Computed once per table, because tables never change in place. */
function proofOf(table: Table) {
  const proof = proofs.get(table.workflow);
  if (proof) return proof;
  const { counts, violations } = check(table);
  const holds = violations.length === 0;
  const words = holds
    ? [
        `For each of ${counts.combinations} combinations of inputs exactly one rule applies; nothing is unreachable, no run is trapped, and every rule has its reply.`,
      ]
    : violations.map(({ message }) => message);
  proofs.set(table.workflow, { holds, words });
  return { holds, words };
}

/** Decides an event without a run: reads and writes nothing. */
export async function tryEvent({ workflows }: Project, order: TryOrder): Promise<TryAnswer> {
  const modules = await loadWorkflows(workflows);
  const tables = (await Promise.all(modules.map((module) => module.tables().catch(() => [])))).flat();
  const workflow = tables.find((table) => table.workflow.name === order.machine)?.workflow;
  if (!workflow) throw unknownChoiceError("table", order.machine);
  if (!Object.hasOwn(workflow.states, order.state)) throw unknownChoiceError("state", order.state);
  if (!Object.hasOwn(workflow.events, order.event)) throw unknownChoiceError("event", order.event);
  const variables: Record<string, FactValue> = {};
  const inputs: Record<string, FactValue> = {};
  for (const [name, fact] of Object.entries(workflow.facts)) {
    const answer = order.facts[name];
    const given = fact.values.find((value) => renderValue(value) === answer);
    if (answer !== undefined && given === undefined) throw unknownChoiceError(`value of ${name}`, answer);
    const value = given === undefined ? (fact.initial ?? fact.values[0] ?? null) : given;
    (isVariable(fact) ? variables : inputs)[name] = value;
  }
  const configuration = { state: order.state, variables: variables as Facts };
  const { rule, after } = decide(workflow, configuration, order.event, inputs);
  return { rule: rule.id, to: after.state, outcome: rule.outcome };
}

function unknownChoiceError(what: string, name: string): PawlError {
  return new PawlError(
    "usage",
    `There is no ${what} ${JSON.stringify(name)}.`,
    "Choose one that the page shows.",
  );
}
