/**
 * How often a run may start agents, and for how much money, between two decisions of a person: by a walk over every
 * configuration × pending order.
 *
 * C1  While an order is not at its end, only its ends move the run. What a person sends ends the walk: it begins another.
 * C2  A loop that starts an agent and that no person has to enter must count itself: a counter in the table makes each round
 *     another configuration, so that the walk comes to its end. Else it is a violation.
 * C3  Runs that a rule begins cost what each of them may, as often as they may begin.
 */
import { reachOf } from "../../../engine/reach.ts";
import type { Violation } from "../../../engine/violation.ts";
import type { Rule, Workflow } from "../../../engine/workflow.ts";
import type { Family } from "../begin/family.ts";
import {
  BLOOM,
  commandOf,
  type Definition,
  endEvents,
  endsOf,
  isBegin,
  isForAgent,
} from "../definition/definition.ts";

export interface Bound {
  readonly orders: number;
  /** Null: an agent has no budget in dollars. */
  readonly usd: number | null;
  /** The tasks of Bloom that it begins, whose cost is their own; absent: none. */
  readonly tasks?: number;
}

interface Edge {
  readonly to: number;
  readonly rule: Rule;
  readonly isPersons: boolean;
}

const NOTHING = { orders: 0, usd: 0, tasks: 0 };

/**
 * Null: it starts no agents and begins no runs, or too many configurations can be reached, which `check` says. `family`: the
 * workflows that it begins, which do not begin it.
 */
export function boundOf(
  given: Pick<Definition, "agents" | "extends" | "gates" | "table">,
  family: Family = new Map(),
): Bound | { readonly loop: Violation } | null {
  const definition = { ...given, table: withoutBounded(given) };
  const { table } = definition;
  const { cut } = reachOf(table);
  if (cut || !table.rules.some((rule) => isPaid(rule))) return null;
  const edges = edgesOf(definition);
  const agentEdges = edges.map((all) => all.filter(({ isPersons }) => !isPersons));
  const { components, of } = componentsOf(agentEdges);
  for (const nodes of components) {
    const inside = nodes.flatMap((node) =>
      (agentEdges[node] ?? []).filter(({ to }) => of[to] === of[node]).map(({ rule }) => rule),
    );
    if (inside.some((rule) => isPaid(rule))) return { loop: unbounded(inside) };
  }
  const longest = (weight: (rule: Rule) => number) => {
    const best: number[] = [];
    // The components come in an order in which each follows those to which it leads.
    components.forEach((nodes, at) => {
      best[at] = Math.max(
        0,
        ...nodes.flatMap((node) =>
          (agentEdges[node] ?? [])
            .filter(({ to }) => of[to] !== at)
            .map(({ rule, to }) => weight(rule) + (best[of[to] ?? 0] ?? 0)),
        ),
      );
    });
    const entered = edges.flatMap((all) =>
      all.filter(({ isPersons }) => isPersons).map(({ rule, to }) => weight(rule) + (best[of[to] ?? 0] ?? 0)),
    );
    return Math.max(0, ...best, ...entered);
  };
  const costs = new Map(table.rules.map((rule) => [rule, costOf(rule, definition, family)]));
  const dollars = table.rules.every((rule) => costs.get(rule)?.usd !== null);
  const usd = dollars ? Math.round(longest((rule) => costs.get(rule)?.usd ?? 0) * 1e6) / 1e6 : null;
  const tasks = longest((rule) => costs.get(rule)?.tasks ?? 0);
  return { orders: longest((rule) => costs.get(rule)?.orders ?? 0), usd, ...(tasks > 0 && { tasks }) };
}

/** In a table that extends another one, what that one bounds itself is left out. */
function withoutBounded({ extends: over, table }: Pick<Definition, "extends" | "table">): Workflow {
  return over ? { ...table, rules: table.rules.filter(({ on }) => !over.bounded.has(on)) } : table;
}

/** What one move by the rule may cost; of runs that it begins, all of them together. */
function costOf(rule: Rule, { agents = {} }: Pick<Definition, "agents">, family: Family): Bound {
  const command = commandOf(rule);
  if (command === null) return NOTHING;
  if (isForAgent(command)) return { orders: 1, usd: agents[command.agent]?.budget.usd ?? null };
  if (!isBegin(command)) return NOTHING;
  const count = command.most ?? command.first ?? 0;
  if (command.workflow === BLOOM) return { ...NOTHING, tasks: count };
  const child = family.get(command.workflow);
  const each = child ? boundOf(child, family) : null;
  // One without a bound is named where it is proved.
  if (each === null || "loop" in each) return NOTHING;
  const { orders, tasks = 0, usd } = each;
  return { orders: count * orders, usd: usd === null ? null : count * usd, tasks: count * tasks };
}

function isPaid(rule: Rule): boolean {
  const command = commandOf(rule);
  return command !== null && (isForAgent(command) || isBegin(command));
}

function unbounded(rules: readonly Rule[]): Violation {
  const ids = [...new Set(rules.map(({ id }) => id))];
  const paid = rules.find((rule) => isPaid(rule));
  const begins = rules.some((rule) => commandOf(rule)?.type === "begin");
  return {
    kind: "loop-unbounded",
    message: `The rules ${ids.join(", ")} form a loop that ${begins ? "begins runs" : "starts agents"} without end: expected a variable that counts its rounds and leads out of it, or an event that only a person sends.`,
    rules: [...(paid ? [paid.id] : []), ...ids.filter((id) => id !== paid?.id)],
  };
}

/** By node: a configuration, and the order that is pending in it. */
function edgesOf({ gates = {}, table }: Pick<Definition, "gates" | "table">): readonly (readonly Edge[])[] {
  const { configurations } = reachOf(table);
  const ends = endEvents(table);
  const nodes = new Map<string, number>();
  const open: { readonly at: number; readonly pending: Rule | null }[] = [];
  const enter = (at: number, pending: Rule | null): number => {
    const key = `${at} ${pending?.id ?? ""}`;
    const known = nodes.get(key);
    if (known !== undefined) return known;
    nodes.set(key, open.length);
    return open.push({ at, pending }) - 1;
  };
  configurations.forEach(({ reachedBy }, at) => void (reachedBy === null && enter(at, null)));
  const edges: Edge[][] = [];
  for (let node = 0; node < open.length; node++) {
    const { at, pending } = open[node] as (typeof open)[number];
    const command = pending && commandOf(pending);
    const awaited = command ? new Set(endsOf(command)) : null;
    const gathers = command !== null && isBegin(command);
    const { configuration, steps = [] } = configurations[at] ?? {};
    edges[node] = steps.flatMap(({ event, rule, to }) => {
      const isPersons = Object.hasOwn(gates, event);
      const comes = awaited ? awaited.has(event) || (gathers && isPersons) : !ends.has(event);
      if (rule.outcome !== "moved" || !comes) return [];
      const stays = configurations[to]?.configuration.state === configuration?.state;
      const next = commandOf(rule) ? rule : gathers && stays ? pending : null;
      return [{ rule, to: enter(to, next), isPersons }];
    });
  }
  return edges;
}

/** The strongly connected components, each after those to which it leads, by Tarjan's algorithm without recursion. */
function componentsOf(edges: readonly (readonly Edge[])[]) {
  const index: number[] = [];
  let entered = 0;
  const low: number[] = [];
  const of: number[] = [];
  const components: number[][] = [];
  const stack: number[] = [];
  const onStack = new Set<number>();
  const enter = (node: number) => {
    index[node] = entered;
    low[node] = entered;
    entered += 1;
    stack.push(node);
    onStack.add(node);
    return { node, next: 0 };
  };
  for (let root = 0; root < edges.length; root++) {
    if (index[root] !== undefined) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { node } = top;
      const edge = edges[node]?.[top.next++];
      if (edge && index[edge.to] === undefined) path.push(enter(edge.to));
      else if (edge) {
        if (onStack.has(edge.to)) low[node] = Math.min(low[node] ?? 0, index[edge.to] ?? 0);
      } else {
        path.pop();
        const before = path.at(-1)?.node;
        if (before !== undefined) low[before] = Math.min(low[before] ?? 0, low[node] ?? 0);
        if (low[node] !== index[node]) continue;
        const component = stack.splice(stack.lastIndexOf(node));
        for (const each of component) {
          onStack.delete(each);
          of[each] = components.length;
        }
        components.push(component);
      }
    }
  }
  return { components, of };
}
