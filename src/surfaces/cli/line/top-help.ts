/** The help of the program as a whole, and of a command that only has others below it. */
import { belowOf, COMMAND_GROUPS, SHOWN_COMMANDS, shownCommand } from "../../../core/command-groups.ts";
import { hung, wrap } from "../terminal/text-width.ts";
import type { CommandSpec, Host } from "./command.ts";

const INDENT = 9;
const GAP = 18;

/** At most a screen: the commands in their groups, and the verbs of workflows that have their own. */
export function topHelp(host: Host, specs: readonly CommandSpec[]): string {
  const {
    name,
    terminal: { columns },
  } = host;
  if (name === "bloom") return bloomHelp(host, specs);
  const others = specs.filter(({ name }) => !isShown(name));
  const headings = [...new Set(others.map(({ group }) => group))];
  return [
    `Usage: ${name} [command] [options]`,
    ...wrap("Keeps coding agents on a written workflow. Alone, it shows where things stand.", columns),
    "",
    ...Object.entries(COMMAND_GROUPS).flatMap(([heading, rows]) =>
      rows.flatMap(([commands, says], at) =>
        hung((at === 0 ? heading : "").padEnd(INDENT) + commands.padEnd(GAP), says, columns),
      ),
    ),
    ...headings.flatMap((heading) => [
      `${heading}:`,
      ...listed(
        others.filter(({ group }) => group === heading),
        columns,
      ),
    ]),
    "",
    ...wrap(
      `\`${name} COMMAND --help\` shows more. Options of every command: --json, --project DIR, --file TASKS, --version.`,
      columns,
    ),
    "",
  ].join("\n");
}

/** `bloom`: the verbs of its tasks. */
function bloomHelp(host: Host, specs: readonly CommandSpec[]): string {
  return [
    "Usage: bloom [command] [options]",
    "",
    ...belowHelp("task", host, specs),
    "",
    ...wrap(
      "`bloom COMMAND --help` shows more, `pawl --help` all other commands; each works by either name.",
      host.terminal.columns,
    ),
    "",
  ].join("\n");
}

function isShown(name: string): boolean {
  const [first = ""] = shownCommand(name).split(" ");
  return SHOWN_COMMANDS.includes(first);
}

/** The commands below one, as its help lists them. */
export function belowHelp(
  above: string,
  { terminal: { columns } }: Host,
  specs: readonly CommandSpec[],
): readonly string[] {
  const below = Object.entries(belowOf(above)).flatMap(([word, command]) => {
    const exact = specs.find(({ name }) => name === command);
    if (exact) return [{ ...exact, name: word }];
    const seconds = specs.filter(({ name }) => name.startsWith(`${command} `));
    return seconds.length === 0
      ? []
      : [
          {
            ...(seconds[0] as CommandSpec),
            name: word,
            arguments: [],
            summary: seconds.map(({ name }) => name.split(" ")[1]).join(", "),
          },
        ];
  });
  return listed(below, columns);
}

/** A command that only has others below it. */
export function groupHelp(above: string, host: Host, specs: readonly CommandSpec[]): string {
  return [
    `Usage: ${host.name} ${above} COMMAND [options]`,
    "",
    ...belowHelp(above, host, specs),
    "",
    ...wrap(
      `\`${host.name} ${above} COMMAND --help\` shows more. \`bloom COMMAND\` is the same.`,
      host.terminal.columns,
    ),
    "",
  ].join("\n");
}

function listed(specs: readonly CommandSpec[], columns: number): readonly string[] {
  const terms = specs.map(({ arguments: args, name }) =>
    [name, ...args.map((each) => (each.required ? `<${each.name}>` : `[${each.name}]`))].join(" "),
  );
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
