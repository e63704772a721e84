/**
 * Curves for docs/performance.md: `node bench/curves.ts [--only tasks,events,agents]`. Writes `curves.json`, and from it the
 * page's tables and its picture; `--only` leaves the other curves as they were measured before.
 *
 * Measured: the processor time of cold commands by the number of tasks and of events, as ratios to `node -e 0` in turns with
 * it; the wall and processor time of `pawl run --once` over 24 tasks of one second by the number of agents (`agents.ts`).
 * Not measured: what `figures.ts` and `agents.ts` do not measure either.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { cpuOf, MAIN, median } from "./measure.ts";
import { editOf, setUp } from "./project.ts";
import { type Curves, type Point, writePage } from "./render-curves.ts";

const FILE = resolve(import.meta.dirname, "curves.json");
const ROUNDS = 7;
const TASKS = [1, 10, 100, 1000, 10_000];
const EVENTS = [1, 1000, 10_000, 100_000, 300_000];
const AGENTS = [1, 2, 4, 8, 16, 32];

const { values } = parseArgs({ options: { only: { type: "string", default: "tasks,events,agents" } } });
const wanted = new Set(values.only.split(","));
const known: Curves | null = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : null;

function ratio(folder: string, args: readonly string[], before?: string): number {
  const once = () => cpuOf([MAIN, ...args], folder, before) / cpuOf(["-e", "0"], folder);
  once();
  return Number(median(Array.from({ length: ROUNDS }, once)).toFixed(2));
}

function byTasks(): Curves["tasks"] {
  const points = TASKS.map((tasks) => {
    const folder = setUp(`curve-${tasks}`, { tasks });
    const done = ["step", "done", "T0-a"];
    return {
      at: tasks,
      list: ratio(folder, ["list"]),
      status: ratio(folder, ["status"]),
      done: ratio(folder, done),
      edited: ratio(folder, done, editOf(tasks)),
    };
  });
  const curve = (name: "list" | "status" | "done" | "edited"): readonly Point[] =>
    points.map((point) => [point.at, point[name]]);
  return {
    list: curve("list"),
    status: curve("status"),
    "step done": curve("done"),
    "step done, one task edited": curve("edited"),
  };
}

function byEvents(): Curves["events"] {
  const of = (args: readonly string[]): readonly Point[] =>
    EVENTS.map((events) => [events, ratio(setUp(`curve-events-${events}`, { events }), args)]);
  return { "log RUN": of(["log", "T0"]), status: of(["status"]) };
}

/** What `agents.ts` prints for each number of agents. */
const LINE = /^\s*(\d+) agents: ([\d.]+) s .*?, ([\d.]+) s CPU a task/gm;

function byAgents(): Curves["agents"] {
  const script = resolve(import.meta.dirname, "agents.ts");
  const printed = execFileSync(process.execPath, [script, "--agents", AGENTS.join(",")], {
    encoding: "utf8",
  });
  const found = [...printed.matchAll(LINE)].map(([, agents, seconds, cpu]) =>
    [agents, seconds, cpu].map(Number),
  );
  const alone = found[0]?.[1] ?? Number.NaN;
  return {
    "times as fast as one agent": found.map(([at = 0, seconds = 0]) => [
      at,
      Number((alone / seconds).toFixed(2)),
    ]),
    "seconds of CPU a task": found.map(([at = 0, , cpu = 0]) => [at, cpu]),
  };
}

const curves: Curves = {
  cores: availableParallelism(),
  tasks: wanted.has("tasks") || !known ? byTasks() : known.tasks,
  events: wanted.has("events") || !known ? byEvents() : known.events,
  agents: wanted.has("agents") || !known ? byAgents() : known.agents,
};
writeFileSync(FILE, `${JSON.stringify(curves, null, 2)}\n`);
writePage(curves);
