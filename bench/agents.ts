/**
 * How the loop gains from more agents: `node bench/agents.ts [--tasks 24] [--work 1] [--verify 0.2] [--agents 1,4,8]`.
 *
 * Measured: one `pawl run --once` over TASKS independent tasks of one repository, each merged into one target and
 * verified in its worktree and again on the merged result; for each number of agents its wall time, the CPU of Pawl and
 * all that it started, by task, and whether each task was claimed, run, merged and completed exactly once. An agent is
 * the scripted one, a real process that waits WORK seconds and commits one file; a verify command waits VERIFY seconds.
 * Not measured: a model's time, large repositories, slow verify commands (they take turns on the target), pushes, pull
 * requests, several loops on one project, other processes on the machine. An agent that waits costs no CPU: real ones do.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { bloomProject } from "../test/rig/bloom-project.ts";
import setup from "../test/rig/global-setup.ts";
import { MAIN } from "../test/rig/project.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "24" },
    work: { type: "string", default: "1" },
    verify: { type: "string", default: "0.2" },
    agents: { type: "string", default: "1,4,8" },
  },
});
const count = Number(values.tasks);
const say = (line: string) => process.stdout.write(`${line}\n`);

const tasks = Array.from(
  { length: count },
  (_, n) => `- id: T${n}
  title: Task ${n}
  repo: .
  merge_into: main
  verify: ["sleep ${values.verify}"]
  instructions: |
    RUN: sleep ${values.work}
    RUN: echo ${n} > f${n}.txt; git add -A; git commit -qm T${n}
`,
).join("");

await setup();
say(`${count} tasks of ${values.work} s, verify of ${values.verify} s, one target`);
let alone = 0;
for (const agents of String(values.agents).split(",")) {
  using project = bloomProject({ tasks: `tasks:\n${tasks}` });
  const started = performance.now();
  const { out, times } = await timed(project, agents);
  const seconds = (performance.now() - started) / 1000;
  alone ||= seconds;
  const events = out
    .split("\n")
    .flatMap((line) =>
      line.startsWith("{") ? [JSON.parse(line) as { type: string; taskId?: string; reason?: string }] : [],
    );
  const once = ["task:claimed", "agent:started", "merge:completed", "task:completed"].map((type) => {
    const of = events.filter((event) => event.type === type);
    const twice = of.length - new Set(of.map(({ taskId }) => taskId)).size;
    return `${type} ${of.length}${twice > 0 ? ` (${twice} TWICE)` : ""}`;
  });
  for (const { taskId, reason } of events.filter(({ type }) => type === "task:retried"))
    say(`     ${taskId} was tried again: ${reason}`);
  const waiting = events.filter(({ type }) => type === "merge:waiting").length;
  say(
    `${agents.padStart(3)} agents: ${seconds.toFixed(1)} s (${(alone / seconds).toFixed(1)} ×), ` +
      `${(times / count).toFixed(2)} s CPU a task; ${once.join(", ")}, merge:waiting ${waiting}`,
  );
}

/** The run's output, and the CPU seconds of it and of all its children. */
function timed(
  project: ReturnType<typeof bloomProject>,
  agents: string,
): Promise<{ out: string; times: number }> {
  const child = spawn(
    "bash",
    [
      "-c",
      'TIMEFORMAT="%U %S"; time "$@"',
      "bash",
      process.execPath,
      MAIN,
      "run",
      "--json",
      "--once",
      "--agents",
      agents,
    ],
    { cwd: project.root, env: project.environment, stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "";
  let errors = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  return new Promise((resolve) =>
    child.on("close", () => {
      const [user, system] = (errors.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
      resolve({ out, times: (user ?? 0) + (system ?? 0) });
    }),
  );
}
