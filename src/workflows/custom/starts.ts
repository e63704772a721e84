import type { Starts } from "../../core/trust.ts";
import {
  agentCommands,
  BLOOM,
  beginCommands,
  commandOf,
  type Definition,
  isBegin,
  isForAgent,
} from "./definition.ts";

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
  // Who does the tasks that they begin.
  const begun = beginCommands({ table }).flatMap(({ command: { task = "", with: keys, workflow }, rule }) =>
    workflow === BLOOM
      ? [
          {
            name: `rule ${rule.id}`,
            agent: keys?.agent as string | undefined,
            permission: "edits",
            prompts: [prompts[task] ?? ""],
          },
        ]
      : [],
  );
  const orders = agentCommands({ table });
  // What a life tells the task's own agent.
  const told = table.rules.flatMap(({ commands = [] }) =>
    commands.flatMap(({ prompt, type }) =>
      type === "run-agent" && prompt ? [prompts[String(prompt)] ?? ""] : [],
    ),
  );
  return {
    name: table.name,
    commands: [...facts, ...rules],
    agents: [
      ...begun,
      ...(told.length > 0 ? [{ name: "task", agent: undefined, permission: "edits", prompts: told }] : []),
      ...Object.entries(agents).map(([name, { agent, permission }]) => ({
        name,
        agent,
        permission: permission ?? "edits",
        prompts: orders.flatMap(({ command }) =>
          command.agent === name ? [prompts[command.prompt] ?? ""] : [],
        ),
      })),
    ],
  };
}
