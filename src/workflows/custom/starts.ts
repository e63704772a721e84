import type { Starts } from "../../core/trust.ts";
import { commandOf, type Definition } from "./definition.ts";

/** Every command that the workflow's runs would start, unrendered: with `{{ id }}` in it. */
export function startsIn({ table, sources }: Pick<Definition, "table" | "sources">): Starts {
  const facts = Object.entries(sources).flatMap(([name, source]) =>
    source.type === "command" ? [{ purpose: `fact ${name}`, command: source.command }] : [],
  );
  const rules = table.rules.flatMap((rule) => {
    const order = commandOf(rule);
    return order ? [{ purpose: `rule ${rule.id}`, command: order.command }] : [];
  });
  return { name: table.name, commands: [...facts, ...rules] };
}
