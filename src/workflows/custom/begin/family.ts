/** The own workflows that a workflow begins, directly or through others. */
import { PawlError } from "../../../core/error.ts";
import type { View } from "../../../core/ports/store.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { initialVariables } from "../../../engine/configuration.ts";
import { neededFacts } from "../../../engine/inputs.ts";
import { isFinal } from "../../../engine/lookup.ts";
import { movingEvents } from "../../../engine/reach.ts";
import {
  type BeginCommand,
  BLOOM,
  beginCommands,
  type Definition,
  type DefinitionSource,
  endEvents,
  type Loaded,
} from "../definition/definition.ts";
import { invalidWorkflowError } from "../definition/problem.ts";

/** By name. */
export type Family = ReadonlyMap<string, Definition>;

/** The input for the first event of a run that another run begins: no caller waits for it or passes facts. */
const ASKED: ReadonlySet<string> = new Set(["file", "checklist", "git-clean", "git-branch", "children"]);

/** Throws `workflow-invalid` if a workflow that it begins is not there or cannot be begun, or begins itself. */
export async function loadFamily(
  sources: readonly DefinitionSource[],
  view: View,
  { file, name }: Pick<DefinitionSource, "file" | "name">,
  { definition, placeOf }: Loaded,
): Promise<Family> {
  const family = new Map<string, Definition>();
  const problems = [];
  for (const { command, rule } of beginCommands(definition)) {
    const { workflow } = command;
    const fault =
      workflow === BLOOM
        ? await lifeFault(sources, view, command)
        : ((await addTo(family, sources, view, [name], workflow)) ??
          childFault(family.get(workflow), command));
    if (fault === null) continue;
    const place = placeOf?.({ kind: "event-unknown", message: fault, rules: [rule.id] }) ?? name;
    problems.push({ place, message: `rule ${rule.id}: ${fault}` });
  }
  if (problems.length > 0) throw invalidWorkflowError(name, file ?? "its definition", problems);
  return family;
}

/** Adds the workflow and all that it begins. Returns why it cannot; null: it did. */
async function addTo(
  family: Map<string, Definition>,
  sources: readonly DefinitionSource[],
  view: View,
  path: readonly string[],
  name: string,
): Promise<string | null> {
  if (path.includes(name)) {
    const circle = [...path.slice(path.indexOf(name)), name].join(" → ");
    return `workflows begin each other in a circle: ${circle}. Expected an end to it.`;
  }
  const definition = await definitionOf(sources, view, name);
  if (typeof definition === "string") return definition;
  for (const { command } of beginCommands(definition)) {
    if (command.workflow === BLOOM) continue;
    const fault = await addTo(family, sources, view, [...path, name], command.workflow);
    if (fault !== null) return fault;
  }
  family.set(name, definition);
  return null;
}

/** Or why there is none that can be used. */
async function definitionOf(
  sources: readonly DefinitionSource[],
  view: View,
  name: string,
): Promise<Definition | string> {
  const source = sources.find((each) => each.name === name);
  if (!source) {
    const known = [BLOOM, ...sources.map((each) => each.name)];
    const near = nearest(name, known);
    return `${JSON.stringify(name)} is no workflow: ${near ? `did you mean ${near}?` : `expected one of ${known.join(", ")}.`}`;
  }
  try {
    return (await source.load(view)).definition;
  } catch (thrown) {
    if (!(thrown instanceof PawlError)) throw thrown;
    return `${name} cannot be used: \`pawl check ${name}\` says why.`;
  }
}

/** A life that is there lays itself over Bloom's table. */
async function lifeFault(
  sources: readonly DefinitionSource[],
  view: View,
  { with: keys = {} }: BeginCommand,
): Promise<string | null> {
  const { life = BLOOM } = keys;
  if (life === BLOOM) return null;
  const definition = await definitionOf(sources, view, String(life));
  if (typeof definition === "string") return definition;
  return definition.extends ? null : `${life} is no life of tasks: expected \`extends: bloom\` in it.`;
}

function childFault(definition: Definition | undefined, { done = [], event }: BeginCommand): string | null {
  if (definition === undefined) return null;
  const { gates = {}, sources, table } = definition;
  const { initial: state, name } = table;
  if (definition.extends)
    return `${name} is a life of tasks: expected \`workflow: bloom\`, and ${name} as \`life\` in \`with\`.`;
  if (!(table.starts ?? [{}]).some((start) => Object.keys(start).length === 0))
    return `runs of ${name} begin only with variables, by its \`starts\`: expected one without.`;
  const ends = Object.keys(table.states).filter((each) => isFinal(table, each));
  const other = done.find((each) => !ends.includes(each));
  if (other !== undefined)
    return `no run of ${name} ends in ${JSON.stringify(other)}: expected one of ${ends.join(", ")} in \`done\`.`;
  if (event === undefined) return null;
  const configuration = { state, variables: initialVariables(table) };
  const events = movingEvents(table, configuration).filter(
    (each) => !Object.hasOwn(gates, each) && !endEvents(table).has(each),
  );
  if (!events.includes(event)) {
    const expected = events.length > 0 ? `one of ${events.join(", ")}` : "an event that is no person's";
    return `${JSON.stringify(event)} begins no run of ${name} in ${state}: expected ${expected}.`;
  }
  const asks = neededFacts(table, configuration, event).find((fact) => !ASKED.has(sources[fact]?.type ?? ""));
  if (asks === undefined) return null;
  return `${event} of ${name} asks for the fact ${asks}: expected only facts from files and git.`;
}
