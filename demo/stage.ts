/** What the chapters of the demo stand on: a real project, a real client of the real server, and a narrator. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters, styleText } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openProject } from "../src/app/open-project.ts";
import { atTerminal } from "../test/rig/terminal.ts";

export const PROGRAM = fileURLToPath(new URL("../dist/main.js", import.meta.url));

type Actor = "assistant" | "human" | "pawl" | "git" | "agent";

const COLOURS = { assistant: "cyan", human: "magenta", pawl: "yellow", git: "blue", agent: "green" } as const;

export interface Stage {
  readonly folder: string;
  /** The agent that does the tasks, as pawl.yaml names it. */
  readonly agent: string;
  /** Where a bare remote repository may be made. */
  readonly remote: string;
  chapter(title: string): void;
  /** One line of what an actor does or says; longer texts are indented beneath. */
  tell(actor: Actor, line: string, more?: string): Promise<void>;
  git(...args: readonly string[]): string;
  pawl(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
  /**
   * The program as a person calls it at a terminal: one that the demo opens itself, where it shows the question and types
   * yes. A demo that an agent runs is refused, as that agent would be.
   */
  person(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
  /** The same, with each line of its output as it comes. */
  watch(args: readonly string[], onLine: (line: string) => void): Promise<number | null>;
  node(...args: readonly string[]): string;
  /** Agrees to what the project's files would start, as a person does by `pawl trust`. `root`: of another checkout. */
  trust(root?: string): Promise<void>;
  /** Adds to the environment of every program that is called from here on. */
  setVariables(variables: Readonly<Record<string, string>>): void;
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  /** Long enough to read a line, unless the demo is to be fast. */
  pause(): Promise<void>;
  /** Leaves nothing behind. */
  remove(): void;
}

export function openStage(options: { readonly fast: boolean; readonly agent: string }): Stage {
  const place = mkdtempSync(join(tmpdir(), "pawl-demo-"));
  const folder = join(place, "greeter");
  const programs = join(place, "bin");
  mkdirSync(folder);
  mkdirSync(programs);
  for (const name of ["pawl", "bloom"]) {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
  }
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    PATH: `${programs}${delimiter}${process.env.PATH}`,
    COLUMNS: String(WIDTH),
    PAWL_SCRIPTED_HOME: join(place, "sessions"),
    XDG_STATE_HOME: join(place, "state"),
  };
  delete environment.PAWL_PROJECT;
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const pause = () => new Promise<void>((done) => setTimeout(done, options.fast ? 0 : 350));
  return {
    folder,
    agent: options.agent,
    pause,
    remove: () => rmSync(place, { recursive: true, force: true }),
    remote: join(place, "remote.git"),
    git,
    node: (...args) =>
      execFileSync(process.execPath, args, { cwd: folder, env: environment, encoding: "utf8" }),
    setVariables: (variables) => Object.assign(environment, variables),
    variables: environment,
    async trust(root = folder) {
      const home = fileURLToPath(new URL("../src", import.meta.url));
      const project = await openProject({ root, home, environment, workflows: {} });
      await project.trust.accept((await project.trust.status()).entries, "the demo");
      await project.close();
    },
    chapter: (title) => print(`\n${styleText("bold", title)}\n`),
    async tell(actor, line, more) {
      const [first = "", ...rest] = wrapped(line, WIDTH - 6);
      print(`  ${styleText(COLOURS[actor], actor.padEnd(9))} ${first}`);
      for (const each of rest) print(`${" ".repeat(12)}${each}`);
      if (more) print(beneath(more));
      await pause();
    },
    async pawl(...args) {
      const call = { cwd: folder, env: environment, encoding: "utf8" } as const;
      return promisify(execFile)(process.execPath, [PROGRAM, ...args], call).then(
        ({ stdout }) => ({ code: 0, output: stdout }),
        ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
      );
    },
    async person(...args) {
      const seat = { cwd: folder, env: environment as Record<string, string>, answer: "y\n" };
      const { code, err, out } = await atTerminal([process.execPath, PROGRAM, ...args], seat);
      if (code !== 0)
        throw new Error(`The demo plays the person at a terminal, and was refused:\n${err || out}`);
      return { code, output: out };
    },
    watch(args, onLine) {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: folder,
        env: environment,
        stdio: ["ignore", "pipe", "inherit"],
      });
      createInterface({ input: child.stdout }).on("line", onLine);
      return new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
      });
    },
  };
}

/** A real MCP client, connected over stdio to the real server as an assistant's would be. */
export async function connect(stage: Stage, ...workflows: readonly string[]): Promise<Assistant> {
  const client = new Client({ name: "demo-assistant", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...workflows],
    cwd: stage.folder,
    env: stage.variables as Record<string, string>,
    stderr: "inherit",
  });
  await client.connect(transport);
  const ask: Assistant["ask"] = async (tool, input) => {
    const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: input });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return {
      status: "error",
      message: text,
      ...(structuredContent as Partial<Answer>),
      text,
      isRefused: isError === true,
    };
  };
  return {
    async call(tool, input) {
      const answer = await ask(tool, input);
      if (answer.isRefused) throw new Error(`${tool} was refused: ${answer.message}`);
      return answer;
    },
    ask,
    async cast(spell) {
      const result = await client.callTool({ name: spell, arguments: {} });
      const [first] = result.content as { text: string }[];
      const answer = result.structuredContent as Answer;
      if (result.isError) throw new Error(`${spell} was refused: ${first?.text}`);
      return { ...answer, text: first?.text ?? "" };
    },
    close: () => client.close(),
  };
}

export interface Assistant {
  call(tool: string, input: Record<string, unknown>): Promise<Answer>;
  /** The same, where a refusal is an answer as well. */
  ask(tool: string, input: Record<string, unknown>): Promise<AssistantAnswer>;
  cast(spell: string): Promise<Answer & { readonly text: string }>;
  close(): Promise<void>;
}

export interface AssistantAnswer extends Answer {
  /** All that the assistant reads. */
  readonly text: string;
  readonly isRefused: boolean;
}

export interface Answer {
  readonly status: string;
  readonly message: string;
  readonly data?: Record<string, unknown>;
  readonly next_prompt?: string;
}

/** The lines of a prompt between one heading and the next, for showing its gist. */
export function section(prompt: string, heading: string): string {
  const lines = prompt.split("\n");
  const start = lines.findIndex((line) => line.startsWith("#") && line.includes(heading));
  if (start < 0) return "";
  const end = lines.findIndex((line, index) => index > start && /^(#|---)/.test(line));
  return lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join("\n")
    .trim();
}

export function write(stage: Stage, name: string, text: string): void {
  writeFileSync(join(stage.folder, name), text);
}

const INDENT = 4;
/** Of what stands beneath a line. */
const WIDTH = Math.min(process.stdout.columns ?? 80, 100) - INDENT - 2;

/** What belongs to the line above it, no wider than the screen. */
export function beneath(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapped(line, WIDTH))
    .map((line) => `${" ".repeat(INDENT)}${styleText("dim", `│ ${line}`)}`)
    .join("\n");
}

/** A line that fits stays as it is; another one is broken between words. */
export function wrapped(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const at = line.lastIndexOf(" ", width);
  const cut = at > width / 3 ? at : width;
  return [line.slice(0, cut), ...wrapped(line.slice(cut).trimStart(), width)];
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
