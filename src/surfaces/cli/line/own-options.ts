/** The options that every command takes. They may be anywhere on the line. */
import { Command, CommanderError, Option } from "commander";

export interface OwnOptions {
  readonly json: boolean;
  /** Every `--project`, in order. */
  readonly projects: readonly string[];
  readonly file: string | undefined;
  readonly version: boolean;
}

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** For completion and corrections. */
export const OWN_OPTIONS: readonly Candidate[] = [
  { word: "--json", description: "write JSON" },
  { word: "--project", description: "the project's root" },
  { word: "--file", description: "the tasks file" },
  { word: "--help", description: "show help" },
  { word: "--version", description: "show the version" },
];

export interface ReadOptions extends OwnOptions {
  /** The words before the first option that only one command knows. */
  readonly words: readonly string[];
  /** All words but these options. */
  readonly rest: readonly string[];
  /** The flags of the last of these options, if it has no value. */
  readonly withoutValue: string | null;
}

/** Never throws. */
export function readOwnOptions(argv: readonly string[]): ReadOptions {
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option("--json")
    .addOption(
      new Option("--project <dir>").argParser((dir: string, before: readonly string[] | undefined) => [
        ...(before ?? []),
        dir,
      ]),
    )
    .option("-f, --file <path>")
    .option("-V, --version");
  let [operands, unknown]: [string[], string[]] = [[], []];
  let withoutValue: string | null = null;
  // What follows is an argument, also if it looks like an option.
  const end = argv.indexOf("--");
  const [given, bare] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
  try {
    ({ operands, unknown } = program.parseOptions([...given]));
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const last = given.at(-1);
    withoutValue = program.options.find(({ long, short }) => last === long || last === short)?.flags ?? "";
  }
  const { json = false, project: projects = [], file, version = false } = program.opts();
  return {
    json,
    projects,
    file,
    version,
    words: operands,
    rest: [...operands, ...unknown, ...bare],
    withoutValue,
  };
}
