/**
 * Checks what the engine's check does not cover: sources, gates and commands. The table's structure may be
 * faulty.
 */

import { pathFault } from "../../../core/path.ts";
import { targetOf } from "../../../engine/configuration.ts";
import { isFinal, isVariable } from "../../../engine/lookup.ts";
import type { Rule, Workflow } from "../../../engine/workflow.ts";
import type { AgentCommand } from "../../../runtime/agent-order.ts";
import { beginFaults } from "../begin/check-begin.ts";
import {
  agentCommands,
  commandOf,
  type Definition,
  endEvents,
  endsOf,
  type FactSource,
  isBegin,
  isForAgent,
  OTHER_BRANCH,
  type RuleCommand,
  type RunCommand,
  VALUES_OF,
} from "./definition.ts";
import type { Fault } from "./problem.ts";
import { renderWithId, templateFault } from "./template.ts";

type Checked = Omit<Definition, "replies" | "prompts">;

export function checkDefinition(definition: Checked): readonly Fault[] {
  return [
    ...checkSources(definition),
    ...checkGates(definition),
    ...checkCommands(definition),
    ...checkAgents(definition),
    ...checkPlanFiles(definition),
  ];
}

function checkPlanFiles({ planFiles, table }: Checked): readonly Fault[] {
  const needs = Object.entries(table.states).filter(([, { writes }]) => writes === "plan");
  return [
    ...(planFiles ?? []).flatMap((glob, planFile) => {
      const fault = templateFault(glob) ?? pathFault(renderWithId(glob, "id"));
      if (fault === null) return [];
      return [{ planFile, message: `the plan files ${JSON.stringify(glob)} cannot be used: ${fault}.` }];
    }),
    ...(planFiles === undefined ? needs : []).map(([state]) => ({
      state,
      message: `the state ${state} writes plan: expected \`plan_files\`, which say what that is.`,
    })),
  ];
}

function checkSources({ table, sources }: Checked): readonly Fault[] {
  const unknown = Object.keys(sources).filter((name) => !Object.hasOwn(table.facts, name));
  return [
    ...unknown.map((fact) => ({ fact, message: `source ${fact}: the table has no fact of that name.` })),
    ...Object.entries(table.facts).flatMap(([name, fact]) => {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      const faults = isVariable(fact) ? variableFaults(source) : sourceFaults(source, fact.values);
      return faults.map((message) => ({ fact: name, message: `fact ${name}: ${message}` }));
    }),
  ];
}

function variableFaults(source: FactSource | undefined): readonly string[] {
  return source ? ["a variable has no source."] : [];
}

function sourceFaults(source: FactSource | undefined, values: readonly unknown[]): readonly string[] {
  if (!source) return ["an input needs a source; a variable needs `initial`."];
  const fixed = VALUES_OF[source.type];
  const messages: string[] = [];
  if (fixed && !(fixed.length === values.length && fixed.every((value) => values.includes(value))))
    messages.push(`expected the values ${fixed.join(", ")}; found ${values.join(", ")}.`);
  if (source.type === "git-branch" && !values.includes(OTHER_BRANCH))
    messages.push(
      `expected "${OTHER_BRANCH}" among the values: it stands for every branch that is not listed.`,
    );
  if (source.type === "file" || source.type === "checklist") {
    const fault = templateFault(source.path) ?? pathFault(renderWithId(source.path, "id"));
    if (fault) messages.push(`the path ${JSON.stringify(source.path)} cannot be used: ${fault}.`);
  }
  if (source.type === "function" && typeof source.ask !== "function")
    messages.push("expected `ask`, a function that answers with one of the values.");
  if (source.type === "command") {
    const fault = templateFault(source.command);
    if (fault) messages.push(`the command cannot be used: ${fault}.`);
  }
  return messages;
}

function checkGates({ table, gates = {}, hints = {} }: Checked): readonly Fault[] {
  const ends = endEvents(table);
  return [
    ...Object.keys(gates).flatMap((event) => {
      if (!Object.hasOwn(table.events, event))
        return [{ event, message: `gate ${event}: the table has no such event.` }];
      if (!ends.has(event)) return [];
      return [
        {
          event,
          message: `event ${event}: it says how a command ended, so only the engine sends it; leave gate and verdict out.`,
        },
      ];
    }),
    ...Object.keys(hints)
      .filter((state) => !Object.hasOwn(table.states, state))
      .map((state) => ({ message: `hint ${state}: the table has no such state.` })),
  ];
}

function checkCommands(definition: Checked): readonly Fault[] {
  const { table, sources } = definition;
  const ends = endEvents(table);
  return table.rules.flatMap((rule) => {
    const command = commandOf(rule);
    const asks = ends.has(rule.on)
      ? (rule.when ?? []).flatMap((box) => Object.keys(box)).filter((name) => sources[name]?.type === "given")
      : [];
    return [
      ...asks.map((fact) => ({
        row: rule.id,
        message: `rule ${rule.id}: ${rule.on} is sent by the engine, which gives no fact ${fact}.`,
      })),
      ...((rule.commands?.length ?? 0) > 1 || (rule.commands && !command)
        ? [{ row: rule.id, message: `rule ${rule.id}: expected one of \`run\` and \`begin\`.` }]
        : []),
      ...(command ? commandFaults(definition, rule, command) : []),
    ];
  });
}

export function commandFaults(definition: Checked, rule: Rule, command: RuleCommand): readonly Fault[] {
  const { table } = definition;
  const what = isBegin(command) ? "what it begins" : isForAgent(command) ? "the agent" : "the command";
  const faults = [...ownFaults(definition, rule, command)];
  for (const event of new Set(endsOf(command))) {
    if (!Object.hasOwn(table.events, event)) {
      faults.push(
        `${JSON.stringify(event)} is not an event; expected one of ${Object.keys(table.events).join(", ")}.`,
      );
      continue;
    }
    for (const state of new Set(rule.from.map((from) => targetOf(rule, from) ?? from))) {
      if (isFinal(table, state))
        faults.push(`the run ends in ${state}, so no event could say how ${what} ended.`);
      else if (!isTaken(table, state, event))
        faults.push(`in ${state}, where ${what} runs, no rule moves on ${event}.`);
    }
  }
  return [...new Set(faults)].map((message) => ({ row: rule.id, message: `rule ${rule.id}: ${message}` }));
}

function ownFaults(definition: Checked, rule: Rule, command: RuleCommand): readonly string[] {
  if (isBegin(command)) return beginFaults(definition, rule, command);
  return isForAgent(command) ? answerFaults(command) : sourceOfCommand(command);
}

function sourceOfCommand({ call, command }: RunCommand): readonly string[] {
  if (typeof command === "string" ? call !== undefined : typeof call !== "function")
    return ["expected either `command`, for a shell, or `call`, a function."];
  const fault = command === undefined ? null : templateFault(command);
  return fault ? [`the command cannot be used: ${fault}.`] : [];
}

const FIELD = /^[a-z][a-z0-9_]*$/;
/** Also part of a file's name. */
const AGENT = /^[a-z][a-z0-9_-]{0,40}$/;

function answerFaults({ answers, prompt }: AgentCommand): readonly string[] {
  if (typeof prompt !== "string" || typeof answers !== "object" || answers === null)
    return ["expected `prompt`, and `answers`: a map of fields."];
  const faults = Object.entries(answers).flatMap(([field, kind]) => [
    ...(FIELD.test(field)
      ? []
      : [`the answer's field ${JSON.stringify(field)} is not a word of a-z, 0-9 and _.`]),
    ...(kind === "text" ||
    kind === "tasks" ||
    (Array.isArray(kind) && kind.length > 0 && new Set(kind).size === kind.length)
      ? []
      : [`the answer's field ${field}: expected text, tasks, or a list of different events.`]),
  ]);
  const verdicts = Object.values(answers).filter((kind) => Array.isArray(kind));
  if (verdicts.length === 1) return faults;
  return [...faults, `expected one field of \`answers\` that lists events, of which the agent names one.`];
}

/** Each agent exists and is used. */
export function checkAgents({ agents = {}, table }: Checked): readonly Fault[] {
  const orders = agentCommands({ table }).map(({ command, rule }) => ({
    row: rule.id,
    agent: command.agent,
  }));
  const names = Object.keys(agents);
  const expected = names.length > 0 ? `one of ${names.join(", ")}` : "an entry under `agents`";
  return [
    ...names
      .filter((name) => !AGENT.test(name))
      .map((agent) => ({ agent, message: `agent ${agent}: expected a name of a-z, 0-9, _ and -.` })),
    ...orders
      .filter(({ agent }) => !Object.hasOwn(agents, agent))
      .map(({ agent, row }) => ({
        row,
        message: `rule ${row}: ${JSON.stringify(agent)} is no agent of this workflow: expected ${expected}.`,
      })),
    ...names
      .filter((name) => !orders.some(({ agent }) => agent === name))
      .map((agent) => ({ agent, message: `agent ${agent}: no rule starts it.` })),
  ];
}

function isTaken(table: Workflow, state: string, event: string): boolean {
  return table.rules.some(
    ({ from, on, outcome }) => on === event && outcome === "moved" && from.includes(state),
  );
}
