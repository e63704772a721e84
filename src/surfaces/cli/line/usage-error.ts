/** The error for a wrong command line, made from commander's code and the command at which it stopped. */
import type { Argument, Command, CommanderError } from "commander";
import { PawlError } from "../../../core/error.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { lastWord } from "./own-options.ts";

export interface RefusedChoice {
  readonly command: Command;
  /** `The spell`, `--format` */
  readonly name: string;
  readonly given: string;
  readonly choices: readonly string[];
}

interface Fault {
  readonly message: string;
  /** The word that was probably intended. */
  readonly suggestion?: string | null | undefined;
}

/** `command`: where commander stopped. */
export function usageError(
  { code }: Pick<CommanderError, "code">,
  command: Command,
  argv: readonly string[],
): PawlError {
  const fault = FAULTS[code]?.(command, argv) ?? { message: "The command line cannot be read" };
  return refused(fault, pathOf(command));
}

export function choiceError({ choices, command, given, name }: RefusedChoice): PawlError {
  const suggestion =
    choices.find((choice) => given !== "" && choice.startsWith(given)) ?? nearest(given, choices);
  const message = `${name} is ${JSON.stringify(given)}: expected one of ${choices.join(", ")}`;
  return refused({ message, suggestion: suggestion }, pathOf(command));
}

/** `path`: the program, or a command with subcommands. */
export function unknownCommand(word: string, names: readonly string[], path: string): PawlError {
  return refused({ message: `Unknown command '${word}'`, suggestion: nearest(word, names) }, path);
}

function refused({ message, suggestion }: Fault, path: string): PawlError {
  const help = `See \`${path} --help\`.`;
  return new PawlError("usage", `${message}.`, suggestion ? `Did you mean ${suggestion}? ${help}` : help);
}

const FAULTS: Readonly<Record<string, (command: Command, argv: readonly string[]) => Fault>> = {
  "commander.help": secondWordMissing,
  "commander.unknownCommand": ({ args: [word = ""], commands }) => ({
    message: `Unknown command '${word}'`,
    suggestion: nearest(word, commands.map(nameOf)),
  }),
  "commander.unknownOption": unknownOption,
  "commander.missingArgument": ({ args, registeredArguments }) => ({
    message: missing(registeredArguments.find((each, at) => each.required && args[at] === undefined)),
  }),
  "commander.optionMissingArgument"(command, argv) {
    // Nothing follows the option.
    const last = lastWord(argv);
    const option = optionsOf(command).find(({ long, short }) => last === long || last === short);
    return { message: option ? `\`${option.flags}\` has no value` : "The last option has no value" };
  },
  "commander.excessArguments": (command) => ({
    message: `Too many arguments for '${nameOf(command)}': expected ${command.registeredArguments.length}, found ${command.args.length}`,
  }),
};

function unknownOption(command: Command): Fault {
  const word = command.args.find((each) => each.length > 1 && each.startsWith("-")) ?? "";
  const known = ["--help", ...optionsOf(command).flatMap(({ long }) => long ?? [])];
  const [name = ""] = word.split("=");
  return {
    message: `Unknown option '${word}'`,
    suggestion: word.startsWith("--") ? nearest(name, known) : null,
  };
}

function missing(argument: Argument | undefined): string {
  const choices = argument?.argChoices ?? [];
  const expected = choices.length === 0 ? "" : `: expected one of ${choices.join(", ")}`;
  return `Missing required argument '${argument?.name()}'${expected}`;
}

function secondWordMissing(command: Command): Fault {
  if (command.parent === null) return { message: "No command was named" };
  const seconds = command.commands.map(nameOf);
  const one = seconds.length > 1 ? "one of " : "";
  return { message: `\`${pathOf(command)}\` needs a second word: expected ${one}${seconds.join(", ")}` };
}

function optionsOf(command: Command): Command["options"] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])];
}

/** The program's name and the command's. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${nameOf(command)}` : nameOf(command);
}

function nameOf(command: Command): string {
  return command.name();
}
