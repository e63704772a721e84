/**
 * Writes docs/cli.md from the help that the program itself prints: `node scripts/cli-reference.ts`. A test holds the
 * page up to date.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Host } from "../src/surfaces/cli/line/command.ts";
import { COMMANDS } from "../src/surfaces/cli/line/commands.ts";
import { runProgram } from "../src/surfaces/cli/line/program.ts";
import { openTerminal } from "../src/surfaces/cli/terminal/terminal.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";

/** Commands that have others below them, and do something themselves. */
const KNOWN: ReadonlySet<string> = new Set(COMMANDS.map(({ name }) => name));

const ROOT = resolve(import.meta.dirname, "..");

/** What the program prints for `--help` after the words. It asks nothing else of what is around it. */
async function help(...words: readonly string[]): Promise<string> {
  let text = "";
  const out = (more: string) => {
    text += more;
    return true;
  };
  const terminal = { ...openTerminal({ NO_COLOR: "1" }), columns: 80, out, err: () => {} };
  await runProgram([...words, "--help"], {
    name: "pawl",
    version: "",
    terminal,
    workflows: WORKFLOWS,
  } as Partial<Host> as Host);
  return text.trimEnd();
}

/** The page, by the program's own help. */
export async function renderReference(): Promise<string> {
  const all = await help();
  const first = commandsIn(all);
  const pages: string[] = [];
  for (const command of first) {
    const text = await help(command);
    const seconds = commandsIn(text);
    if (seconds.length === 0) pages.push(section(command, text));
    else {
      if (KNOWN.has(command)) pages.push(section(command, text));
      for (const second of seconds) pages.push(section(`${command} ${second}`, await help(command, second)));
    }
  }
  return `${[
    "# Commands",
    "`pawl` and `bloom` are one program. Exit codes: 0 done, 1 failed, 2 usage, 3 waits for a person, 130 stopped by Ctrl-C. `--json` works with every command.",
    fence(all),
    ...pages,
  ].join("\n\n")}\n`;
}

const section = (name: string, text: string) => `## ${name}\n\n${fence(text)}`;
const fence = (text: string) => `\`\`\`text\n${text}\n\`\`\``;

/** The names in a help's lists of commands: lines indented by two, after the options. */
function commandsIn(help: string): readonly string[] {
  const lists = help.replace(/^(?:Arguments|Examples):\n(?: .*(?:\n|$))+/gm, "");
  const names = [...lists.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)].map(([, name]) => name ?? "");
  const usage = /^Usage: .*\[command\]/m.test(help);
  return usage ? [...new Set(names)] : [];
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(`${ROOT}/docs/cli.md`, await renderReference());
}
