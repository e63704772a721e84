/** Parses the command line with commander, from the data that describes each command. */
import { Argument, Command, CommanderError, type Help, Option } from "commander";
import {
  type Call,
  type CommandArgument,
  type CommandOption,
  type CommandSpec,
  camelCase,
  type Host,
} from "./command.ts";
import { addOwnOptions, type OwnOptions, ownOptionsIn } from "./own-options.ts";
import type { RefusedChoice } from "./usage-error.ts";

export type Input = Call & OwnOptions;

type Act = (spec: CommandSpec, input: Input) => Promise<void>;

/**
 * Runs the command that the line names. `candidates`: the commands that the line can mean; only these are
 * built, because that takes time. Throws `usage`.
 */
export async function runLine(
  argv: readonly string[],
  {
    candidates,
    host,
    act,
  }: { readonly candidates: readonly CommandSpec[]; readonly host: Host; readonly act: Act },
): Promise<void> {
  const line: Line = { help: "", stopped: null };
  const program = build(candidates, host, line, act);
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof NotAChoice) throw (await import("./usage-error.ts")).choiceError(thrown.refused);
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0)
      throw (await import("./usage-error.ts")).usageError(thrown, line.stopped?.command ?? program, argv);
    const spec = line.stopped?.spec;
    const isHelp = thrown.code === "commander.helpDisplayed" && spec;
    host.terminal.out(line.help + (isHelp ? await belowHelp(spec, host) : ""));
  }
}

/** What commander has produced for a line. */
interface Line {
  /** The help or the version, as far as it is written. */
  help: string;
  /** The command at which it stopped. */
  stopped: { readonly command: Command; readonly spec: CommandSpec | null } | null;
}

/** Thrown for a value that is not among the choices, because commander would word the error itself. */
class NotAChoice {
  readonly refused: RefusedChoice;
  constructor(refused: RefusedChoice) {
    this.refused = refused;
  }
}

/** The part of a command's help below its options. Loaded only for a help page. */
async function belowHelp(
  { details = "", name: command, shown: words = command }: CommandSpec,
  { name, terminal }: Host,
): Promise<string> {
  const [{ EXAMPLES }, { wrap }] = await Promise.all([
    import("./examples.ts"),
    import("../terminal/text-width.ts"),
  ]);
  const examples = Object.hasOwn(EXAMPLES, command) ? (EXAMPLES[command] ?? []) : [];
  const shown = examples.map((line) =>
    exampleLines(`${name} ${words}${line.slice(command.length)}`, terminal.columns, wrap),
  );
  return [
    ...(details === "" ? [] : ["", ...wrap(details, terminal.columns)]),
    ...(shown.length === 0 ? [] : ["", "Examples:", ...shown.flat()]),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Breaks a long example into lines with a backslash at their ends, as a shell reads it. */
function exampleLines(
  line: string,
  columns: number,
  wrap: (text: string, width: number) => string[],
): string[] {
  const lines = wrap(line, columns - 6);
  return lines.map((each, at) => `${at === 0 ? "  " : "    "}${each}${at < lines.length - 1 ? " \\" : ""}`);
}

function build(specs: readonly CommandSpec[], host: Host, line: Line, action: Act): Command {
  const program = stopping(addOwnOptions(new Command(host.name)), line, null)
    .description("Keeps coding agents on a written workflow.")
    .version(host.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureOutput({
      writeOut: (text) => {
        line.help += text;
      },
      writeErr: () => {},
    })
    .configureHelp({
      helpWidth: host.terminal.columns,
      // With fewer columns, commander would not wrap the descriptions at all.
      minWidthToWrap: 20,
      visibleOptions: ownOptions,
      subcommandTerm,
    })
    .helpCommand(false);
  const groups = new Map<string, Command>();
  for (const spec of specs) {
    const [first = "", second] = (spec.shown ?? spec.name).split(" ");
    const parent = second === undefined ? program : groupOf(program, groups, line, spec);
    addCommand(parent, second ?? first, spec, line, action);
  }
  for (const group of groups.values())
    group.summary(group.commands.map((command) => command.name()).join(", "));
  return program;
}

/** The parent of a command of two words. It may be a command itself. */
function groupOf(
  program: Command,
  groups: Map<string, Command>,
  line: Line,
  { name: command, shown = command }: CommandSpec,
): Command {
  const [name = ""] = shown.split(" ");
  const known = groups.get(name) ?? program.commands.find((command) => command.name() === name);
  if (known) return known;
  const made = stopping(program.command(name), line, null).helpGroup("Commands:").helpCommand(false);
  groups.set(name, made);
  return made;
}

/** Records where commander stops, because its error does not contain that. */
function stopping(command: Command, line: Line, spec: CommandSpec | null): Command {
  return command.exitOverride((error) => {
    line.stopped = { command, spec };
    throw error;
  });
}

function addCommand(parent: Command, name: string, spec: CommandSpec, line: Line, action: Act): void {
  const command = stopping(parent.command(name), line, spec)
    .description(sentence(spec.summary))
    .summary(spec.summary)
    .helpGroup("Commands:")
    .helpCommand(false)
    .allowExcessArguments(false);
  for (const argument of spec.arguments) command.addArgument(toArgument(command, argument));
  for (const option of spec.options) command.addOption(toOption(command, option));
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, spec.arguments.length) as (string | string[] | undefined)[];
    const { json, project, file, ...options } = command.optsWithGlobals();
    await action(spec, {
      arguments: Object.fromEntries(
        spec.arguments.map((argument, at) => [camelCase(argument.name), values[at]]),
      ),
      options,
      ...ownOptionsIn({ json, project, file }),
    });
  });
}

function toArgument(command: Command, spec: CommandArgument): Argument {
  const { name, description, required, variadic, choices } = spec;
  const dots = variadic ? "..." : "";
  const argument = new Argument(required ? `<${name}${dots}>` : `[${name}${dots}]`, description);
  if (!choices) return argument;
  return argument.choices(choices).argParser((given, before: unknown) => {
    if (!choices.includes(given)) throw new NotAChoice({ command, name: `The ${name}`, given, choices });
    return variadic ? [...(Array.isArray(before) ? before : []), given] : given;
  });
}

function toOption(command: Command, { flags, description, choices }: CommandOption): Option {
  const option = new Option(flags, description);
  if (!choices) return option;
  return option.choices(choices).argParser((given: string) => {
    if (!choices.includes(given))
      throw new NotAChoice({ command, name: option.long ?? flags, given, choices });
    return given;
  });
}

/** A command and its arguments, for a list; its own help lists its options. */
function subcommandTerm(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** Omits `--help`, which every command has. */
function ownOptions(this: Help, command: Command): Option[] {
  return command.options.filter((option) => !option.hidden);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
