/** What the benchmarks share: rounds that take turns, medians, and a child's way to its first answer. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { useScratchStateHome } from "../test/rig/state-home.ts";

export const MAIN = resolve(import.meta.dirname, "../dist/main.js");

process.once("exit", useScratchStateHome());

/** A variable of its own would be timed: Node reads such certificates at each start. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_EXTRA_CA_CERTS: undefined,
  NO_COLOR: "1",
};

export interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly least: number;
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), least: at(0) };
}

/** Runs every subject once a round, so that what else the machine does falls on all of them alike. */
export async function takeTurns<Name extends string>(
  rounds: number,
  subjects: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, Spread>>> {
  const names = Object.keys(subjects) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await subjects[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) times[name].push(await subjects[name]());
  }
  return Object.fromEntries(names.map((name) => [name, spreadOf(times[name])])) as Record<Name, Spread>;
}

/** Milliseconds from the start of a process to its end. */
export function timeToEnd(args: readonly string[], cwd: string): Promise<number> {
  return new Promise((done, fail) => {
    const begun = performance.now();
    const child = spawn(process.execPath, args, {
      cwd,
      env: ENVIRONMENT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.resume();
    child.on("error", fail);
    child.on("exit", (code) =>
      code === 0 ? done(performance.now() - begun) : fail(new Error(`${args.join(" ")} ended with ${code}`)),
    );
  });
}

/**
 * Milliseconds of processor time, of a process and of what it waited for: what else the machine does counts for little in it.
 * With `before`, a command of the shell that is not counted.
 */
export function cpuOf(args: readonly string[], cwd: string, before = ":"): number {
  const script = `${before}; TIMEFORMAT="%3U %3S"; time "$@" >/dev/null`;
  const { status, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    cwd,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  return (user + system) * 1000;
}

export const median = (values: readonly number[]): number => spreadOf(values).median;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
};

export interface Speaking {
  readonly child: ChildProcessWithoutNullStreams;
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Milliseconds from the start of the process to the end of `initialize`. */
  readonly startup: number;
  end(): Promise<void>;
}

/** Starts an MCP server and speaks to it without a client library, so that only the server is timed. */
export async function speakTo(
  args: readonly string[],
  cwd: string,
  program = process.execPath,
): Promise<Speaking> {
  const begun = performance.now();
  const child = spawn(program, args, { cwd, env: ENVIRONMENT });
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
    }
  });
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const answerTo = (id: number) =>
    new Promise<Record<string, unknown>>((done) => {
      waiting.set(id, (message) => {
        waiting.delete(id);
        done(message);
      });
    });
  const initialized = answerTo(0);
  send(INITIALIZE);
  await initialized;
  const startup = performance.now() - begun;
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    child,
    startup,
    request(method, params = {}) {
      const answer = answerTo(++last);
      send({ jsonrpc: "2.0", id: last, method, params });
      return answer;
    },
    async end() {
      const ended = new Promise((done) => child.once("exit", done));
      child.stdin.end();
      await ended;
    },
  };
}

const made: string[] = [];
process.once("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** Removed when the program ends: some hold a history of fifty megabytes. */
export function emptyFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `pawl-bench-${name}-`)));
  made.push(folder);
  return folder;
}

export function show(
  name: string,
  found: string,
  target?: { readonly text: string; readonly met: boolean },
): void {
  const judged = target ? `   ${target.met ? "met" : "MISSED"}: ${target.text}` : "";
  process.stdout.write(`${name.padEnd(48)} ${found.padStart(22)}${judged}\n`);
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

export async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The floor of a disk: one small file written, synced, renamed, and its folder synced. */
export function writeDurably(folder: string): void {
  const path = join(folder, "floor.json");
  const file = openSync(`${path}.tmp`, "w");
  writeSync(file, `{"text": "${"x".repeat(500)}"}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.tmp`, path);
  const entry = openSync(folder, "r");
  fsyncSync(entry);
  closeSync(entry);
}
