/** The observed facts that a decision needs: from the caller, the project's files, git, and commands of the engine's own. */
import { PawlError } from "../../core/error.ts";
import { parseTaskItems } from "../../core/markdown.ts";
import { nearest } from "../../core/nearest.ts";
import { projectPath } from "../../core/path.ts";
import type { CheckOutcome } from "../../core/ports/checks.ts";
import type { GitLook } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import { pairOf } from "../../engine/lookup.ts";
import type { Facts, FactValue, Position, Row, Workflow } from "../../engine/workflow.ts";
import { asksAlways, type Definition, OTHER_BRANCH } from "./definition.ts";
import type { CommandEnd } from "./reply.ts";
import type { Looks } from "./run-file.ts";
import { renderWithId } from "./template.ts";

/** The names of the observed facts that the rows for the event mention, where the run stands. */
export function neededFacts({ table }: Definition, position: Position, event: string): readonly string[] {
  return pairOf(table, position.state, event).observed;
}

/** The facts that the caller passed, each with a value that the table declares. Throws `usage`. */
export function givenFacts(
  { table, sources }: Definition,
  needed: readonly string[],
  given: Facts,
  event: string,
): Facts {
  const asked = needed.filter((name) => sources[name]?.type === "given");
  for (const [name, value] of Object.entries(given)) {
    if (asked.includes(name) && table.facts[name]?.values.includes(value)) continue;
    if (asked.includes(name)) throw notGiven(table, event, name, value);
    const near = nearest(name, asked);
    throw new PawlError(
      "usage",
      `${event} takes no fact ${JSON.stringify(name)} here: expected ${asked.length > 0 ? asked.join(", ") : "none"}.`,
      near ? `Give ${near} instead.` : `Send ${event} again without it.`,
    );
  }
  return given;
}

function notGiven({ facts }: Workflow, event: string, name: string, value: FactValue | undefined): PawlError {
  const { description = "", values = [] } = facts[name] ?? {};
  return new PawlError(
    "usage",
    `${event} needs the fact ${name} (${description.replace(/\.$/, "")}): expected one of ${values.map(String).join(", ")}; found ${value === undefined ? "nothing" : JSON.stringify(value)}.`,
    `Send ${event} again with ${name}, for instance \`--fact ${name}=${String(values[0])}\`; over MCP in \`given\`.`,
  );
}

/** The facts that are answered by the project's files. */
export async function fileFacts(
  { sources }: Definition,
  needed: readonly string[],
  id: string,
  view: View,
): Promise<Facts> {
  const found: Record<string, FactValue> = {};
  for (const name of needed) {
    const source = sources[name];
    if (source?.type !== "file" && source?.type !== "checklist") continue;
    const path = projectPath(renderWithId(source.path, id));
    const text = await view.read(path);
    found[name] =
      source.type === "file" ? (text === null ? "missing" : "present") : checklistOf(text ?? "", path);
  }
  return found;
}

/** By a parser: what stands in a code fence is no list. Throws `text-too-long`. */
export function checklistOf(text: string, where: string): FactValue {
  const items = parseTaskItems(text, where);
  if (items.length === 0) return "none";
  return items.every(({ checked }) => checked) ? "all-checked" : "open";
}

/** What was found outside the project's files. */
export interface Observed {
  readonly facts: Facts;
  readonly checks: Readonly<Record<string, CommandEnd>>;
  /** Commands of this look, where the last of them still runs: under these keys they are found again. */
  readonly running: Looks;
}

export interface Looking {
  readonly definition: Definition;
  readonly position: Position;
  readonly event: string;
  readonly id: string;
  /** What is known already, of the project's files and from the caller. */
  readonly known: Facts;
  /** What an earlier look left running. */
  readonly looks: Looks;
}

/**
 * Looks outside, from what costs least to what costs most, until it is plain which row applies; never called under a
 * lock. `attempt`: unique, names what is run now. Throws `usage` where the caller must pass a fact.
 */
export async function observeOutside(
  looking: Looking,
  outside: Outside,
  { time, attempt }: { readonly time: string; readonly attempt: string },
): Promise<Observed> {
  const { definition, position, event, id, looks } = looking;
  const { sources, table } = definition;
  const needed = neededFacts(definition, position, event);
  const ofType = (...types: readonly string[]) =>
    needed.filter((name) => types.includes(sources[name]?.type ?? ""));
  const facts: Record<string, FactValue> = {};
  const checks: Record<string, CommandEnd> = {};
  const begun: Record<string, Looks[string]> = {};
  const isOpen = (name: string) => {
    const known = { ...looking.known, ...facts };
    return known[name] === undefined && matters(table, position, event, known, name);
  };
  for (const name of ofType("git-clean", "git-branch")) {
    if (isOpen(name)) facts[name] = gitValue(definition, name, await outside.git.look());
  }
  for (const name of ofType("given")) {
    if (isOpen(name)) throw notGiven(table, event, name, undefined);
  }
  for (const [at, name] of ofType("command").entries()) {
    const source = sources[name];
    if (source?.type !== "command" || !isOpen(name)) continue;
    const command = renderWithId(source.command, id);
    const earlier = Object.hasOwn(looks, name) ? looks[name] : undefined;
    const look = earlier ?? { key: `${attempt}-${at}`, since: time };
    begun[name] = look;
    const outcome = await outside.checks.run(look.key, command, { named: source.command });
    if (outcome.kind === "running") return { facts, checks, running: begun };
    facts[name] = outcome.exitCode === 0 ? "passed" : "failed";
    checks[name] = endOf(command, outcome);
  }
  return { facts, checks, running: {} };
}

/** Whether the fact's value can still make a difference, or the only row that is left always asks for it. */
function matters(table: Workflow, position: Position, event: string, known: Facts, name: string): boolean {
  const left = rowsLeft(table, position, event, known);
  const [row] = left;
  if (row && left.length === 1) return asksAlways(row, name);
  return left.some(({ when = [] }) => when.some((box) => Object.hasOwn(box, name)));
}

/** The rows that may still apply: unknown facts can have any value. */
function rowsLeft(table: Workflow, { state, kept }: Position, event: string, known: Facts): readonly Row[] {
  const world: Facts = { ...kept, ...known };
  return pairOf(table, state, event).rows.filter(
    ({ when }) =>
      when === undefined ||
      when.some((box) =>
        Object.entries(box).every(([name, values]) => {
          const value = Object.hasOwn(world, name) ? world[name] : undefined;
          return value === undefined || values.includes(value);
        }),
      ),
  );
}

/**
 * The facts as the table wants them: one that was not looked at, because it makes no difference, has its first value.
 */
export function completed({ table }: Definition, needed: readonly string[], facts: Facts): Facts {
  const missing = needed.filter((name) => facts[name] === undefined);
  return {
    ...Object.fromEntries(missing.map((name) => [name, table.facts[name]?.values[0] ?? null])),
    ...facts,
  };
}

function gitValue(definition: Definition, name: string, look: GitLook): FactValue {
  const known = look.kind === "repository" ? look : null;
  if (definition.sources[name]?.type === "git-branch") return branchValue(definition, name, known?.branch);
  return known === null ? "unknown" : known.uncommitted.length === 0 ? "clean" : "dirty";
}

export function endOf(command: string, outcome: Extract<CheckOutcome, { kind: "ended" }>): CommandEnd {
  return {
    command,
    exit_code: outcome.exitCode,
    milliseconds: outcome.milliseconds,
    tail: outcome.tail,
  };
}

function branchValue({ table }: Definition, fact: string, branch: string | undefined): FactValue {
  const values = table.facts[fact]?.values ?? [];
  return branch !== undefined && values.includes(branch) ? branch : OTHER_BRANCH;
}
