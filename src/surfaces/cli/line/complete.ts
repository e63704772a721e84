/** Completes a command line. The scripts of all shells call this, so that they offer the same. */

import { cleanLine } from "../../../core/text/clean.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import type { CommandArgument, CommandOption, CommandSpec, Host } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { type Candidate, OWN_OPTIONS, readOwnOptions } from "./own-options.ts";
import { verbCommands } from "./verb.ts";

/** Arguments that name a run or a task. */
const IDS: ReadonlySet<string> = new Set(["run", "id", "task"]);

/** `words`: the line after the program's name; the last word is incomplete and may be empty. Never throws. */
export async function candidates(host: Host, words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const specs = [...COMMANDS, ...(await verbCommands(host.workflows, { soundOnly: true }))];
  const offered = await offer(host, specs, before, current);
  return offered.filter(({ word }) => word.startsWith(current));
}

async function offer(
  host: Host,
  specs: readonly CommandSpec[],
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const { withoutValue, words } = readOwnOptions(before);
  if (withoutValue !== null) return [];
  const [first, second] = words;
  if (first === undefined) return current.startsWith("-") ? OWN_OPTIONS : firstWords(specs);
  const alike = specs.filter(({ name }) => name.split(" ")[0] === first);
  const spec =
    alike.find(({ name }) => name === `${first} ${second}`) ?? alike.find(({ name }) => name === first);
  const option = spec?.options.find(({ flags }) => flagOf(flags) === before.at(-1));
  if (option?.choices) return option.choices.map(bare);
  if (current.startsWith("-")) return [...(spec?.options ?? []).map(optionOf), ...OWN_OPTIONS];
  const seconds = words.length === 1 ? alike.flatMap(secondWord) : [];
  const argument = spec?.arguments[words.length - spec.name.split(" ").length] ?? variadic(spec);
  return [...seconds, ...(argument ? await valuesOf(host, argument) : [])];
}

function firstWords(specs: readonly CommandSpec[]): readonly Candidate[] {
  const words = new Map<string, string>();
  for (const { name, summary } of specs) {
    const [first = name] = name.split(" ");
    if (!words.has(first) || name === first) words.set(first, name === first ? summary : `${first} …`);
  }
  return [...words].map(([word, description]) => ({ word, description }));
}

function secondWord({ name, summary }: CommandSpec): readonly Candidate[] {
  const [, second] = name.split(" ");
  return second === undefined ? [] : [{ word: second, description: summary }];
}

function variadic(spec: CommandSpec | undefined): CommandArgument | undefined {
  const last = spec?.arguments.at(-1);
  return last?.variadic ? last : undefined;
}

async function valuesOf(host: Host, { name, choices }: CommandArgument): Promise<readonly Candidate[]> {
  if (choices) return choices.map(bare);
  return IDS.has(name) ? runsOf(host) : [];
}

/** Offers the bare id if it is unique, because some shells split words at a colon. */
async function runsOf(host: Host): Promise<readonly Candidate[]> {
  const workflows = await overview(await host.projects.open()).catch(() => []);
  const runs = workflows.flatMap((workflow) => workflow.runs);
  const idOf = (run: string) => run.slice(run.indexOf(":") + 1);
  const ids = runs.map(({ run }) => idOf(run));
  return runs.map(({ run, title }) => {
    const id = idOf(run);
    return { word: ids.filter((each) => each === id).length > 1 ? run : id, description: title };
  });
}

function optionOf({ flags, description }: CommandOption): Candidate {
  return { word: flagOf(flags), description };
}

function flagOf(flags: string): string {
  return /--[a-z][a-z-]*/.exec(flags)?.[0] ?? flags;
}

function bare(word: string): Candidate {
  return { word, description: "" };
}

/**
 * One candidate per line, the word and its description. Both are cleaned, so that an id or a title cannot add
 * lines.
 */
export function renderCandidates(given: readonly Candidate[]): string {
  return given.map(({ word, description }) => `${cleanLine(word)}\t${cleanLine(description)}\n`).join("");
}
