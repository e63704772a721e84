/** `pawl workflow try`: simulates a workflow of the project. Reads, starts and writes nothing. */

import { PawlError } from "../../../core/error.ts";
import { ownFile } from "../../../core/own-file.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { isFinal, valuesOf } from "../../../engine/lookup.ts";
import type { Configuration, Facts, FactValue } from "../../../engine/workflow.ts";
import type { Definition } from "../../../workflows/custom/definition/definition.ts";
import { fileSource } from "../../../workflows/custom/load.ts";
import { checkProved } from "../../../workflows/custom/proved.ts";
import { beginOf, type Choice, choicesAfter, orderWords, replyOf } from "../../../workflows/custom/walk.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import type { Conversation } from "../terminal/controlling-terminal.ts";
import { clean } from "../terminal/terminal.ts";
import { listed } from "./listed.ts";

export const tryWorkflow: Run = async (host, call) => {
  const definition = await definitionOf(host, call.arguments.name as string);
  const fixed = factsOf(definition, (call.options.fact ?? []) as readonly string[]);
  const { events } = call.options;
  if (typeof events === "string") return walkAnswer(definition, walkBy(definition, listed(events), fixed));
  const terminal = host.person.terminal.open();
  if (terminal === null)
    throw new PawlError(
      "usage",
      "Without a terminal, Pawl cannot ask which events happen: expected --events with the events in their order.",
      `Run \`pawl workflow try ${definition.table.name} --events ${Object.keys(definition.table.events)[0]}\`, or the same command in a terminal.`,
    );
  try {
    return walkAnswer(definition, walkAt(terminal, definition, fixed), true);
  } finally {
    terminal.close();
  }
};

async function definitionOf(host: Host, name: string): Promise<Definition> {
  const { runtime } = await host.projects.open();
  const view = runtime.store.view();
  const { workflows } = await runtime.settings(view);
  const files = workflows.map(ownFile);
  const file = files.find((each) => each.name === name);
  if (!file) {
    const names = files.map((each) => each.name);
    const near = nearest(name, names);
    throw new PawlError(
      "workflow-missing",
      `The project has no workflow of its own called ${JSON.stringify(name)}: ${names.length > 0 ? `expected one of ${names.join(", ")}` : "pawl.yaml names none"}.`,
      near ? `Use ${near}.` : "`pawl workflow new` makes one.",
    );
  }
  const bloom = async () => (await import("../../../workflows/bloom/run/table.ts")).EXTENSIBLE;
  const { definition } = await fileSource(file, { bloom, files }).load(view);
  checkProved(definition, file.file);
  return definition;
}

/** Parses `name=value` pairs by the table's facts. */
function factsOf({ table }: Definition, given: readonly string[]): Facts {
  return Object.fromEntries(
    given.map((each): [string, FactValue] => {
      const [name = "", text = ""] = each.split(/=(.*)/s);
      const value = valuesOf(table, name).find((known) => String(known) === text);
      if (value !== undefined) return [name, value];
      const choices = Object.entries(table.facts).map(([fact, { values }]) => `${fact}=${values.join("|")}`);
      throw new PawlError(
        "usage",
        `--fact ${JSON.stringify(each)} names no fact with such a value: expected one of ${choices.join(", ")}.`,
        "Give it as --fact NAME=VALUE.",
      );
    }),
  );
}

/** Applies the events in order; each moves the run as far as the given facts allow. */
function walkBy(definition: Definition, events: readonly string[], fixed: Facts): readonly Choice[] {
  const { table } = definition;
  const walked: Choice[] = [];
  let at = beginOf(definition);
  for (const event of events) {
    if (!Object.hasOwn(table.events, event)) throw unknownEventError(definition, event);
    const choice = choicesAfter(definition, walked, fixed).find((each) => each.event === event);
    if (!choice)
      throw new PawlError(
        "usage",
        isFinal(table, at.state)
          ? `The walk ended in ${at.state}, which takes no ${event}.`
          : `With these facts, nothing decides ${event} in ${at.state}.`,
        "Leave it out, or change --fact.",
      );
    walked.push(choice);
    at = choice.decision.after;
  }
  return walked;
}

function unknownEventError({ table }: Definition, event: string): PawlError {
  const names = Object.keys(table.events);
  const near = nearest(event, names);
  return new PawlError(
    "usage",
    `${table.name} has no event ${JSON.stringify(event)}: expected one of ${names.join(", ")}.`,
    near ? `Use ${near}.` : `\`pawl workflow diagram ${table.name}\` draws it.`,
  );
}

/** Lets the person choose each event, until the run has ended or they stop. */
function walkAt(terminal: Conversation, definition: Definition, fixed: Facts): readonly Choice[] {
  const walked: Choice[] = [];
  for (let at = beginOf(definition); ; ) {
    const choices = choicesAfter(definition, walked, fixed);
    const order = orderWords(walked);
    const stateLines = [stateLine(definition, at), ...(order === null ? [] : [order])];
    terminal.write(`\n${clean(stateLines.join("\n"))}\n`);
    if (choices.length === 0) return walked;
    const lines = choices.map((choice, index) => `  ${index + 1}  ${clean(line(choice))}\n`);
    terminal.write(`${lines.join("")}What happens? (a number; Enter: stop) `);
    const typed = terminal.readLine()?.trim() ?? "";
    if (typed === "") return walked;
    const choice = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
    if (!choice) {
      terminal.write(`Expected a number from 1 to ${choices.length}.\n`);
      continue;
    }
    walked.push(choice);
    terminal.write(`\n${clean(replyOf(definition, choice, ID))}\n`);
    at = choice.decision.after;
  }
}

/** The simulated run's id, for texts that name the run. */
const ID = "try";

function stateLine({ table }: Definition, { state, variables }: Configuration): string {
  const kept = factWords(variables);
  const end = isFinal(table, state) ? " It ends here." : "";
  return `${state}: ${table.states[state]?.description ?? ""}${kept === "" ? "" : ` (${kept})`}${end}`;
}

function line({ decision, event, facts, rule }: Choice): string {
  const to = rule.outcome === "moved" ? `→ ${decision.after.state}` : `(${rule.outcome})`;
  const because = factWords(facts);
  return `${event} ${to}${because === "" ? "" : `  if ${because}`}`;
}

function factWords(facts: Facts): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join(", ");
}

/** `isShown`: the person has seen each reply already. */
function walkAnswer(definition: Definition, walked: readonly Choice[], isShown = false): Answer {
  const last = walked.at(-1)?.decision.after ?? beginOf(definition);
  const { table } = definition;
  const indented = (text: string) => text.trimEnd().replace(/^(?=.)/gm, "    ");
  const lines = walked.map((choice, index) => {
    const head = `${choice.decision.before.state}: ${line(choice)}`;
    if (isShown) return head;
    const order = orderWords(walked.slice(0, index + 1));
    const reply = [replyOf(definition, choice, ID).trimEnd(), ...(order === null ? [] : [order])];
    return `${head}\n${indented(reply.join("\n"))}`;
  });
  const next = [...new Set(choicesAfter(definition, walked).map(({ event }) => event))];
  const end = isFinal(table, last.state)
    ? `It ends in ${last.state}.`
    : `It is in ${last.state}. Next: ${next.join(", ")}.`;
  const text = clean([...lines, `${end} Nothing was written.`].join("\n"));
  return {
    text: `${text}\n`,
    data: {
      workflow: table.name,
      steps: walked.map(({ decision, event, facts, rule }) => ({
        ...{ event, rule: rule.id, outcome: rule.outcome, facts },
        ...{ from: decision.before.state, to: decision.after.state },
      })),
      state: last.state,
      ended: isFinal(table, last.state),
      next,
    },
  };
}
