/**
 * The loop's own cost: `node bench/tasks-loop.bench.ts [STEPS] [TASKS]`.
 *
 * Measured: from an agent's exit to the next agent's start, over STEPS steps (default 60) of one task without a
 * repository or verify commands, in a file with TASKS tasks (default 1); claims per second; resident memory and CPU of
 * a loop with 20 agents that hang, and CPU of one that has nothing to do, over ten seconds. Agents are doubles that
 * end at once, so that only the loop is measured.
 * Not measured: real agents, git, verify commands, other processes on the project.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openProject } from "../src/app/app.ts";
import { readEnvironment } from "../src/config/config.ts";
import type { AgentEnd, Agents } from "../src/core/ports/agents.ts";
import { runLoop } from "../src/workflows/bloom/scheduler/loop.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";
import { useScratchStateHome } from "../test/rig/state-home.ts";

const steps = Number(process.argv[2] ?? 60);
const others = Number(process.argv[3] ?? 1);
const SECONDS = 10;
process.once("exit", useScratchStateHome());

const END: AgentEnd = {
  outcome: "succeeded",
  session: "one",
  text: "",
  usage: null,
  exit: { code: 0, signal: null },
  duration: 1,
  leftovers: { ended: 0, alive: 0 },
  output: ".pawl/agents/x" as AgentEnd["output"],
};

async function inProject<T>(
  tasks: string,
  use: (project: Awaited<ReturnType<typeof openProject>>) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "pawl-bench-"));
  writeFileSync(join(root, "tasks.yaml"), tasks);
  const home = resolve(import.meta.dirname, "../src");
  const project = await openProject({
    root,
    home,
    environment: readEnvironment(),
    workflows: WORKFLOWS,
    program: "none",
    trust: { vouched: true },
  });
  try {
    return await use(project);
  } finally {
    await project.close();
    rmSync(root, { recursive: true, force: true });
  }
}

type Project = Awaited<ReturnType<typeof openProject>>;

async function loop(
  project: Project,
  agents: Agents,
  count: number,
  once: boolean,
  stop: AbortSignal,
): Promise<void> {
  const outside = await project.openLoop();
  await runLoop({
    ...outside,
    ports: { ...outside.ports, agents },
    runtime: project.runtime,
    name: "bench",
    agents: count,
    mergeTrain: 4,
    once,
    show: () => {},
    stop,
  });
}

const none = {
  endLeftovers: async () => 0,
  spentBy: async () => null,
  missing: () => null,
  takeCommits: async () => [],
  takeCalls: async () => {},
  survey: async () => [],
  tryOut: async () => Promise.reject(new Error("no")),
};
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const listed = Array.from({ length: steps }, (_, n) => `  - {id: s${n}, instruction: do}`).join("\n");
const rest = Array.from({ length: others - 1 }, (_, n) => `- {id: D${n}, title: done, status: done}`).join(
  "\n",
);
const gaps = await inProject(
  `tasks:\n- id: T\n  title: t\n  steps:\n${listed}\n${rest}\n`,
  async (project) => {
    const found: number[] = [];
    let ended = 0;
    const agents: Agents = {
      ...none,
      start(order, _hear) {
        if (ended > 0) found.push(performance.now() - ended);
        const end = new Promise<AgentEnd>((done) =>
          setTimeout(() => {
            ended = performance.now();
            done(END);
          }, 5),
        );
        return { run: order.run, ended: end, stop: () => end };
      },
    };
    await loop(project, agents, 1, true, new AbortController().signal);
    return found;
  },
);
process.stdout.write(
  `exit to next start, ${steps} steps, ${others} tasks: median ${median(gaps).toFixed(1)} ms, longest ${Math.max(...gaps).toFixed(1)} ms\n`,
);

const claimed = await inProject("tasks: []\n", async (project) => {
  const { claims } = await project.openLoop();
  const begun = performance.now();
  for (let n = 0; n < 500; n++) await (await claims.take(`T${n}`, "bench"))?.release();
  return (500 / (performance.now() - begun)) * 1000;
});
process.stdout.write(`claims taken and released: ${claimed.toFixed(0)} per second\n`);

for (const count of [20, 0]) {
  const tasks = Array.from({ length: count }, (_, n) => `- {id: T${n}, title: t, repo: r${n}}`).join("\n");
  await inProject(`tasks: ${count === 0 ? "[]" : `\n${tasks}`}\n`, async (project) => {
    const stop = new AbortController();
    const agents: Agents = {
      ...none,
      start(order) {
        let end = (_: AgentEnd) => {};
        const ended = new Promise<AgentEnd>((done) => {
          end = done;
        });
        const stopped: AgentEnd = { ...END, outcome: "failed", reason: "stopped", detail: "" };
        const stop = async () => {
          end(stopped);
          return stopped;
        };
        return { run: order.run, ended, stop };
      },
    };
    const outside = await project.openLoop();
    const folder = {
      ensure: async (order: { repo: unknown; branch: string }) => ({
        ...order,
        folder: outside.ports.root,
        from: "kept",
      }),
      watchCheckout: async () => async () => ({ files: [], branches: [] }),
    };
    const running = runLoop({
      ...outside,
      ports: {
        ...outside.ports,
        agents,
        worktrees: { ...outside.ports.worktrees, ...folder } as typeof outside.ports.worktrees,
      },
      runtime: project.runtime,
      name: "bench",
      agents: 20,
      mergeTrain: 4,
      once: false,
      show: () => {},
      stop: stop.signal,
    });
    await new Promise((done) => setTimeout(done, 2000));
    const before = process.cpuUsage();
    await new Promise((done) => setTimeout(done, SECONDS * 1000));
    const { user, system } = process.cpuUsage(before);
    const memory = process.memoryUsage().rss / 1024 / 1024;
    process.stdout.write(
      `${count} agents at work: ${((user + system) / 1e4 / SECONDS).toFixed(2)} % CPU, ${memory.toFixed(0)} MB resident\n`,
    );
    stop.abort();
    await running;
  });
}
