/**
 * Checks what the engine's check does not cover: sources, gates and commands. The table's structure may be
 * faulty.
 */

import { pathFault } from "../../core/path.ts";
import { targetOf } from "../../engine/configuration.ts";
import { isFinal, isVariable } from "../../engine/lookup.ts";
import type { Rule, Workflow } from "../../engine/workflow.ts";
import {
  commandOf,
  type Definition,
  endEvents,
  type FactSource,
  OTHER_BRANCH,
  type RunCommand,
  VALUES_OF,
} from "./definition.ts";
import { renderWithId, templateFault } from "./template.ts";

export interface DefinitionFault {
  readonly row?: string;
  readonly fact?: string;
  readonly event?: string;
  readonly state?: string;
  /** The index of the glob in `planFiles`. */
  readonly planFile?: number;
  readonly message: string;
}

export function checkDefinition(definition: Omit<Definition, "replies">): readonly DefinitionFault[] {
  return [
    ...checkSources(definition),
    ...checkGates(definition),
    ...checkCommands(definition),
    ...checkPlanFiles(definition),
  ];
}

function checkPlanFiles({ planFiles, table }: Omit<Definition, "replies">): readonly DefinitionFault[] {
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

function checkSources({ table, sources }: Omit<Definition, "replies">): readonly DefinitionFault[] {
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
  const found: string[] = [];
  if (fixed && !(fixed.length === values.length && fixed.every((value) => values.includes(value))))
    found.push(`expected the values ${fixed.join(", ")}; found ${values.join(", ")}.`);
  if (source.type === "git-branch" && !values.includes(OTHER_BRANCH))
    found.push(`expected "${OTHER_BRANCH}" among the values: it stands for every branch that is not listed.`);
  if (source.type === "file" || source.type === "checklist") {
    const fault = templateFault(source.path) ?? pathFault(renderWithId(source.path, "id"));
    if (fault) found.push(`the path ${JSON.stringify(source.path)} cannot be used: ${fault}.`);
  }
  if (source.type === "command") {
    const fault = templateFault(source.command);
    if (fault) found.push(`the command cannot be used: ${fault}.`);
  }
  return found;
}

function checkGates({
  table,
  gates = {},
  hints = {},
}: Omit<Definition, "replies">): readonly DefinitionFault[] {
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

function checkCommands({ table, sources }: Omit<Definition, "replies">): readonly DefinitionFault[] {
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
        ? [{ row: rule.id, message: `rule ${rule.id}: expected one command, of type "run".` }]
        : []),
      ...(command ? commandFaults(table, rule, command) : []),
    ];
  });
}

function commandFaults(table: Workflow, rule: Rule, command: RunCommand): readonly DefinitionFault[] {
  const fault = templateFault(command.command);
  const faults = fault ? [`the command cannot be used: ${fault}.`] : [];
  for (const event of new Set([command.passed, command.failed])) {
    if (!Object.hasOwn(table.events, event)) {
      faults.push(
        `${JSON.stringify(event)} is not an event; expected one of ${Object.keys(table.events).join(", ")}.`,
      );
      continue;
    }
    for (const state of new Set(rule.from.map((from) => targetOf(rule, from) ?? from))) {
      if (isFinal(table, state))
        faults.push(`the run ends in ${state}, so no event could say how the command ended.`);
      else if (!isTaken(table, state, event))
        faults.push(`in ${state}, where the command runs, no rule moves on ${event}.`);
    }
  }
  return [...new Set(faults)].map((message) => ({ row: rule.id, message: `rule ${rule.id}: ${message}` }));
}

function isTaken(table: Workflow, state: string, event: string): boolean {
  return table.rules.some(
    ({ from, on, outcome }) => on === event && outcome === "moved" && from.includes(state),
  );
}
