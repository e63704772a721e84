/** The help of the program as a whole, and of a word with other commands below it. */
import { belowOf, COMMAND_GROUPS, SHOWN_COMMANDS, shownCommand } from "../../../core/command-groups.ts";
import { hung, wrap } from "../terminal/text-width.ts";
import { type CommandSpec, formOf, type Host } from "./command.ts";

const INDENT = 9;
const GAP = 18;

/** At most a screen: the commands in their groups, and the verbs of workflows that have their own. */
export function topHelp(host: Host, specs: readonly CommandSpec[]): string {
  const { name, terminal } = host;
  const { columns } = terminal;
  if (name === "bloom") {
    const more =
      "`bloom COMMAND --help` shows more, `pawl --help` all other commands; each works by either name.";
    return groupHelp("bloom", commandsBelow("task", specs), more, columns);
  }
  const others = Map.groupBy(
    specs.filter(({ name }) => !SHOWN_COMMANDS.includes(shownCommand(name).split(" ")[0] ?? "")),
    ({ group = "" }) => group,
  );
  return [
    `Usage: ${name} [command] [options]`,
    ...wrap("Keeps coding agents on a written workflow. Alone, it shows where things stand.", columns),
    "",
    ...Object.entries(COMMAND_GROUPS).flatMap(([heading, rows]) =>
      rows.flatMap(([commands, says], at) =>
        hung((at === 0 ? heading : "").padEnd(INDENT) + commands.padEnd(GAP), says, columns),
      ),
    ),
    ...[...others].flatMap(([heading, commands]) => [`${heading}:`, ...listed(commands, columns)]),
    "",
    ...wrap(
      `\`${name} COMMAND --help\` shows more. Options of every command: --json, --project DIR, --file TASKS, --version.`,
      columns,
    ),
    "",
  ].join("\n");
}

/** `path`: a command that only groups others, as it was called. */
export function groupHelp(
  path: string,
  below: readonly CommandSpec[],
  more: string,
  columns: number,
): string {
  const usage = `Usage: ${path} ${path === "bloom" ? "[command]" : "COMMAND"} [options]`;
  return [usage, "", ...listed(below, columns), "", ...wrap(more, columns), ""].join("\n");
}

/** The commands below a word, under their second words. */
export function commandsBelow(word: string, specs: readonly CommandSpec[]): readonly CommandSpec[] {
  const seconds = (first: string) =>
    specs.flatMap((spec) => {
      const [own, second] = spec.name.split(" ");
      return own === first && second !== undefined ? [{ ...spec, name: second }] : [];
    });
  const shown = Object.entries(belowOf(word)).flatMap(([name, command]): readonly CommandSpec[] => {
    const exact = specs.find((spec) => spec.name === command);
    if (exact) return [{ ...exact, name }];
    const inner = seconds(command);
    const summary = inner.map((each) => each.name).join(", ");
    return inner.slice(0, 1).map((first) => ({ ...first, name, arguments: [], summary }));
  });
  return [...seconds(word), ...shown];
}

/** The lines of a list of commands. */
export function listed(specs: readonly CommandSpec[], columns: number): readonly string[] {
  const terms = specs.map(formOf);
  const width = Math.min(26, Math.max(...terms.map(({ length }) => length)) + 2);
  return specs.flatMap(({ summary }, at) => {
    const term = terms[at] ?? "";
    const isLong = term.length + 2 > width;
    return [
      ...(isLong ? [`  ${term}`] : []),
      ...hung(`  ${(isLong ? "" : term).padEnd(width)}`, summary, columns),
    ];
  });
}
