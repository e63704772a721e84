/**
 * Most command lines are plain: a command's words, its arguments, options spelled out. They are read here, by the same
 * description of the command as all others, for which a parser of command lines is loaded (`command-line.ts`): it costs as much as
 * a quick command itself does. What is not surely plain is left to it: a help, a mistake, `--`, a word that looks like an option.
 */
import { camelCase } from "./camel-case.ts";
import type { Call, CommandArgument, CommandOption, CommandSpec } from "./command.ts";

export interface Input extends Call {
  readonly project: string | undefined;
  readonly file: string | undefined;
}

export const TAKES_A_WORD: ReadonlySet<string | undefined> = new Set(["--project", "--file", "-f"]);

/** The first word that is neither an option nor an option's value. */
export function firstWord(argv: readonly string[]): string | undefined {
  return argv.find((word, at) => !word.startsWith("-") && !TAKES_A_WORD.has(argv[at - 1]));
}

/** Which command is called with what, if that is plain; else null. */
export function plainCall(
  argv: readonly string[],
  meant: readonly CommandSpec[],
): { readonly spec: CommandSpec; readonly input: Input } | null {
  const [spec] = meant;
  if (!spec || meant.length > 1) return null;
  const known = knownOptions(spec.options);
  const line = known && readLine(argv, known, spec.name);
  const given = line && byName(spec.arguments, line.words);
  if (!given) return null;
  const { json, projects, file, options } = line;
  return { spec, input: { arguments: given, options, json, project: projects.at(-1), projects, file } };
}

interface Known {
  readonly key: string;
  readonly takesWord: boolean;
  readonly choices: readonly string[] | undefined;
}

const FLAGS = /^(?:(-[a-z]), )?(--[a-z]+(?:-[a-z]+)*)( <[^<>.]+>)?$/;
/** Every command takes these. */
const OWN = /^(?:--json|--project|--file|--help|--version|-[fhV])$/;

/** By each spelling. Null: one of them changes what the others mean. */
function knownOptions(options: readonly CommandOption[]): ReadonlyMap<string, Known> | null {
  const known = new Map<string, Known>();
  for (const { flags, choices } of options) {
    if (flags.includes("--no-")) return null;
    const [, short, long = "", word] = FLAGS.exec(flags) ?? [];
    for (const spelling of [short, long]) {
      if (!spelling) continue;
      if (OWN.test(spelling) || known.has(spelling)) return null;
      known.set(spelling, { key: camelCase(long.slice(2)), takesWord: word !== undefined, choices });
    }
  }
  return known;
}

interface Line {
  /** Without the command's own. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly projects: readonly string[];
  readonly file: string | undefined;
}

function readLine(argv: readonly string[], known: ReadonlyMap<string, Known>, name: string): Line | null {
  const words: string[] = [];
  const options: Record<string, unknown> = {};
  const projects: string[] = [];
  const command = name.split(" ");
  let json = false;
  let file: string | undefined;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-")) words.push(word);
    else if (word === "--json") json = true;
    else {
      const option = known.get(word);
      const isOwn = TAKES_A_WORD.has(word);
      if (!isOwn && !option) return null;
      const value = isOwn || option?.takesWord ? argv[++at] : true;
      if (!value || (value !== true && value.startsWith("-"))) return null;
      if (word === "--project") projects.push(String(value));
      else if (isOwn) file = String(value);
      // An option of the command stands behind its words, and once.
      else if (!option || words.length < command.length || !isAllowed(options, option, value)) return null;
      else options[option.key] = value;
    }
  }
  const isMeant = command.every((word, at) => words[at] === word);
  return isMeant ? { words: words.slice(command.length), options, json, projects, file } : null;
}

function isAllowed(given: object, { key, choices }: Known, value: string | true): boolean {
  return !Object.hasOwn(given, key) && (!choices || (value !== true && choices.includes(value)));
}

/** Null: too many or too few, or one that is not to be chosen. */
function byName(specs: readonly CommandArgument[], words: readonly string[]): Call["arguments"] | null {
  const given: Record<string, string | readonly string[] | undefined> = {};
  for (const [at, { name, required, variadic, choices }] of specs.entries()) {
    const word = words[at];
    if (word === undefined ? required : choices && (variadic || !choices.includes(word))) return null;
    given[camelCase(name)] = variadic ? words.slice(at) : word;
  }
  return words.length > specs.length && !specs.at(-1)?.variadic ? null : given;
}
