/** The error for a wrong command line, made from commander's code and the command at which it stopped. */
import type { Argument, Command, CommanderError } from "commander";
import { PawlError } from "../../../core/error.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { OWN_OPTIONS } from "./own-options.ts";

/** `name`: `The spell`, `--format`. */
export function choiceError(
  name: string,
  given: string,
  choices: readonly string[],
  path: string,
): PawlError {
  const begun = choices.find((choice) => given !== "" && choice.startsWith(given));
  const message = `${name} is ${JSON.stringify(given)}: expected one of ${choices.join(", ")}`;
  return usageError(message, path, begun ?? nearest(given, choices));
}

/** `path`: the program, or the words before this one. */
export function unknownCommandError(word: string, names: readonly string[], path: string): PawlError {
  return usageError(`Unknown command '${word}'`, path, nearest(word, names));
}

export function missingSecondWordError(seconds: readonly string[], path: string): PawlError {
  const one = seconds.length > 1 ? "one of " : "";
  return usageError(`\`${path}\` needs a second word: expected ${one}${seconds.join(", ")}`, path);
}

/** `names`: the long names of the command's own options. */
export function unknownOptionError(word: string, names: readonly string[], path: string): PawlError {
  const [name = ""] = word.split("=");
  const all = [...names, ...OWN_OPTIONS.map(({ word: option }) => option)];
  return usageError(`Unknown option '${word}'`, path, word.startsWith("--") ? nearest(name, all) : null);
}

/** Nothing follows the option: it is the line's last word. */
export function missingValueError(flags: string | undefined, path: string): PawlError {
  return usageError(flags ? `\`${flags}\` has no value` : "The last option has no value", path);
}

export function lineError(
  { code }: Pick<CommanderError, "code">,
  command: Command,
  rest: readonly string[],
): PawlError {
  const { args, options, registeredArguments } = command;
  const path = command.name();
  switch (code) {
    case "commander.unknownOption": {
      const word = args.find((each) => each.length > 1 && each.startsWith("-")) ?? "";
      return unknownOptionError(
        word,
        options.flatMap(({ long }) => long ?? []),
        path,
      );
    }
    case "commander.missingArgument":
      return usageError(
        missing(registeredArguments.find((each, at) => each.required && args[at] === undefined)),
        path,
      );
    case "commander.optionMissingArgument": {
      const last = rest.at(-1);
      return missingValueError(
        options.find(({ long, short }) => last === long || last === short)?.flags,
        path,
      );
    }
    case "commander.excessArguments":
      return usageError(
        `Too many arguments for \`${path}\`: expected ${registeredArguments.length}, found ${args.length}`,
        path,
      );
    default:
      return usageError("The command line cannot be read", path);
  }
}

function missing(argument: Argument | undefined): string {
  const choices = argument?.argChoices ?? [];
  const expected = choices.length === 0 ? "" : `: expected one of ${choices.join(", ")}`;
  return `Missing required argument '${argument?.name()}'${expected}`;
}

/** `suggestion`: the word that was probably intended. */
function usageError(message: string, path: string, suggestion: string | null = null): PawlError {
  const help = `See \`${path} --help\`.`;
  return new PawlError("usage", `${message}.`, suggestion ? `Did you mean ${suggestion}? ${help}` : help);
}
