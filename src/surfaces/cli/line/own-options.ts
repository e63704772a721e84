/** The options that every command takes. They may be anywhere on the line. */
import { Command, Option } from "commander";
import { attempt } from "../../../core/attempt.ts";

export interface OwnOptions {
  readonly json: boolean;
  /** Every `--project`, in order. */
  readonly projects: readonly string[];
  readonly file: string | undefined;
}

/**
 * The options of every command, and the words before the first option that only one command knows. `words`
 * null: the last option has no value. `isWhole`: there is nothing else. Never throws.
 */
export function readOwnOptions(
  argv: readonly string[],
): OwnOptions & { readonly words: readonly string[] | null; readonly isWhole: boolean } {
  const program = ownProgram();
  const parsed = attempt(() => program.parseOptions([...argv]), null);
  const isWhole = parsed !== null && parsed.operands.length + parsed.unknown.length === 0;
  return { words: parsed?.operands ?? null, isWhole, ...ownOptionsIn(program.opts()) };
}

/** The last word without these options. If the last option has no value, it is that option. */
export function lastWord(argv: readonly string[]): string | undefined {
  return attempt(() => {
    const { operands, unknown } = ownProgram().parseOptions([...argv]);
    return [...operands, ...unknown].at(-1);
  }, argv.at(-1));
}

function ownProgram(): Command {
  return addOwnOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

export function addOwnOptions(program: Command): Command {
  return program
    .addOption(new Option("--json", "write JSON"))
    .addOption(
      new Option("--project <dir>", "the project's root (default: the nearest one above)").argParser(
        (dir: string, before: readonly string[] | undefined) => [...(before ?? []), dir],
      ),
    )
    .addOption(new Option("-f, --file <path>", "the tasks file (default: the project's tasks.yaml)"));
}

export function ownOptionsIn({
  json,
  project,
  file,
}: {
  readonly json?: boolean;
  readonly project?: readonly string[];
  readonly file?: string;
}): OwnOptions {
  return { json: json === true, projects: project ?? [], file };
}

/** The options that select the same project, for another command line. */
export function placeWords({ projects, file }: OwnOptions): readonly string[] {
  return [...projects.map((dir) => `--project=${dir}`), ...(file === undefined ? [] : [`--file=${file}`])];
}
