import type { Starts } from "../../../core/trust.ts";
import { type AgentEntry, permissionOf } from "../../../runtime/agent-order.ts";
import {
  agentCommands,
  BLOOM,
  beginCommands,
  commandOf,
  type Definition,
  isBegin,
  isForAgent,
} from "./definition.ts";

type Started = Pick<AgentEntry, "permission"> & { readonly agent?: string | undefined };

/** Everything that the workflow's runs would start, unrendered: with `{{ id }}` in it. */
export function startsIn({ agents = {}, prompts = {}, table, sources }: Omit<Definition, "replies">): Starts {
  const facts = Object.entries(sources).flatMap(([name, source]) =>
    source.type === "command" ? [{ purpose: `fact ${name}`, command: source.command }] : [],
  );
  const rules = table.rules.flatMap((rule) => {
    const order = commandOf(rule);
    if (!order || isForAgent(order) || isBegin(order) || order.command === undefined) return [];
    return [{ purpose: `rule ${rule.id}`, command: order.command }];
  });
  const agent = (name: string, entry: Started, named: readonly string[]) => ({
    ...{ name, agent: entry.agent, permission: permissionOf(entry) },
    prompts: named.map((each) => prompts[each] ?? ""),
  });
  // Who does the tasks that they begin.
  const begun = beginCommands({ table }).filter(({ command }) => command.workflow === BLOOM);
  // What a life has the task's own agent do.
  const own = table.rules.flatMap(({ commands = [] }) =>
    commands.flatMap(({ prompt, type }) => (type === "run-agent" && prompt ? [String(prompt)] : [])),
  );
  const orders = agentCommands({ table }).map(({ command }) => command);
  return {
    name: table.name,
    commands: [...facts, ...rules],
    agents: [
      ...begun.map(({ command: { task = "", with: keys }, rule }) =>
        agent(`rule ${rule.id}`, { agent: keys?.agent as string | undefined }, [task]),
      ),
      ...(own.length > 0 ? [agent("task", {}, own)] : []),
      ...Object.entries(agents).map(([name, entry]) =>
        agent(
          name,
          entry,
          orders.flatMap((order) => (order.agent === name ? [order.prompt] : [])),
        ),
      ),
    ],
  };
}
