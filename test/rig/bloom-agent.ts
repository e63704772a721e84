#!/usr/bin/env node
/**
 * A scripted agent with a mind of its own for errands: what it shall do is in a file of answers (JSON: a text that the
 * prompt has → lines of the script), which it adds to its prompt. Bundled into `.rig/`.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const AGENT = resolve(import.meta.dirname, "scripted-agent.js");
const answers = process.env.PAWL_SCRIPTED_ANSWERS;
const args = process.argv.slice(2);

if (args.includes("--version")) process.stdout.write("1.0.0 (scripted agent)\n");
else main();

function main(): void {
  const prompt = readFileSync(0, "utf8");
  const known: Record<string, string> =
    answers && existsSync(answers) ? JSON.parse(readFileSync(answers, "utf8")) : {};
  const added = Object.entries(known).flatMap(([text, lines]) => (prompt.includes(text) ? [lines] : []));
  const child = spawn(process.execPath, [AGENT, ...args], { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.end([prompt, ...added].join("\n"));
  child.on("exit", (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
