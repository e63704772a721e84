/** The command line: finds the command, runs it, and prints its answer or its error. */

import { belowOf, resolveCommand, SHOWN_COMMANDS } from "../../../core/command-groups.ts";
import { type ErrorCode, type PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { shownJson } from "../../../core/text/clean.ts";
import { changesNothing, checkCommand } from "../../../workflows/bloom/own-verbs.ts";
import { fitPlain } from "../terminal/plain-text.ts";
import { clean } from "../terminal/terminal.ts";
import type { Answer, Call, CommandSpec, Host } from "./command.ts";
import { parseLine } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { type ReadOptions, readOwnOptions } from "./own-options.ts";
import {
  missingSecondWordError,
  missingValueError,
  unknownCommandError,
  unknownOptionError,
} from "./usage-error.ts";
import { verbCommands } from "./verb.ts";

/** Exit codes: 0 done, 1 failed, 2 usage, 3 waits for a person. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  "usage",
  "run-ambiguous",
  "run-missing",
  "workflow-missing",
  "id-invalid",
  "agent-missing",
  "task-missing",
]);

/** The shells' completion scripts call this. */
const COMPLETE = "__complete";

/** Runs the command line and returns the exit code. Never throws. */
export async function runProgram(given: readonly string[], host: Host): Promise<number> {
  const called = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  return runOptions(called, readOwnOptions(called), host);
}

async function runOptions(given: readonly string[], line: ReadOptions, host: Host): Promise<number> {
  const { json } = line;
  // Another command line, about the same project.
  const runOther = (other: readonly string[]) => {
    const { rest, words } = readOwnOptions(other);
    return runOptions(other, { ...line, rest, words }, host);
  };
  try {
    const answer = await answerTo(given, line, { ...host, json, dispatch: runOther });
    if (!answer) return 0;
    if (answer.isPrinted) return answer.exit ?? 0;
    host.terminal.out(json ? `${shownJson(answer.data, 2)}\n` : await textOf(answer, host));
    return answer.exit ?? 0;
  } catch (thrown) {
    return fail(toPawlError(thrown), json, host);
  }
}

/** A pipe gets the text as it is. */
async function textOf({ text, isMarkdown, isVerbatim }: Answer, { terminal }: Host): Promise<string> {
  if (!terminal.isScreen || isVerbatim) return text;
  if (!isMarkdown) return fitted(text, terminal.columns);
  return (await import("../terminal/render-markdown.ts")).renderMarkdown(text, terminal);
}

/** The text, wrapped. The code that measures text loads slowly, so it is loaded only if a line may be too wide. */
async function fitted(text: string, columns: number): Promise<string> {
  if (text.split("\n").every((line) => 2 * line.length <= columns)) return text;
  return (await import("../terminal/text-width.ts")).wrapLines(text, columns);
}

function fail({ code, message, fix }: PawlError, json: boolean, { terminal, name }: Host): number {
  if (json) terminal.out(`${shownJson({ error: { code, message, fix } }, 2)}\n`);
  else {
    const width = name.length + 2;
    const room = terminal.errIsScreen ? terminal.columns - width : Number.POSITIVE_INFINITY;
    const lines = (text: string) => hang(fitPlain(clean(text), room), width);
    terminal.err(`${terminal.errPaint.red(`${name}:`)} ${lines(`${message} [${code}]`)}\n`);
    terminal.err(`${terminal.errPaint.bold("fix:")}${" ".repeat(width - 4)}${lines(fix)}\n`);
  }
  return USAGE_CODES.has(code) ? 2 : 1;
}

/** Indents all lines of a text but the first, such as those of a list of problems. */
function hang(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .join(`\n${" ".repeat(width)}`);
}

async function answerTo(
  given: readonly string[],
  line: ReadOptions,
  host: Host,
): Promise<Answer | undefined> {
  if (given[0] === COMPLETE) {
    const { candidates, renderCandidates } = await import("./complete.ts");
    host.terminal.out(renderCandidates(await candidates(host, given.slice(1))));
    return undefined;
  }
  if (line.withoutValue !== null) throw missingValueError(line.withoutValue, host.name);
  if (line.version) host.terminal.out(`${host.version}\n`);
  else if (line.rest.length === 0) return showStatus(line, host);
  else return dispatch(line, host);
  return undefined;
}

/** Where things stand, or how to begin. */
async function showStatus(options: ReadOptions, host: Host): Promise<Answer | undefined> {
  try {
    return await dispatch({ ...options, words: ["status"], rest: ["status"] }, host);
  } catch (thrown) {
    if (toPawlError(thrown).code !== "project-missing" || host.json) throw thrown;
    const text = `There is no Pawl project here. \`${host.name} init\` makes one; \`${host.name} --help\` lists the commands.\n`;
    return { text, data: null };
  }
}

async function dispatch(line: ReadOptions, host: Host): Promise<Answer | undefined> {
  const { rest, words } = line;
  const { columns } = host.terminal;
  const [first] = words;
  const isHelp = rest.includes("--help") || rest.includes("-h");
  if (first === undefined) {
    if (!isHelp) throw unknownOptionError(rest[0] ?? "", [], host.name);
    const { topHelp } = await import("./top-help.ts");
    return { text: topHelp(host, await everyCommand(host)), data: { commands: SHOWN_COMMANDS } };
  }
  const { above, words: called } = resolveCommand(words);
  const groupOnly =
    above === null && Object.keys(belowOf(first)).length > 0 && ownCommands(first).length === 0;
  const specs = groupOnly ? await everyCommand(host) : await commandsFor(called[0] ?? "", host);
  const named = specs.filter(({ name }) => beginsWith(name, called[0] ?? ""));
  const spec =
    named.find(({ name }) => name === called.slice(0, 2).join(" ")) ??
    named.find(({ name }) => name === called[0]);
  // The words that were typed for the command's name.
  const count = (spec?.name.split(" ").length ?? 1) + words.length - called.length;
  const path = [host.name, ...words.slice(0, count)].join(" ");
  if (spec === undefined) {
    const { commandsBelow, groupHelp } = await import("./top-help.ts");
    const below = commandsBelow(called[0] ?? "", specs);
    const names = below.map(({ name }) => name);
    if (below.length === 0) throw unknownCommandError(first, specs.map(firstWord), host.name);
    if (called[1] !== undefined)
      throw unknownCommandError(called[1], [...names, ...Object.keys(belowOf(first))], path);
    if (!isHelp && !groupOnly) throw missingSecondWordError(names, path);
    const more = `\`${path} COMMAND --help\` shows more.${groupOnly ? " `bloom COMMAND` is the same." : ""}`;
    return { text: groupHelp(path, below, more, columns), data: { commands: names } };
  }
  const call = await parseLine({ spec, path, rest: rest.slice(count) }, host.terminal);
  if (!("help" in call)) return run(spec, call, line, host);
  const { commandsBelow, listed } = await import("./top-help.ts");
  const below = above === null ? commandsBelow(spec.name, await everyCommand(host)) : [];
  const more = below.length === 0 ? "" : `\nBelow it:\n${listed(below, columns).join("\n")}\n`;
  host.terminal.out(`${call.help}${more}`);
  return undefined;
}

async function run(
  spec: CommandSpec,
  call: Pick<Call, "arguments" | "options">,
  { file, json, projects }: ReadOptions,
  host: Host,
): Promise<Answer | undefined> {
  const load = await spec.load();
  let caller: Caller | undefined;
  const open: Host["projects"]["open"] = async (wanted) => {
    const opened = await host.projects.open({ option: projects.at(-1), file, ...wanted });
    if (changesNothing(spec.name)) return opened;
    caller = (await host.person.inRun(opened.root)) ?? undefined;
    if (caller) checkCommand(spec.name, caller);
    return opened;
  };
  const person = { ...host.person, caller: () => caller ?? host.person.caller() };
  return load({ ...host, person, projects: { ...host.projects, open } }, { ...call, json, projects });
}

const firstWord = ({ name }: CommandSpec): string => name.split(" ")[0] ?? "";

const beginsWith = (name: string, first: string): boolean => name.split(" ")[0] === first;

const ownCommands = (first: string) => COMMANDS.filter(({ name }) => beginsWith(name, first));

/** A built-in command needs, with one exception, no workflow's verbs, so they are not loaded. Throws a workflow's error. */
async function commandsFor(first: string, { workflows }: Host): Promise<readonly CommandSpec[]> {
  const builtIn = ownCommands(first);
  if (builtIn.length > 0 && !builtIn.some(({ hasVerbs }) => hasVerbs)) return builtIn;
  return [...COMMANDS, ...(await verbCommands(workflows))];
}

/** For a help, which is shown even if a workflow cannot be loaded. */
async function everyCommand({ workflows }: Host): Promise<readonly CommandSpec[]> {
  return [...COMMANDS, ...(await verbCommands(workflows, { soundOnly: true }))];
}
