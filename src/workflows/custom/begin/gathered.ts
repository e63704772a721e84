/** The event `gathered` of a table whose rules begin runs. */
import type { FactValue, Rule, Workflow } from "../../../engine/workflow.ts";
import { type FactSource, GATHERED } from "../definition/definition.ts";

/**
 * The table with the event, and with a rule for runs that are still open wherever it has none: the event comes once
 * they rest, so a file needs no such rule.
 */
export function withGathered(
  table: Workflow,
  sources: Readonly<Record<string, FactSource>>,
  reply: string | undefined,
): Workflow {
  const begins = table.rules.some(({ commands = [] }) => commands.some(({ type }) => type === "begin"));
  if (!begins) return table;
  const events = {
    [GATHERED]: { description: "The runs that it began have come to rest." },
    ...table.events,
  };
  const added = Object.keys(sources)
    .filter((fact) => sources[fact]?.type === "children")
    .map((fact) => openRule(table, fact, reply));
  const rules = [...table.rules, ...added.flatMap((rule) => rule ?? [])];
  return { ...table, events, rules };
}

function openRule({ rules, states }: Workflow, fact: string, reply: string | undefined): Rule | null {
  const hears = rules.filter(({ on }) => on === GATHERED);
  const from = Object.keys(states).filter((state) => {
    const heard = hears.filter((rule) => rule.from.includes(state));
    return heard.length > 0 && heard.every(({ when }) => when?.every((box) => isOver(box[fact])));
  });
  const [first] = hears;
  if (from.length === 0 || first === undefined) return null;
  const words = reply ?? first.reply;
  const id = `open.${GATHERED}`;
  return {
    id,
    from,
    on: GATHERED,
    when: [{ [fact]: ["open"] }],
    to: "same",
    outcome: "no-effect",
    reply: words,
  };
}

function isOver(values: readonly FactValue[] | undefined): boolean {
  return values !== undefined && !values.includes("open");
}
