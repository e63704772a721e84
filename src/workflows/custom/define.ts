/** Defines a workflow in a program. */

import type { Problem } from "../../core/yaml/located-yaml.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { checkPrompts } from "./agents/prompt.ts";
import { checkDefinition } from "./definition/check-definition.ts";
import { checkKeys } from "./definition/check-keys.ts";
import type { Definition, DefinitionSource, Gate, StateHint } from "./definition/definition.ts";
import type { Defined, DraftOf, FactsOf, WorkflowDraft } from "./definition/draft.ts";
import { invalidWorkflowError } from "./definition/problem.ts";
import { checkProved, tableHash } from "./proved.ts";
import { checkReplies } from "./reply.ts";

/**
 * Checks a workflow's definition: every key is known, and names, sources, gates, commands and replies are
 * consistent. Gates and hints in the table's events and states are moved to `gates` and `hints`; a definition
 * without them is returned unchanged. Then proves the table: it decides every case, and from everywhere a goal
 * can be reached. Misspelt states, events, facts and replies do not compile.
 *
 * @throws PawlError `workflow-invalid`, with all problems.
 */
export function defineWorkflow<
  const Name extends string,
  const State extends string,
  const Event extends string,
  const Facts extends FactsOf,
>(draft: DraftOf<Name, State, Event, Facts>): Defined<Name, State, Event, Facts> {
  const definition = definitionOf(draft as WorkflowDraft);
  checkProved(definition, null);
  return definition as Defined<Name, State, Event, Facts>;
}

function definitionOf(draft: WorkflowDraft): Definition {
  const name = typeof draft?.table?.name === "string" ? draft.table.name : "of the program";
  const faultLines = checkKeys(draft);
  if (faultLines.length > 0) throw invalidWorkflowError(name, "its definition", faultLines);
  const definition = withoutDrafts(draft);
  const { table } = definition;
  const problems: readonly Problem[] = [
    ...checkStructure(table).map(({ message }) => ({ place: table.name, message })),
    ...checkDefinition(definition).map(({ message }) => ({ place: table.name, message })),
  ];
  const all =
    problems.length > 0
      ? problems
      : [
          ...checkReplies(definition, (reply) => `${table.name}, reply ${reply}`),
          ...checkPrompts(definition, (prompt) => `${table.name}, prompt ${prompt}`),
        ];
  if (all.length > 0) throw invalidWorkflowError(table.name, "its definition", all);
  return definition;
}

function withoutDrafts(draft: WorkflowDraft): Definition {
  const { events, states } = draft.table;
  const gates: Record<string, Gate> = {};
  for (const [name, { gate, verdict }] of Object.entries(events)) {
    const kind = verdict ?? gate;
    if (kind) gates[name] = kind;
  }
  const hints: Record<string, StateHint> = {};
  for (const [name, { awaits, next }] of Object.entries(states))
    if (awaits !== undefined || next !== undefined)
      hints[name] = { ...(awaits ? { awaits } : {}), ...(next ? { next } : {}) };
  if (Object.keys(gates).length === 0 && Object.keys(hints).length === 0) return draft;
  const table: Workflow = {
    ...draft.table,
    events: Object.fromEntries(
      Object.entries(events).map(([name, { gate: _, verdict: __, ...event }]) => [name, event]),
    ),
    states: Object.fromEntries(
      Object.entries(states).map(([name, { awaits: _, next: __, ...state }]) => [name, state]),
    ),
  };
  return { ...draft, table, gates: { ...draft.gates, ...gates }, hints: { ...draft.hints, ...hints } };
}

/** The definition as the source of its module. */
export function programSource(definition: Definition): DefinitionSource {
  const loaded = { definition, hash: tableHash(definition) };
  return { name: definition.table.name, file: null, load: async () => loaded };
}
