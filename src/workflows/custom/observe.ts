/**
 * Observes the inputs of your own workflow: from the caller, the project's files, git, and the engine's own
 * commands.
 */

import { PawlError } from "../../core/error.ts";
import { isBookkeeping } from "../../core/gate-record.ts";
import { projectPath } from "../../core/path.ts";
import type { CheckOutcome } from "../../core/ports/checks.ts";
import type { GitState } from "../../core/ports/git.ts";
import { renderOddBoxes } from "../../core/text/checkbox.ts";
import { parseTaskItems } from "../../core/text/markdown.ts";
import { nearest } from "../../core/text/nearest.ts";
import { neededFacts } from "../../engine/inputs.ts";
import type { Fact, FactValue, Workflow } from "../../engine/workflow.ts";
import type {
  Observation,
  Observed,
  Observer,
  Observers,
  RunContext,
} from "../../runtime/transaction/run-event.ts";
import { loadChildren } from "./begin/children.ts";
import { type Definition, type FactSource, OTHER_BRANCH } from "./definition/definition.ts";
import { askFunction, type FunctionCall } from "./definition/functions.ts";
import { renderWithId } from "./definition/template.ts";
import type { OwnRun } from "./load-run.ts";
import type { CommandEnd } from "./reply.ts";
import type { Note, OwnSent, SendInput } from "./sent.ts";

/** The ends of the commands that ran for facts. */
export function endsIn({ notes }: Observed<Note>): Readonly<Record<string, CommandEnd>> {
  return Object.fromEntries(Object.entries(notes).flatMap(([name, { end }]) => (end ? [[name, end]] : [])));
}

/** The facts whose command passed and ran no test. */
export function emptyIn(observed: Observed<Note>): readonly string[] {
  return Object.entries(endsIn(observed)).flatMap(([name, { empty, exit_code }]) =>
    empty && exit_code === 0 ? [name] : [],
  );
}

/**
 * Throws `usage` unless every given fact is one that the event takes from the caller, with a declared value.
 */
export function checkGiven(
  { loaded: { definition }, configuration }: OwnRun,
  { event, given }: OwnSent,
): void {
  const { sources, table } = definition;
  const givenFacts = neededFacts(table, configuration, event).filter(
    (name) => sources[name]?.type === "given",
  );
  for (const [name, value] of Object.entries(given)) {
    if (givenFacts.includes(name) && table.facts[name]?.values.includes(value)) continue;
    if (givenFacts.includes(name)) throw missingFactError(table, event, name, value);
    const near = nearest(name, givenFacts);
    throw new PawlError(
      "usage",
      `${event} takes no fact ${JSON.stringify(name)} here: expected ${givenFacts.length > 0 ? givenFacts.join(", ") : "none"}.`,
      near ? `Give ${near} instead.` : `Send ${event} again without it.`,
    );
  }
}

function missingFactError(
  { facts }: Workflow,
  event: string,
  name: string,
  value: FactValue | undefined,
): PawlError {
  const { description = "", values = [] } = facts[name] ?? {};
  return new PawlError(
    "usage",
    `${event} needs the fact ${name} (${description.replace(/\.$/, "")}): expected one of ${values.map(String).join(", ")}; found ${value === undefined ? "nothing" : JSON.stringify(value)}.`,
    `Send ${event} again with ${name}, for instance \`--fact ${name}=${String(values[0])}\`; over MCP in \`given\`.`,
  );
}

type SendContext = RunContext<SendInput>;
type Source<Type extends FactSource["type"]> = Extract<FactSource, { readonly type: Type }>;

/** The observers, from the cheapest to the costliest. Throws `usage` if the caller must pass a fact. */
export function observersOf(run: OwnRun, sent: OwnSent, context: SendContext): Observers<Note> {
  const { id, loaded, workflow } = run;
  const { definition } = loaded;
  const { outside, view } = context;
  const of = (types: readonly FactSource["type"][], make: (name: string) => Observer<Note>) =>
    Object.entries(definition.sources)
      .filter(([, { type }]) => types.includes(type))
      .map(([name]) => [name, make(name)] as const);
  const sourceOf = <Type extends FactSource["type"]>(name: string) =>
    definition.sources[name] as Source<Type>;
  return Object.fromEntries([
    ...of(["file", "checklist"], (name) => {
      const { path, type } = sourceOf<"file" | "checklist">(name);
      const file = projectPath(renderWithId(path, id));
      return {
        async observe() {
          const text = await view.read(file);
          if (type === "checklist") return observeChecklist(text ?? "", file);
          return { value: text === null ? "missing" : "present" };
        },
      };
    }),
    ...of(["children"], () => ({
      observe: async () => ({
        value: (await loadChildren(run.file, { ...context, sources: run.sources })).value,
      }),
    })),
    ...Object.entries(sent.given).map(([name, value]) => [name, { observe: () => ({ value }) }] as const),
    ...of(["git-clean", "git-branch"], (name) => ({
      costly: true,
      observe: async () => ({ value: gitValue(definition, name, await outside.git.state()) }),
    })),
    ...of(["given"], (name) => ({
      costly: true,
      observe() {
        throw missingFactError(workflow, sent.event, name, undefined);
      },
    })).filter(([name]) => !Object.hasOwn(sent.given, name)),
    ...of(["function"], (name) => ({
      costly: true,
      async observe() {
        const { ask } = sourceOf<"function">(name);
        return { value: await askFunction(name, factOf(workflow, name), ask, callOf(run, "")) };
      },
    })),
    ...of(["command"], (name) => ({
      costly: true,
      observe: () => runCommand(name, sourceOf<"command">(name), run, sent, context),
    })),
  ]);
}

function factOf({ facts }: Workflow, name: string): Pick<Fact, "values"> {
  return facts[name] ?? { values: [] };
}

export function callOf({ configuration, id, run }: OwnRun, key: string): FunctionCall {
  return { run, id, state: configuration.state, kept: configuration.variables, key };
}

/** Runs a command once per decision: finds one again that has been running since an earlier send. */
async function runCommand(
  name: string,
  { command: named }: Source<"command">,
  { file, id, loaded, configuration, workflow }: OwnRun,
  { event }: OwnSent,
  { now, outside }: SendContext,
): Promise<Observation<Note>> {
  const { sources } = loaded.definition;
  const earlier =
    file?.checks !== undefined && Object.hasOwn(file.checks, name) ? file.checks[name] : undefined;
  const commands = neededFacts(workflow, configuration, event).filter(
    (each) => sources[each]?.type === "command",
  );
  const check = earlier ?? { key: `${now.id}-${commands.indexOf(name)}`, since: now.time };
  const command = renderWithId(named, id);
  const outcome = await outside.checks.run(check.key, command, { named });
  if (outcome.kind === "running") return { note: { look: check } };
  const value = outcome.exitCode === 0 ? "passed" : "failed";
  return { value, note: { look: check, end: endOf(command, outcome) } };
}

/** Uses a parser, so that a list in a code fence does not count. */
export function observeChecklist(text: string, where: string): Observation<Note> {
  const items = parseTaskItems(text, where);
  if (items.length === 0) return { value: "none" };
  const odd = items.filter(({ isOdd }) => isOdd).map(({ line }) => line);
  return {
    value: items.every(({ checked }) => checked) ? "all-checked" : "open",
    ...(odd.length > 0 ? { note: { remark: renderOddBoxes(odd, where) } } : {}),
  };
}

function gitValue(definition: Definition, name: string, git: GitState): FactValue {
  const repository = git.kind === "repository" ? git : null;
  if (definition.sources[name]?.type === "git-branch")
    return branchValue(definition, name, repository?.branch);
  if (repository === null) return "unknown";
  return repository.uncommitted.some((path) => !isBookkeeping(path)) ? "dirty" : "clean";
}

export function endOf(command: string, outcome: Extract<CheckOutcome, { kind: "ended" }>): CommandEnd {
  return {
    command,
    exit_code: outcome.exitCode,
    milliseconds: outcome.milliseconds,
    tail: outcome.tail,
    ...(outcome.empty ? { empty: outcome.empty } : {}),
  };
}

function branchValue({ table }: Definition, fact: string, branch: string | undefined): FactValue {
  const values = table.facts[fact]?.values ?? [];
  return branch !== undefined && values.includes(branch) ? branch : OTHER_BRANCH;
}
