/** Parses the line of one command with commander, from the data that describes the command. */
import { Argument, Command, CommanderError, Option } from "commander";
import type { Terminal } from "../terminal/terminal.ts";
import {
  type Call,
  type CommandArgument,
  type CommandOption,
  type CommandSpec,
  camelCase,
} from "./command.ts";
import { choiceError, lineError } from "./usage-error.ts";

export interface CommandLine {
  readonly spec: CommandSpec;
  /** The words by which it was called: `pawl task list`. */
  readonly path: string;
  /** The words after these, without the options of every command. */
  readonly rest: readonly string[];
}

/** The call, or the help if the line asks for it. Throws `usage`. */
export async function parseLine(
  { path, rest, spec }: CommandLine,
  { columns }: Pick<Terminal, "columns">,
): Promise<Pick<Call, "arguments" | "options"> | { readonly help: string }> {
  let help = "";
  const command = new Command(path)
    .description(`${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        help += text;
      },
      writeErr: () => {},
    })
    // With fewer columns, commander would not wrap the descriptions at all. Every command has `--help`.
    .configureHelp({ helpWidth: columns, minWidthToWrap: 20, visibleOptions: ({ options }) => [...options] });
  for (const each of spec.arguments) command.addArgument(toArgument(each, path));
  for (const each of spec.options) command.addOption(toOption(each, path));
  try {
    command.parse(rest, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw lineError(thrown, command, rest);
    return { help: help + (await belowHelp(spec, path, columns)) };
  }
  const values = spec.arguments.map(({ name }, at) => [camelCase(name), command.processedArgs[at]]);
  return { arguments: Object.fromEntries(values), options: command.opts() };
}

function toArgument(spec: CommandArgument, path: string): Argument {
  const { name, description, required, variadic, choices } = spec;
  const dots = variadic ? "..." : "";
  const argument = new Argument(required ? `<${name}${dots}>` : `[${name}${dots}]`, description);
  if (!choices) return argument;
  return argument.choices(choices).argParser((given) => {
    if (!choices.includes(given)) throw choiceError(`The ${name}`, given, choices, path);
    return given;
  });
}

function toOption({ flags, description, choices }: CommandOption, path: string): Option {
  const option = new Option(flags, description);
  if (!choices) return option;
  return option.choices(choices).argParser((given: string) => {
    if (!choices.includes(given)) throw choiceError(option.long ?? flags, given, choices, path);
    return given;
  });
}

/** The part of a command's help below its options. Loaded only for a help page. */
async function belowHelp(
  { details = "", name }: CommandSpec,
  path: string,
  columns: number,
): Promise<string> {
  const [{ EXAMPLES }, { wrap }] = await Promise.all([
    import("./examples.ts"),
    import("../terminal/text-width.ts"),
  ]);
  const examples = Object.hasOwn(EXAMPLES, name) ? (EXAMPLES[name] ?? []) : [];
  const shown = examples.flatMap((line) =>
    exampleLines(wrap(`${path}${line.slice(name.length)}`, columns - 6)),
  );
  return [
    ...(details === "" ? [] : ["", ...wrap(details, columns)]),
    ...(shown.length === 0 ? [] : ["", "Examples:", ...shown]),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The lines of a long example end with a backslash, as a shell reads it. */
function exampleLines(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => `${at === 0 ? "  " : "    "}${line}${at < lines.length - 1 ? " \\" : ""}`);
}
