/** Command lines that are not plain (`plain-call.ts`): helps, mistakes, and whatever else may be written. */
import { Argument, Command, CommanderError, type Help, Option } from "commander";
import { PawlError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";
import { camelCase } from "./camel-case.ts";
import type { CommandArgument, CommandOption, CommandSpec, Host } from "./command.ts";
import { firstWord, type Input } from "./plain-call.ts";

type Act = (spec: CommandSpec, input: Input) => Promise<void>;

interface Around {
  /** Those that the line can mean. */
  readonly meant: readonly CommandSpec[];
  readonly specs: readonly CommandSpec[];
  readonly host: Host;
  readonly act: Act;
}

export async function obeyLine(argv: readonly string[], { meant, specs, host, act }: Around): Promise<void> {
  const word = firstWord(argv);
  const program = build(meant, host, await belowHelp(argv, host), act);
  // The help of a command that there is not would be everybody's.
  const isUnknown = word !== undefined && !specs.some(({ name }) => name.split(" ")[0] === word);
  const asked = isUnknown ? argv.filter((each) => each !== "--help" && each !== "-h") : argv;
  try {
    await program.parseAsync(asked.length === 0 ? ["--help"] : asked, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw usage(thrown, argv, specs, host);
  }
}

/** What a command's help says below its options. Loaded only where a help is asked for. */
async function belowHelp(argv: readonly string[], { name, terminal }: Host): Promise<Below> {
  if (!argv.includes("--help") && !argv.includes("-h")) return () => "";
  const [{ EXAMPLES }, { wrap }] = await Promise.all([import("./examples.ts"), import("./text-width.ts")]);
  return ({ details = "", name: command }) => {
    const examples = Object.hasOwn(EXAMPLES, command) ? (EXAMPLES[command] ?? []) : [];
    const shown = examples.map((line) => exampleLines(`${name} ${line}`, terminal.columns, wrap));
    return [
      ...(details === "" ? [] : ["", ...wrap(details, terminal.columns)]),
      ...(shown.length === 0 ? [] : ["", "Examples:", ...shown.flat()]),
    ].join("\n");
  };
}

type Below = (spec: CommandSpec) => string;

/** A long example runs on in the next line, as a shell reads it. */
function exampleLines(
  line: string,
  columns: number,
  wrap: (text: string, width: number) => string[],
): string[] {
  const lines = wrap(line, columns - 6);
  return lines.map((each, at) => `${at === 0 ? "  " : "    "}${each}${at < lines.length - 1 ? " \\" : ""}`);
}

function build(specs: readonly CommandSpec[], host: Host, below: Below, action: Act): Command {
  const program = new Command(host.name)
    .description("Keeps coding agents on a written workflow.")
    // Every command takes these: the program finds its own options anywhere on the line.
    .addOption(new Option("--json", "write JSON"))
    .addOption(
      new Option("--project <dir>", "the project's root (default: the nearest one above)").argParser(
        (dir: string, before: readonly string[] | undefined) => [...(before ?? []), dir],
      ),
    )
    .addOption(new Option("-f, --file <path>", "the tasks file (default: the project's tasks.yaml)"))
    .version(host.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: host.terminal.out, writeErr: () => {} })
    .configureHelp({
      helpWidth: host.terminal.columns,
      // Below this the descriptions would not be broken at all.
      minWidthToWrap: 20,
      visibleOptions: ownOptions,
      subcommandTerm,
    })
    .addHelpText("after", `\nRun \`${host.name} COMMAND --help\` for a command's own help.`);
  const groups = new Map<string, Command>();
  for (const spec of specs) {
    const [first = "", second] = spec.name.split(" ");
    const parent = second === undefined ? program : groupOf(program, groups, first, spec.group);
    addCommand(parent, second ?? first, spec, below, action);
  }
  for (const group of groups.values())
    group.summary(group.commands.map((command) => command.name()).join(", "));
  return program;
}

/** A command of two words belongs to a parent, which may be a command itself. */
function groupOf(program: Command, groups: Map<string, Command>, name: string, heading: string): Command {
  const known = groups.get(name) ?? program.commands.find((command) => command.name() === name);
  if (known) return known;
  const made = program.command(name).helpGroup(`${heading}:`).helpCommand(false);
  groups.set(name, made);
  return made;
}

function addCommand(parent: Command, name: string, spec: CommandSpec, below: Below, action: Act): void {
  const command = parent
    .command(name)
    .description(sentence(spec.summary))
    .summary(spec.summary)
    .helpGroup(`${spec.group}:`)
    .helpCommand(false)
    .allowExcessArguments(false);
  for (const argument of spec.arguments) command.addArgument(toArgument(argument));
  for (const option of spec.options) command.addOption(toOption(option));
  command.addHelpText("after", () => below(spec));
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, spec.arguments.length) as (string | string[] | undefined)[];
    const { json, project, file, ...options } = command.optsWithGlobals();
    await action(spec, {
      arguments: Object.fromEntries(
        spec.arguments.map((argument, at) => [camelCase(argument.name), values[at]]),
      ),
      options,
      json: json === true,
      project: project?.at(-1),
      projects: project ?? [],
      file,
    });
  });
}

function toArgument({ name, description, required, variadic, choices }: CommandArgument): Argument {
  const dots = variadic ? "..." : "";
  const argument = new Argument(required ? `<${name}${dots}>` : `[${name}${dots}]`, description);
  return choices ? argument.choices(choices) : argument;
}

function toOption({ flags, description, choices }: CommandOption): Option {
  const option = new Option(flags, description);
  return choices ? option.choices(choices) : option;
}

/** A command and its arguments; its own help lists its options. */
function subcommandTerm(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** Leaves out `--help`, which every command has. */
function ownOptions(this: Help, command: Command): Option[] {
  return command.options.filter((option) => !option.hidden);
}

function usage(
  error: CommanderError,
  argv: readonly string[],
  specs: readonly CommandSpec[],
  host: Host,
): PawlError {
  if (error.code === "commander.help") return secondWordMissing(argv, specs, host);
  const [first = "", hint = ""] = plainly(error.message.replace(/^error: /, "")).split("\n");
  const meant = /\(Did you mean (?:one of )?(.+)\?\)/.exec(hint)?.[1];
  const word = firstWord(argv);
  const words = ` ${argv.join(" ")} `;
  const named = specs.filter(({ name }) => name.split(" ")[0] === word);
  const own = named.find(({ name }) => name.includes(" ") && words.includes(` ${name} `))?.name ?? word;
  const help = `\`${[host.name, ...(named.length > 0 && own ? [own] : []), "--help"].join(" ")}\``;
  return new PawlError(
    "usage",
    `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, "")}${choicesFor(first, argv, specs)}.`,
    meant ? `Did you mean ${meant}? See ${help}.` : `See ${help}.`,
  );
}

/** The choices for a missing argument. */
function choicesFor(message: string, argv: readonly string[], specs: readonly CommandSpec[]): string {
  const missing = /^missing required argument '(.+)'/.exec(message)?.[1];
  const words = ` ${argv.join(" ")} `;
  const choices = specs
    .filter(({ name }) => words.includes(` ${name} `))
    .flatMap((spec) => spec.arguments.find(({ name }) => name === missing)?.choices ?? []);
  return choices.length === 0 ? "" : `: expected one of ${choices.join(", ")}`;
}

const NOT_A_CHOICE =
  /^(?:[Cc]ommand-argument value '(.*)' is invalid for argument '(.+)'|[Oo]ption '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid)\. Allowed choices are (.+)\.$/s;

/** An invalid choice in Pawl's words: which argument, what was found, what was expected. */
function plainly(message: string): string {
  const [, given, argument, option, value, choices = ""] = NOT_A_CHOICE.exec(message) ?? [];
  const found = given ?? value;
  if (found === undefined) return message;
  const known = choices.split(", ");
  const near = known.find((choice) => found !== "" && choice.startsWith(found)) ?? nearest(found, known);
  const hint = near ? `\n(Did you mean ${near}?)` : "";
  return `${option ?? `The ${argument}`} is ${JSON.stringify(found)}: expected one of ${choices}.${hint}`;
}

function secondWordMissing(
  argv: readonly string[],
  specs: readonly CommandSpec[],
  { name }: Host,
): PawlError {
  const word = firstWord(argv) ?? "";
  const seconds = specs
    .filter((spec) => spec.name.startsWith(`${word} `))
    .map((spec) => spec.name.split(" ")[1]);
  return new PawlError(
    "usage",
    `\`${name} ${word}\` needs a second word: expected ${seconds.length > 1 ? "one of " : ""}${seconds.join(", ")}.`,
    `See \`${name} ${word} --help\`.`,
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
