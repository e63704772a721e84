#!/usr/bin/env node
/**
 * The scripted agent: executes the lines of its prompt in order, and prints what `claude -p --output-format
 * stream-json` prints. For demonstrations and tests, without a model or a key.
 *
 * - `RUN: command` runs it in the working folder by bash, as a tool call; reports a failure and continues
 * - `SAY: text` prints it as a message
 * - `RECALL:` prints the beginnings of the session's earlier prompts
 * - `FAIL: reason` ends as failed with that reason
 * - `EXIT: code` ends at once with that exit code, without a last event
 * - `KILL: signal` ends itself by that signal
 * - `HANG:` does nothing any more, and ignores SIGTERM
 *
 * A session that was cut off and is resumed by a prompt without such lines executes the remaining lines of
 * the previous prompt.
 *
 * Sessions are files in $PAWL_SCRIPTED_HOME (else ~/.pawl-scripted), one per session and working folder, as
 * claude's are bound to the folder that they were started in.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashOf } from "../../../core/hash.ts";

const COST_OF_A_TURN = 0.001;

const { values: options } = parseArgs({
  options: {
    resume: { type: "string" },
    "session-id": { type: "string" },
    "permission-mode": { type: "string" },
    version: { type: "boolean" },
  },
  allowPositionals: false,
});

if (options.version) {
  process.stdout.write("1.0.0 (scripted agent)\n");
  process.exit(0);
}

const session = options.resume ?? options["session-id"] ?? randomUUID();
const sessionFile = fileOf(session);
let turns = 0;
let lastWords = "";

function fileOf(id: string): string {
  const folder = join(process.env.PAWL_SCRIPTED_HOME ?? join(homedir(), ".pawl-scripted"));
  mkdirSync(folder, { recursive: true });
  return join(folder, `${hashOf(`${process.cwd()}\0${id}`).slice(0, 32)}.json`);
}

function writeLine(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ ...line, session_id: session })}\n`);
}

function writeContent(content: Record<string, unknown>): void {
  turns += 1;
  writeLine({ type: "assistant", message: { role: "assistant", model: "scripted", content: [content] } });
}

function printText(text: string): void {
  lastWords = text;
  writeContent({ type: "text", text });
}

function end(fault: string | null, code: number): never {
  writeLine({
    type: "result",
    subtype: fault ? "error_during_execution" : "success",
    is_error: fault !== null,
    result: fault ?? lastWords,
    ...(fault ? { errors: [fault] } : {}),
    num_turns: turns,
    total_cost_usd: turns * COST_OF_A_TURN,
    usage: { input_tokens: turns * 100, output_tokens: turns * 10 },
  });
  process.exit(code);
}

/** A line of a session's file: a prompt with its script lines, or how many of these have been executed. */
type Entry = { readonly prompt: string; readonly lines: readonly Line[] } | { readonly obeyed: number };

interface Line {
  readonly word: string;
  readonly rest: string;
}

interface Memory {
  readonly prompts: readonly string[];
  /** The last prompt's remaining lines. */
  readonly unfinished: readonly Line[];
}

const NOTHING: Memory = { prompts: [], unfinished: [] };

function openSession(): Memory {
  if (!options.resume) {
    if (existsSync(sessionFile)) refuse(`Session ID ${session} is already in use.`);
    writeFileSync(sessionFile, "");
    return NOTHING;
  }
  if (!existsSync(sessionFile)) refuse(`No conversation found with session ID: ${session}`);
  const text = readFileSync(sessionFile, "utf8").trim();
  const entries: Entry[] = text === "" ? [] : text.split("\n").map((line) => JSON.parse(line));
  const begun = entries.flatMap((entry) => ("prompt" in entry ? [entry] : []));
  const last = entries.at(-1);
  const obeyed = last && "obeyed" in last ? last.obeyed : 0;
  return {
    prompts: begun.map(({ prompt }) => prompt),
    unfinished: begun.at(-1)?.lines.slice(obeyed) ?? [],
  };
}

/** A removed session is not written again. */
function remember(entry: Entry): void {
  if (existsSync(sessionFile)) appendFileSync(sessionFile, `${JSON.stringify(entry)}\n`);
}

function linesOf(prompt: string): readonly Line[] {
  return prompt.split("\n").flatMap((line) => {
    const [, word, rest = ""] = /^\s*(RUN|SAY|RECALL|FAIL|EXIT|KILL|HANG):\s*(.*?)\s*$/.exec(line) ?? [];
    return word === undefined ? [] : [{ word, rest }];
  });
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  end(message, 1);
}

function run(command: string): void {
  const id = randomUUID();
  writeContent({ type: "tool_use", id, name: "Bash", input: { command } });
  const done = spawnSync("bash", ["-c", command], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const content = `${done.stdout ?? ""}${done.stderr ?? ""}`.slice(-10_000);
  const result = { type: "tool_result", tool_use_id: id, content, is_error: done.status !== 0 };
  writeLine({ type: "user", message: { role: "user", content: [result] } });
}

function hang(): void {
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => {});
  setInterval(() => {}, 1 << 30);
}

/** Returns false if the script ends here. */
function runLine({ rest, word }: Line, earlier: readonly string[]): boolean {
  if (word === "RUN") run(rest);
  else if (word === "SAY") printText(rest);
  else if (word === "RECALL")
    printText(`I recall ${earlier.length} prompt(s): ${earlier.map(firstLine).join(" | ")}`);
  else if (word === "FAIL") end(rest || "told to fail", 1);
  else if (word === "EXIT") process.exit(Number(rest));
  else if (word === "KILL") {
    process.kill(process.pid, rest as NodeJS.Signals);
    hang();
    return false;
  } else if (word === "HANG") {
    hang();
    return false;
  }
  return true;
}

/**
 * These end the program, so they count as executed before they run: a resumed session does not repeat them.
 */
const ENDINGS: ReadonlySet<string> = new Set(["FAIL", "EXIT", "KILL", "HANG"]);

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

function main(): void {
  const prompt = readFileSync(0, "utf8");
  const { prompts, unfinished } = openSession();
  const own = linesOf(prompt);
  // A prompt without script lines continues the previous script, as a model would continue its work.
  const lines = own.length > 0 ? own : unfinished;
  remember({ prompt, lines });
  writeLine({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    permissionMode: options["permission-mode"],
  });
  for (const [at, line] of lines.entries()) {
    if (ENDINGS.has(line.word)) remember({ obeyed: at + 1 });
    if (!runLine(line, prompts)) return;
    remember({ obeyed: at + 1 });
  }
  if (lastWords === "") printText("done");
  end(null, 0);
}

main();
