/** What the scripts share: medians, rounds in turns, a project as its users have it, and an MCP server to speak to. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { useScratchStateHome } from "../test/rig/state-home.ts";

export const MAIN = resolve(import.meta.dirname, "../dist/main.js");

process.once("exit", useScratchStateHome());
// A process that another script started says nothing.
if (!process.send) warnIfBusy();

/** Node reads NODE_EXTRA_CA_CERTS at each start, which would count as Pawl's time. */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_EXTRA_CA_CERTS: undefined,
  NO_COLOR: "1",
};

function warnIfBusy(): void {
  const [load = 0] = loadavg();
  if (load > availableParallelism())
    process.stderr.write(`The machine is busy (load ${load.toFixed(1)}): these figures are rough.\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The subjects' medians. Each runs once a round, so that other work on the machine slows all alike. */
export async function takeTurns<Name extends string>(
  rounds: number,
  subjects: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(subjects) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await subjects[name]();
  for (let round = 0; round < rounds; round++)
    for (const [name, all] of times) all.push(await subjects[name]());
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)])) as Record<Name, number>;
}

/** Milliseconds from the start of a Node process to its end. `input`: the file that is its standard input. */
export function timeToEnd(
  args: readonly string[],
  cwd: string,
  input = "/dev/null",
  more: NodeJS.ProcessEnv = {},
): Promise<number> {
  return new Promise((done, fail) => {
    const file = openSync(input, "r");
    const begun = performance.now();
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...ENVIRONMENT, ...more },
      stdio: [file, "pipe", "inherit"],
    });
    child.stdout?.resume();
    child.on("error", fail);
    child.on("exit", (code) => {
      const time = performance.now() - begun;
      closeSync(file);
      if (code === 0) done(time);
      else fail(new Error(`${args.join(" ")} ended with ${code}`));
    });
  });
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Prints a figure, and beside it the bound that holds for it on a machine at rest. */
export function show(figure: string, value: string, bound?: string): void {
  process.stdout.write(`${figure.padEnd(48)} ${value.padStart(18)}${bound ? `   bound: ${bound}` : ""}\n`);
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

export const times = (value: number): string => `${value.toFixed(2)} ×`;

const made: string[] = [];
process.once("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** It is removed when the program ends. */
export function emptyFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `pawl-bench-${name}-`)));
  made.push(folder);
  return folder;
}

const PAWL_YAML = `alfred:
  reviews:
    default: [ai, human]
    plan_task: [ai]
  human_review: relay
  checks:
    test: npm test
bloom:
  agents: 4
  permission: edits
  limits: {silence: 10, run: 60, verify: 15}
  budget: {usd: 5, turns: 200}
agents:
  claude:
    model: opus
    environment: [ANTHROPIC_API_KEY]
setup:
  .:
    run: [npm ci]
    cache: [node_modules]
`;

/** A project that `pawl init` set up, with a filled pawl.yaml and so many tasks of one step each. */
export function projectWith(tasks: number, settings = ""): string {
  const folder = emptyFolder("project");
  const pawl = (...args: readonly string[]) =>
    execFileSync(process.execPath, [MAIN, ...args], { cwd: folder, env: ENVIRONMENT, stdio: "ignore" });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  pawl("init");
  writeFileSync(join(folder, "pawl.yaml"), `${PAWL_YAML}${settings}`);
  writeFileSync(join(folder, "tasks.yaml"), tasksFile(tasks));
  pawl("list");
  return folder;
}

function tasksFile(count: number): string {
  const tasks = Array.from({ length: count }, (_, n) =>
    [
      `  - id: T${n}`,
      `    title: Task number ${n} # a comment`,
      "    status: todo",
      "    acceptance_criteria:",
      "      - It works",
      "    steps:",
      `      - id: T${n}-a`,
      "        instruction: Do the first part of it",
    ].join("\n"),
  );
  return `tasks:\n${tasks.join("\n")}\n`;
}

export interface Client {
  readonly name: string;
  readonly version: string;
}

const STRANGER: Client = { name: "bench", version: "0" };

interface ServerOptions {
  /** Default: all. */
  readonly workflow?: string;
  readonly main?: string;
  readonly client?: Client;
}

type Message = Readonly<Record<string, unknown>>;

export interface Server {
  readonly child: ChildProcessWithoutNullStreams;
  /** The notifications that it has sent so far, each a line. */
  readonly unasked: string[];
  request(method: string, params?: object): Promise<Message>;
  /** Throws if the call is refused: then it would measure something else. */
  call(name: string, input?: object): Promise<Message>;
  end(): Promise<void>;
}

/** Starts `pawl mcp`, and speaks to it without a client library, so that only the server is timed. */
export async function openServer(cwd: string, options: ServerOptions = {}): Promise<Server> {
  const { client = STRANGER, main = MAIN, workflow } = options;
  const words = [main, "mcp", ...(workflow ? [workflow] : [])];
  const child = spawn(process.execPath, words, { cwd, env: ENVIRONMENT });
  const waiting = new Map<number, (message: Message) => void>();
  const unasked: string[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id === undefined) unasked.push(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params: object = {}) =>
    new Promise<Message>((done) => {
      waiting.set(++last, done);
      send({ id: last, method, params });
    });
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client });
  send({ method: "notifications/initialized" });
  return {
    child,
    unasked,
    request,
    async call(name, input = {}) {
      const { result } = await request("tools/call", { name, arguments: input });
      const { isError, content } = (result ?? { isError: true }) as { isError?: boolean; content?: unknown };
      if (isError) throw new Error(`${name} was refused: ${JSON.stringify(content)}`);
      return result as Message;
    },
    async end() {
      const ended = new Promise((done) => child.once("exit", done));
      child.stdin.end();
      await ended;
    },
  };
}
