/**
 * The figures that `compare.ts` holds: ratios only, each against a floor of the same run, measured in turns with it.
 *
 * Measured: the processor time of cold commands against that of `node -e 0`, in projects that `pawl init` set up; the time of
 * `pawl mcp` to the end of `initialize`, against `node -e 0`; the server's processor time for one transition and one cast over
 * MCP, against that of `node -e 0` (Linux only; against the disk's floor they are in `mcp-moves.ts`, which
 * need a machine at rest); the resident memory of a server after many calls, against that of an idle Node.
 * Not measured: the first start after an install (the compile cache is warm), agents, models, trackers, other disks.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cpuOf, emptyFolder, MAIN, median, speakTo, timeToEnd } from "./measure.ts";
import { casts, make, plans, type Walk } from "./moves.ts";
import { editOf, setUp } from "./project.ts";

/** A figure's name → its ratio. */
export type Figures = Readonly<Record<string, number>>;

export interface Subject {
  readonly name: string;
  /** One round: the subject's cost and its floor's. */
  round(): Promise<readonly [number, number]>;
  readonly rounds: number;
  end(): Promise<void>;
}

const COLD_ROUNDS = 11;
const READS = 2000;
const LOT = 50;
const LOTS = 5;

/** A client's hook before a write, where nothing has changed since the last call. */
function hook(folder: string): Subject {
  const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: folder, tool_name: "Write" };
  const path = join(emptyFolder("hook"), "call.json");
  writeFileSync(
    path,
    JSON.stringify({ ...call, tool_input: { file_path: join(folder, "src/a.ts"), content: "a" } }),
  );
  return cold("guard, 2,000 tasks", folder, ["guard", "claude-code"], `exec <"${path}"`);
}

function cold(name: string, folder: string, args: readonly string[], before?: string): Subject {
  cpuOf([MAIN, ...args], folder, before);
  return {
    name,
    rounds: COLD_ROUNDS,
    round: async () => [cpuOf([MAIN, ...args], folder, before), cpuOf(["-e", "0"], folder)],
    end: async () => {},
  };
}

function start(folder: string): Subject {
  return {
    name: "pawl mcp to initialize",
    rounds: COLD_ROUNDS,
    async round() {
      const server = await speakTo([MAIN, "mcp"], folder);
      await server.end();
      return [server.startup, await timeToEnd(["-e", "0"], folder)];
    },
    end: async () => {},
  };
}

/** Resident memory after so many calls that only read, against that of a Node that does nothing. */
async function memory(folder: string): Promise<Subject> {
  return {
    name: `resident after ${READS} calls`,
    rounds: 1,
    async round() {
      const idle = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log()"]);
      await once(idle.stdout, "data");
      const least = residentOf(idle);
      idle.kill();
      const server = await speakTo([MAIN, "mcp"], folder);
      for (let count = 0; count < READS; count++)
        await server.request("tools/call", { name: count % 2 ? "get_next_task" : "lumos", arguments: {} });
      const most = residentOf(server.child);
      await server.end();
      return [most, least];
    },
    end: async () => {},
  };
}

/** Kilobytes, as `ps` tells them. */
function residentOf({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
}

/** Milliseconds that a running process has used so far, by the kernel's ticks of a hundredth of a second. */
function processorTimeOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = Number.NaN, system = Number.NaN] = stat
    .slice(stat.lastIndexOf(")"))
    .split(" ")
    .slice(12, 14)
    .map(Number);
  return (user + system) * 10;
}

/** Calls of a walk, on one server. */
async function moves(name: string, { calls, folder }: Walk): Promise<Subject> {
  const server = await speakTo([MAIN, "mcp"], folder);
  const walkOn = async () => {
    for (let count = 0; count < LOT; count++) await make(server, calls.next().value);
  };
  await walkOn();
  return {
    name,
    rounds: LOTS,
    async round() {
      const before = processorTimeOf(server.child);
      await walkOn();
      return [(processorTimeOf(server.child) - before) / LOT, cpuOf(["-e", "0"], folder)];
    },
    end: server.end,
  };
}

/** All of them, by name; each is opened when it is its turn. */
export function subjects(): Readonly<Record<string, () => Promise<Subject>>> {
  const folders = new Map<string, string>();
  const folder = (tasks: number, events = 0) => {
    const key = `${tasks}-${events}`;
    const known = folders.get(key) ?? setUp(`tasks-${key}`, { tasks, events });
    folders.set(key, known);
    return known;
  };
  const commands: readonly (readonly [string, () => Subject])[] = [
    ["status", () => cold("status", folder(1), ["status"])],
    ["list", () => cold("list", folder(1), ["list"])],
    ["lumos", () => cold("lumos", folder(1), ["lumos"])],
    ["step done", () => cold("step done", folder(1), ["step", "done", "T0-a"])],
    ["list, 1,000 tasks", () => cold("list, 1,000 tasks", folder(1000), ["list"])],
    [
      "step done, 1,000 tasks, one edited",
      () => cold("step done, 1,000 tasks, one edited", folder(1000), ["step", "done", "T0-a"], editOf(1000)),
    ],
    ["status, 2,000 tasks", () => cold("status, 2,000 tasks", folder(2000), ["status"])],
    ["log RUN, 300,000 events", () => cold("log RUN, 300,000 events", folder(1, 300_000), ["log", "T7"])],
    ["pawl mcp to initialize", () => start(folder(1))],
    ["guard, 2,000 tasks", () => hook(folder(2000))],
  ];
  return {
    ...Object.fromEntries(commands.map(([name, open]) => [name, async () => open()])),
    [`resident after ${READS} calls`]: () => memory(folder(1)),
    ...(existsSync("/proc/self/stat")
      ? {
          "a transition over MCP": () => moves("a transition over MCP", plans()),
          "a cast over MCP": () => moves("a cast over MCP", casts()),
        }
      : {}),
  };
}

/** The median of the ratios of all rounds. */
export async function ratioOf(open: () => Promise<Subject>): Promise<number> {
  const subject = await open();
  const ratios: number[] = [];
  for (let round = 0; round < subject.rounds; round++) {
    const [cost, floor] = await subject.round();
    ratios.push(cost / floor);
  }
  await subject.end();
  return median(ratios);
}
