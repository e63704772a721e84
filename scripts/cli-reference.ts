/**
 * Writes docs/cli.md from the help that the program itself prints: `node scripts/cli-reference.ts`. A test holds the
 * page up to date.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");

/** The page, by the help of the program at `main`. */
export async function renderReference(main: string, env: NodeJS.ProcessEnv): Promise<string> {
  const help = async (...words: readonly string[]) => {
    const call = { env: { ...env, COLUMNS: "80" }, cwd: "/" };
    return (await promisify(execFile)(process.execPath, [main, ...words, "--help"], call)).stdout.trimEnd();
  };
  const all = await help();
  const first = commandsIn(all);
  const pages: string[] = [];
  for (const command of first) {
    const text = await help(command);
    const seconds = commandsIn(text);
    if (seconds.length === 0) pages.push(section(command, text));
    else
      for (const second of seconds) pages.push(section(`${command} ${second}`, await help(command, second)));
  }
  return `${[
    "# Commands",
    "`pawl` and `bloom` are one program. Exit codes: 0 done, 1 failed, 2 usage, 3 waits for a person. `--json` works with every command.",
    fence(all),
    ...pages,
  ].join("\n\n")}\n`;
}

const section = (name: string, text: string) => `## ${name}\n\n${fence(text)}`;
const fence = (text: string) => `\`\`\`text\n${text}\n\`\`\``;

/** The names in a help's lists of commands: lines indented by two, after the options. */
function commandsIn(help: string): readonly string[] {
  const names = [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)].map(([, name]) => name ?? "");
  const usage = /^Usage: .*\[command\]/m.test(help);
  return usage ? [...new Set(names)] : [];
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(`${ROOT}/docs/cli.md`, await renderReference(`${ROOT}/dist/main.js`, process.env));
}
