/** A rule's reply: the values available to its template, and a check that the template renders. */

import type { Problem } from "../../core/yaml/located-yaml.ts";
import { initialVariables, targetOf } from "../../engine/configuration.ts";
import { asksAlways } from "../../engine/inputs.ts";
import { isFinal, pairOf } from "../../engine/lookup.ts";
import type { Decision, Facts, Rule } from "../../engine/workflow.ts";
import { sampleAnswers } from "./agents/prompt.ts";
import { type Definition, endEvents } from "./definition/definition.ts";
import { availableEvents, nextOf, renderEvents } from "./definition/describe.ts";
import { render, renderFault, replyFaults } from "./definition/template.ts";

/** The end of a command that the engine ran, or of an agent. */
export interface CommandEnd {
  readonly command: string;
  /** Null: it was killed. */
  readonly exit_code: number | null;
  readonly milliseconds: number;
  /** The end of its output. */
  readonly tail: string;
  /** It ran no test, by what it printed. */
  readonly empty?: true;
  /** It was an agent of the workflow, by this name; the command names its program. */
  readonly agent?: string;
}

export interface ReplyValues {
  /** `release:1.2.0` */
  readonly run: string;
  readonly id: string;
  /** The workflow's title. */
  readonly title: string;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  /** The run's state now. */
  readonly state: string;
  readonly description: string;
  /** The next step. */
  readonly next: string;
  readonly notes: string;
  /** The facts observed for this decision. */
  readonly facts: Facts;
  /** The run's variables now. */
  readonly kept: Facts;
  readonly given: Facts;
  /** Fact → the end of its command. */
  readonly checks: Readonly<Record<string, CommandEnd>>;
  /** The command whose end the event reports; null for other events. */
  readonly ended: CommandEnd | null;
  /** What the run's agents said last: agent → field → text. */
  readonly said: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The events that can be sent now, as a Markdown list. */
  readonly available: string;
}

/** Every name, before there are values. */
const NONE: ReplyValues = {
  ...{ run: "", id: "", title: "", event: "", row: "", from: "", state: "", description: "", next: "" },
  ...{ notes: "", facts: {}, kept: {}, given: {}, checks: {}, ended: null, said: {}, available: "" },
};

/** The values that follow from the decision alone. */
export function decidedValues(definition: Definition, id: string, { after, before, rule }: Decision) {
  const { table } = definition;
  const run = `${table.name}:${id}`;
  return {
    ...{ run, id, title: table.title, event: rule.on, row: rule.id, from: before.state, state: after.state },
    description: table.states[after.state]?.description ?? "",
    next: nextOf(definition, after),
    kept: after.variables,
    available: renderEvents(run, availableEvents(definition, after)),
  };
}

export function renderReply(definition: Definition, rule: Rule, source: string, values: ReplyValues): string {
  return render(definition.replies[rule.reply] ?? "", source, { ...values });
}

/** Parses every reply, checks its variables, and renders it for each rule and source state that uses it. */
export function checkReplies(
  definition: Definition,
  sourceOf: (reply: string) => string,
): readonly Problem[] {
  const { table, replies } = definition;
  const faulty = Object.entries(replies).flatMap(([name, text]) =>
    replyFaults(text, Object.keys(NONE)).map(({ line, message }) => ({
      place: `${sourceOf(name)}:${line}`,
      message,
    })),
  );
  if (faulty.length > 0) return faulty;
  return table.rules.flatMap((rule) => {
    if (!Object.hasOwn(replies, rule.reply)) return [];
    const fault = trialFault(definition, rule, sourceOf(rule.reply));
    return fault ? [fault] : [];
  });
}

function trialFault(definition: Definition, rule: Rule, source: string): Problem | null {
  const template = definition.replies[rule.reply] ?? "";
  for (const state of rule.from) {
    if (isFinal(definition.table, state)) continue;
    const fault = renderFault(template, sampleOf(definition, rule, state));
    if (fault) return { place: source, message: `for rule ${rule.id} from ${state}: ${fault}` };
  }
  return null;
}

/** Sample values in the form that the rule's reply gets when the rule applies in the state. */
function sampleOf(definition: Definition, rule: Rule, state: string): ReplyValues {
  const { table, sources } = definition;
  const end: CommandEnd = { command: "true", exit_code: 0, milliseconds: 1, tail: "" };
  const { inputs } = pairOf(table, state, rule.on);
  // Files are always observed; other facts are certain only if the rule always needs them.
  const isFile = (name: string) => ["file", "checklist"].includes(sources[name]?.type ?? "");
  const sure = inputs.filter((name) => isFile(name) || asksAlways(rule, name));
  const ofType = (type: string) => sure.filter((name) => sources[name]?.type === type);
  const first = (name: string) => table.facts[name]?.values[0] ?? null;
  const after = targetOf(rule, state) ?? state;
  const variables = initialVariables(table);
  const decision = { rule, before: { state, variables }, after: { state: after, variables } };
  return {
    ...{ ...NONE, ...decidedValues(definition, "id", decision), said: sampleAnswers(definition) },
    facts: Object.fromEntries(sure.map((name) => [name, first(name)])),
    given: Object.fromEntries(ofType("given").map((name) => [name, first(name)])),
    checks: Object.fromEntries(ofType("command").map((name) => [name, end])),
    ended: endEvents(table).has(rule.on) ? end : null,
  };
}
