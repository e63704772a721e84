/** The command line: finds the command, runs it, and prints its answer or its error. */

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
  const argv = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  const { words, ...own } = readOwnOptions(argv);
  const { json } = own;
  try {
    const again = (line: readonly string[]) => runProgram([...line, ...placeWords(own)], host);
    const inside = { ...host, json, dispatch: again };
    const answer = await dispatch(argv, words ?? [], inside);
    if (!answer) return 0;
    if (answer.isPrinted) return answer.exit ?? 0;
    host.terminal.out(json ? `${shownJson(answer.data, 2)}\n` : await textOf(answer, host));
    return answer.exit ?? 0;
  } catch (thrown) {
    return fail(toPawlError(thrown), json, host);
  }
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

/** `words`: the words of the line that name the command. */
async function dispatch(
  argv: readonly string[],
  words: readonly string[],
  host: Host,
): Promise<Answer | undefined> {
  if (argv[0] === COMPLETE) {
    const { candidates, renderCandidates } = await import("./complete.ts");
    host.terminal.out(renderCandidates(await candidates(host, argv.slice(1))));
    return undefined;
  }
  // A built-in command needs no other command and, with one exception, no workflow's verbs, so they are not
  // loaded.
  const [word] = words;
  const own = COMMANDS.filter(({ name }) => name.split(" ")[0] === word);
  // The help is shown even if a workflow cannot be loaded.
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
  await runLine(argv, { candidates: await candidatesFor(words, specs, host), host, act });
  return answer;
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
