/** The command line: finds the command, runs it, and prints its answer or its error. */

import { belowOf, resolveCommand, SHOWN_COMMANDS, shownCommand } from "../../../core/command-groups.ts";
import { type ErrorCode, type PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { shownJson } from "../../../core/text/clean.ts";
import { changesNothing, checkCommand } from "../../../workflows/bloom/own-verbs.ts";
import { clean } from "../terminal/terminal.ts";
import type { Answer, CommandSpec, Host } from "./command.ts";
import { type Input, runLine } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { placeWords, readOwnOptions } from "./own-options.ts";
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
  const { isWhole, words: written, ...own } = readOwnOptions(called);
  const { above, argv, words } = resolved(called, written ?? []);
  const { json } = own;
  try {
    const again = (line: readonly string[]) => runProgram([...line, ...placeWords(own)], host);
    const inside = { ...host, json, dispatch: again };
    const answer = await (isWhole ? whereThingsStand(argv, inside) : dispatch(argv, words, above, inside));
    if (!answer) return 0;
    if (answer.isPrinted) return answer.exit ?? 0;
    host.terminal.out(json ? `${shownJson(answer.data, 2)}\n` : await textOf(answer, host));
    return answer.exit ?? 0;
  } catch (thrown) {
    return fail(toPawlError(thrown), json, host);
  }
}

interface Line {
  readonly argv: readonly string[];
  /** Those that name the command, and its arguments. */
  readonly words: readonly string[];
  readonly above: string | null;
}

/** The line with the words of the command that it calls: `task list` is `list`. */
function resolved(argv: readonly string[], words: readonly string[]): Line {
  const asWritten = { argv, words, above: null };
  const [first, second, ...others] = words;
  if (first === undefined || second === undefined) return asWritten;
  const { above, words: called } = resolveCommand([first, second]);
  const at = argv.indexOf(first);
  const next = argv.indexOf(second, at + 1);
  if (above === null || at < 0 || next < 0) return asWritten;
  const rest = argv.filter((_, index) => index > at && index !== next);
  return { argv: [...argv.slice(0, at), ...called, ...rest], words: [...called, ...others], above };
}

async function textOf({ text, isMarkdown }: Answer, { terminal }: Host): Promise<string> {
  if (!isMarkdown || !terminal.isScreen) return text;
  return (await import("../terminal/render-markdown.ts")).renderMarkdown(text, terminal);
}

function fail({ code, message, fix }: PawlError, json: boolean, { terminal, name }: Host): number {
  if (json) terminal.out(`${shownJson({ error: { code, message, fix } }, 2)}\n`);
  else {
    const width = name.length + 2;
    const lines = (text: string) => hang(clean(text), width);
    terminal.err(`${terminal.errPaint.red(`${name}:`)} ${lines(message)} [${code}]\n`);
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

const isHelp = (argv: readonly string[]): boolean => argv.includes("--help") || argv.includes("-h");

/** What a line says that names no command to run: help, or where things stand. Null: it names one. */
async function withoutCommand(
  argv: readonly string[],
  [first, second]: readonly string[],
  host: Host,
): Promise<Answer | null> {
  const below = first === undefined ? {} : belowOf(first);
  const isOnlyGroup =
    first !== undefined && Object.keys(below).length > 0 && !COMMANDS.some(({ name }) => isIn(name, first));
  if (first !== undefined && !isOnlyGroup) return null;
  if (first === undefined && !isHelp(argv)) return null;
  if (first !== undefined && second !== undefined)
    throw (await import("./usage-error.ts")).unknownCommand(
      second,
      Object.keys(below),
      `${host.name} ${first}`,
    );
  const specs = await everyCommand(host);
  const { groupHelp, topHelp } = await import("./top-help.ts");
  return first === undefined
    ? { text: topHelp(host, specs), data: { commands: SHOWN_COMMANDS } }
    : { text: groupHelp(first, host, specs), data: { commands: Object.keys(below) } };
}

/** For a help, which is shown even if a workflow cannot be loaded. */
async function everyCommand({ workflows }: Host): Promise<readonly CommandSpec[]> {
  return [...COMMANDS, ...(await verbCommands(workflows, { soundOnly: true }))];
}

const isIn = (name: string, first: string): boolean => name.split(" ")[0] === first;

/** Where things stand, or how to begin. */
async function whereThingsStand(argv: readonly string[], host: Host): Promise<Answer | undefined> {
  try {
    return await dispatch([...argv, "status"], ["status"], null, host);
  } catch (thrown) {
    if (toPawlError(thrown).code !== "project-missing" || host.json) throw thrown;
    const text = `There is no Pawl project here. \`${host.name} init\` makes one; \`${host.name} --help\` lists the commands.\n`;
    return { text, data: null };
  }
}

/** `words`: the words of the line that name the command; `above`: the command that it was called below. */
async function dispatch(
  argv: readonly string[],
  words: readonly string[],
  above: string | null,
  host: Host,
): Promise<Answer | undefined> {
  if (argv[0] === COMPLETE) {
    const { candidates, renderCandidates } = await import("./complete.ts");
    host.terminal.out(renderCandidates(await candidates(host, argv.slice(1))));
    return undefined;
  }
  const instead = await withoutCommand(argv, words, host);
  if (instead) return instead;
  // A built-in command needs no other command and, with one exception, no workflow's verbs, so they are not
  // loaded.
  const [word] = words;
  const own = COMMANDS.filter(({ name }) => isIn(name, word ?? ""));
  const sound = { soundOnly: word === undefined };
  const specs =
    own.length > 0 && !own.some(({ hasVerbs }) => hasVerbs)
      ? own
      : [...COMMANDS, ...(await verbCommands(host.workflows, sound))];
  let answer: Answer | undefined;
  const act = async (spec: CommandSpec, input: Input) => {
    const run = await spec.load();
    const { file, ...call } = input;
    const option = call.projects.at(-1);
    let caller: Caller | undefined;
    const open: Host["projects"]["open"] = async (wanted) => {
      const opened = await host.projects.open({ option, file, ...wanted });
      if (changesNothing(spec.name)) return opened;
      caller = (await host.person.inRun(opened.root)) ?? undefined;
      if (caller) checkCommand(spec.name, caller);
      return opened;
    };
    const person = { ...host.person, caller: () => caller ?? host.person.caller() };
    answer = await run({ ...host, person, projects: { ...host.projects, open } }, call);
  };
  const candidates = (await candidatesFor(words, specs, host)).map((spec) => shownBelow(spec, above));
  const name = above === null ? host.name : `${host.name} ${above}`;
  const shown = above === null ? argv : shownLine(argv, words, candidates);
  await runLine(shown, { candidates, host: { ...host, name }, act });
  if (isHelp(argv) && above === null && words.length === 1) await alsoBelow(words[0] ?? "", host);
  return answer;
}

/** The command by the words of the one above it. */
function shownBelow(spec: CommandSpec, above: string | null): CommandSpec {
  const shown = shownCommand(spec.name);
  return above !== null && shown.startsWith(`${above} `)
    ? { ...spec, shown: shown.slice(above.length + 1) }
    : spec;
}

/** The line with the shown words in place of the command's name. */
function shownLine(
  argv: readonly string[],
  words: readonly string[],
  [candidate]: readonly CommandSpec[],
): readonly string[] {
  const { name = "", shown = name } = candidate ?? {};
  if (shown === name) return argv;
  const at = argv.indexOf(words[0] ?? "");
  const count = name.split(" ").length;
  return [...argv.slice(0, at), ...shown.split(" "), ...argv.slice(at + count)];
}

/** The end of a command's help: what else stands below its name. */
async function alsoBelow(command: string, host: Host): Promise<void> {
  if (Object.keys(belowOf(command)).length === 0) return;
  const specs = await everyCommand(host);
  const { belowHelp } = await import("./top-help.ts");
  host.terminal.out(`\nBelow it:\n${belowHelp(command, host, specs).join("\n")}\n`);
}

/**
 * The named command, else those that begin with the word; all commands if the line names none. Throws
 * `usage`.
 */
async function candidatesFor(
  [first, second]: readonly string[],
  specs: readonly CommandSpec[],
  { name: program }: Host,
): Promise<readonly CommandSpec[]> {
  if (first === undefined) return specs;
  const exact = specs.filter(({ name }) => name === `${first} ${second}`);
  if (exact.length > 0) return exact;
  const alike = specs.filter(({ name }) => name.split(" ")[0] === first);
  if (alike.length > 0) return alike;
  const names = specs.flatMap(({ name }) => name.split(" ")[0] ?? []);
  throw (await import("./usage-error.ts")).unknownCommand(first, names, program);
}
