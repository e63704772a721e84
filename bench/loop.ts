/**
 * From an agent's exit to the start of the next one: `node bench/loop.ts`.
 *
 * Measured: the loop of `pawl run` over 60 steps of one task, in a file with 1 and with 1,000 tasks. The agents are doubles that
 * end at once. Medians.
 * Not measured: real agents, git, `verify`, other processes on the project.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openProject } from "../src/app/open-project.ts";
import { readEnvironment } from "../src/config/config.ts";
import type { AgentEnd, Agents } from "../src/core/ports/agents.ts";
import { runLoop } from "../src/workflows/bloom/scheduler/loop.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";
import { emptyFolder, median, ms, show } from "./measure.ts";

const STEPS = 60;
const RUN_MS = 5;

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

for (const tasks of [1, 1000])
  show(`exit to next start, ${tasks.toLocaleString("en")} tasks`, ms(median(await gaps(tasks))), "50 ms");

async function gaps(tasks: number): Promise<readonly number[]> {
  const root = emptyFolder("loop");
  writeFileSync(join(root, "tasks.yaml"), tasksFile(tasks));
  const project = await openProject({
    root,
    home: resolve(import.meta.dirname, "../src"),
    environment: readEnvironment(),
    workflows: WORKFLOWS,
    program: "none",
    trust: { vouched: true },
  });
  const found: number[] = [];
  const outside = await project.openLoop();
  await runLoop({
    ...outside,
    ports: { ...outside.ports, agents: doubles(found) },
    runtime: project.runtime,
    name: "bench",
    agents: 1,
    mergeTrain: 4,
    once: true,
    show: () => {},
    stop: new AbortController().signal,
  });
  await project.close();
  return found;
}

function tasksFile(tasks: number): string {
  const steps = Array.from({ length: STEPS }, (_, n) => `  - {id: s${n}, instruction: do}\n`);
  const others = Array.from({ length: tasks - 1 }, (_, n) => `- {id: D${n}, title: done, status: done}\n`);
  return `tasks:\n- id: T\n  title: t\n  steps:\n${steps.join("")}${others.join("")}`;
}

/** Agents that end at once. `gaps` receives the time from each one's exit to the next one's start. */
function doubles(gaps: number[]): Agents {
  let exited = 0;
  return {
    endLeftovers: async () => 0,
    spentBy: async () => null,
    sessionOf: async () => null,
    lastSignOf: async () => null,
    accountOf: () => null,
    missing: () => null,
    takeCalls: async () => {},
    survey: async () => [],
    tryOut: async () => Promise.reject(new Error("no")),
    start(order) {
      if (exited > 0) gaps.push(performance.now() - exited);
      const ended = new Promise<AgentEnd>((done) =>
        setTimeout(() => {
          exited = performance.now();
          done(END);
        }, RUN_MS),
      );
      return { run: order.run, ended, stop: () => ended };
    },
  };
}
