/** Describes a run in words: the next step, and the events that can be sent. */
import { neededFacts } from "../../../engine/inputs.ts";
import { isFinal } from "../../../engine/lookup.ts";
import { movingEvents } from "../../../engine/reach.ts";
import type { Configuration } from "../../../engine/workflow.ts";
import type { EndedCommand, Step } from "../../../runtime/run-log/step.ts";
import { type Awaited, type Definition, endEvents } from "./definition.ts";

export interface AvailableEvent {
  readonly event: string;
  readonly description: string;
  /** Only a person sends it. */
  readonly human: boolean;
  /** The facts that the caller passes with it, with their possible values. */
  readonly given: Readonly<Record<string, readonly unknown[]>>;
}

/** The events that may move the run and that callers can send. */
export function availableEvents(
  definition: Definition,
  configuration: Configuration,
): readonly AvailableEvent[] {
  const { table, sources, gates = {} } = definition;
  const ends = endEvents(table);
  return movingEvents(table, configuration)
    .filter((event) => !ends.has(event))
    .map((event) => ({
      event,
      description: table.events[event]?.description ?? "",
      human: Object.hasOwn(gates, event),
      given: Object.fromEntries(
        neededFacts(table, configuration, event)
          .filter((name) => sources[name]?.type === "given")
          .map((name) => [name, table.facts[name]?.values ?? []]),
      ),
    }));
}

export function renderEvents(run: string, events: readonly AvailableEvent[]): string {
  return events
    .map(({ event, description, human, given }) => {
      const facts = Object.entries(given).map(
        ([name, values]) => `${name} (${values.map(String).join(", ")})`,
      );
      const needs = facts.length > 0 ? ` Give ${facts.join(" and ")}.` : "";
      const who = human ? ` A person's: \`pawl cast ${run} ${event}\`.` : "";
      return `- \`${event}\`: ${sentence(description)}${needs}${who}`;
    })
    .join("\n");
}

/** Who acts next: as the table's author says, else a person if only a person's events lead on. */
export function awaitedOf(definition: Definition, configuration: Configuration): Awaited {
  const hint = definition.hints?.[configuration.state]?.awaits;
  if (hint) return hint;
  if (isFinal(definition.table, configuration.state)) return "nobody";
  const events = availableEvents(definition, configuration);
  return events.length > 0 && events.every(({ human }) => human) ? "human" : "assistant";
}

/** Whether the state has an event that `pawl approve` or `pawl reject` sends. */
export function takesVerdict(definition: Definition, configuration: Configuration): boolean {
  const events = availableEvents(definition, configuration);
  return events.some(({ event }) => (definition.gates?.[event] ?? "human") !== "human");
}

/** The next step, in a few words. */
export function nextOf(definition: Definition, configuration: Configuration): string {
  const hint = definition.hints?.[configuration.state]?.next;
  if (hint) return hint;
  if (isFinal(definition.table, configuration.state)) return "";
  const events = availableEvents(definition, configuration).map(({ event }) => event);
  return events.length > 0 ? `send ${events.join(" or ")}` : "";
}

/** The facts that led to a step. */
export function factWords({ empty = [], facts = {} }: Pick<Step, "empty" | "facts">): readonly string[] {
  return Object.entries(facts).map(
    ([name, value]) => `${name} = ${value}${empty.includes(name) ? " (ran no test)" : ""}`,
  );
}

/** How a command ended. */
export function endWords({ empty, exit_code }: Pick<EndedCommand, "empty" | "exit_code">): string {
  return `ended with ${exit_code ?? "no exit code"}${empty ? " but ran no test" : ""}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) || trimmed === "" ? trimmed : `${trimmed}.`;
}
