/** What the chapters of the demo stand on: a real project, a real client of the real server, and a narrator. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const PROGRAM = fileURLToPath(new URL("../dist/main.js", import.meta.url));

type Actor = "assistant" | "human" | "pawl" | "git" | "agent";

const COLOURS = { assistant: "cyan", human: "magenta", pawl: "yellow", git: "blue", agent: "green" } as const;

export interface Stage {
  readonly folder: string;
  chapter(title: string): void;
  /** One line of what an actor does or says; longer texts are indented beneath. */
  tell(actor: Actor, line: string, beneath?: string): Promise<void>;
  git(...args: readonly string[]): string;
  pawl(...args: readonly string[]): { readonly code: number; readonly output: string };
}

export function openStage(options: { readonly fast: boolean }): Stage {
  const folder = mkdtempSync(join(tmpdir(), "pawl-demo-"));
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  delete environment.PAWL_PROJECT;
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const pause = () => new Promise((done) => setTimeout(done, options.fast ? 0 : 350));
  return {
    folder,
    git,
    chapter: (title) => print(`\n${styleText("bold", title)}\n`),
    async tell(actor, line, beneath) {
      print(`  ${styleText(COLOURS[actor], actor.padEnd(9))} ${line}`);
      if (beneath) print(indent(beneath));
      await pause();
    },
    pawl(...args) {
      try {
        const output = execFileSync(process.execPath, [PROGRAM, ...args], {
          cwd: folder,
          env: environment,
          encoding: "utf8",
        });
        return { code: 0, output };
      } catch (failure) {
        const { status, stdout, stderr } = failure as { status: number; stdout: string; stderr: string };
        return { code: status, output: `${stdout}${stderr}` };
      }
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
    stderr: "inherit",
  });
  await client.connect(transport);
  return {
    async call(tool, input) {
      const result = await client.callTool({ name: tool, arguments: input });
      const answer = result.structuredContent as Answer;
      if (result.isError)
        throw new Error(`${tool} was refused: ${answer?.message ?? JSON.stringify(result.content)}`);
      return answer;
    },
    close: () => client.close(),
  };
}

export interface Assistant {
  call(tool: string, input: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
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

export function discard(stage: Stage): void {
  rmSync(stage.folder, { recursive: true, force: true });
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `            ${styleText("dim", `│ ${line}`)}`)
    .join("\n");
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
