/**
 * Writes docs/cli.md from the commands' own descriptions: `node scripts/cli-reference.ts`. A test holds the page up to
 * date.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { COMMAND_GROUPS, SHOWN_COMMANDS, shownCommand } from "../src/core/command-groups.ts";
import type { CommandSpec } from "../src/surfaces/cli/line/command.ts";
import { COMMANDS } from "../src/surfaces/cli/line/commands.ts";
import { verbCommands } from "../src/surfaces/cli/line/verb.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** The page: each command with its arguments and what it does, in the groups of the help. */
export async function renderReference(): Promise<string> {
  const specs = [...COMMANDS, ...(await verbCommands(WORKFLOWS))];
  const groups = Object.entries(COMMAND_GROUPS).map(([heading, rows]) => {
    const shown = rows.flatMap(([commands]) => commands.split(", "));
    const own = shown.flatMap((command) => specs.filter(({ name }) => firstOf(name) === command));
    return [`## ${heading.charAt(0).toUpperCase()}${heading.slice(1)}`, own.map(lineOf).join("\n")].join(
      "\n\n",
    );
  });
  return `${[
    "# Commands",
    "`pawl` alone shows where things stand, and `pawl COMMAND --help` the options and examples of a command. `bloom` is the same program, and what stands below `pawl task` needs no `task` there: `bloom list`. Exit codes: 0 done, 1 failed, 2 usage, 3 waits for a person, 130 stopped by Ctrl-C. `--json` works with every command, and `--project DIR` names another project.",
    ...groups,
  ].join("\n\n")}\n`;
}

function firstOf(name: string): string {
  const [first = ""] = shownCommand(name).split(" ");
  return SHOWN_COMMANDS.includes(first) ? first : "";
}

function lineOf({ arguments: args, name, summary }: CommandSpec): string {
  const words = [
    "pawl",
    shownCommand(name),
    ...args.map((each) => (each.required ? `<${each.name}>` : `[${each.name}]`)),
  ];
  return `- \`${words.join(" ")}\`: ${summary}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(`${ROOT}/docs/cli.md`, await renderReference());
}
