/** Simulates a table without a run: nothing is read, started or written. */
import { initialVariables } from "../../engine/configuration.ts";
import { decide, initialConfiguration } from "../../engine/decide.ts";
import { isFinal, pairOf, valuesOf } from "../../engine/lookup.ts";
import type { Configuration, Decision, Facts, FactValue, Rule } from "../../engine/workflow.ts";
import { sampleAnswers } from "./agents/prompt.ts";
import {
  agentCommands,
  commandOf,
  type Definition,
  endsOf,
  isBegin,
  isForAgent,
} from "./definition/definition.ts";
import { type CommandEnd, decidedValues, renderReply } from "./reply.ts";

/** A possible next step: a rule, and inputs with which it applies. */
export interface Choice {
  readonly event: string;
  readonly rule: Rule;
  /** The inputs that the state and event need. */
  readonly facts: Facts;
  readonly decision: Decision;
}

export function beginOf({ table }: Definition): Configuration {
  const [first = initialVariables(table)] = table.starts ?? [];
  return initialConfiguration(table, first);
}

/**
 * Every rule that could apply, first those that move the run; none if it has ended. `fixed`: known inputs.
 */
export function choicesAt(
  definition: Definition,
  configuration: Configuration,
  fixed: Facts = {},
): readonly Choice[] {
  const { table } = definition;
  if (isFinal(table, configuration.state)) return [];
  const all = Object.keys(table.events).flatMap((event) =>
    pairOf(table, configuration.state, event).rules.flatMap((rule) => {
      const boxes = (rule.when ?? [{}]).map((box) =>
        choiceIn(definition, configuration, event, rule, box, fixed),
      );
      return boxes.find((each) => each !== null) ?? [];
    }),
  );
  const moves = ({ rule }: Choice) => rule.outcome === "moved";
  // Rules that depend on more of the known inputs come first.
  const replyLine = ({ rule }: Choice) =>
    Object.keys(fixed).filter((name) => rule.when?.some((box) => Object.hasOwn(box, name))).length;
  const others = all
    .filter((choice) => !moves(choice))
    .sort((one, other) => replyLine(other) - replyLine(one));
  return [...all.filter(moves), ...others];
}

/** As `choicesAt`; but while a command or an agent has an order, only its ends move the run. */
export function choicesAfter(
  definition: Definition,
  walked: readonly Choice[],
  fixed: Facts = {},
): readonly Choice[] {
  const at = walked.at(-1)?.decision.after ?? beginOf(definition);
  const order = orderAfter(walked);
  const choices = choicesAt(definition, at, fixed);
  return order === null ? choices : choices.filter(({ event }) => endsOf(order).includes(event));
}

/** What the last move starts, and how it may end; null: nothing. */
export function orderWords(walked: readonly Choice[]): string | null {
  const order = orderAfter(walked);
  if (order === null) return null;
  const ends = endsOf(order).join(" or ");
  if (isBegin(order)) return `Runs of ${order.workflow} begin: once they rest, ${ends} comes.`;
  if (isForAgent(order)) return `The agent ${order.agent} works: it answers ${ends}.`;
  return `\`${order.command}\` runs: its end is ${ends}.`;
}

function orderAfter(walked: readonly Choice[]) {
  const last = walked.findLast(({ rule }) => rule.outcome === "moved");
  return last ? commandOf(last.rule) : null;
}

function choiceIn(
  { table }: Definition,
  configuration: Configuration,
  event: string,
  rule: Rule,
  box: Readonly<Record<string, readonly FactValue[]>>,
  fixed: Facts,
): Choice | null {
  const { inputs, variables } = pairOf(table, configuration.state, event);
  const fits = (name: string, value: FactValue) =>
    !Object.hasOwn(box, name) || box[name]?.includes(value) === true;
  if (variables.some((name) => !fits(name, configuration.variables[name] ?? null))) return null;
  const facts: Record<string, FactValue> = {};
  for (const name of inputs) {
    const values = Object.hasOwn(fixed, name) ? [fixed[name] ?? null] : valuesOf(table, name);
    const value = values.find((each) => fits(name, each));
    if (value === undefined) return null;
    facts[name] = value;
  }
  return { event, rule, facts, decision: decide(table, configuration, event, facts) };
}

/** The reply to the event's caller. */
export function replyOf(
  definition: Definition,
  { decision, event, facts, rule }: Choice,
  id: string,
): string {
  const { sources, table } = definition;
  const end = (command: string, isPassed: boolean): CommandEnd => ({
    ...{ command, exit_code: isPassed ? 0 : 1, milliseconds: 0, tail: "(what it printed)" },
  });
  const ofType = (type: string) => Object.keys(facts).filter((name) => sources[name]?.type === type);
  const commands = table.rules.flatMap((each) => each.commands ?? []);
  const ended = commands.find(({ failed, passed }) => failed === event || passed === event);
  const answer = agentCommands(definition).find(({ command }) => endsOf(command).includes(event));
  return renderReply(definition, rule, `the reply ${rule.reply}`, {
    ...decidedValues(definition, id, decision),
    notes: "(what was said with it)",
    facts,
    given: Object.fromEntries(ofType("given").map((name) => [name, facts[name] ?? null])),
    checks: Object.fromEntries(
      ofType("command").map((name) => {
        const source = sources[name];
        return [name, end(source?.type === "command" ? source.command : "", facts[name] === "passed")];
      }),
    ),
    ended: ended
      ? end(String(ended.command), ended.passed === event)
      : answer
        ? end(`the agent ${answer.command.agent}`, true)
        : null,
    said: sampleAnswers(definition),
  });
}
