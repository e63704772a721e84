/**
 * What the loop itself costs a task, and what eight agents gain over one: `node bench/tasks.ts`.
 *
 * Measured: `pawl run --once` over 24 tasks of one second each, pushed, verified, merged and cleaned up behind the wall; the calls of
 * git a task; and the processor's time a task, agents included: the scripted agent and its call of Pawl are three starts of Node.
 * Not measured: a model's time; large repositories; a remote over a network.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bloomProject } from "../test/rig/bloom-project.ts";
import { countingGit, pushedTasks } from "../test/rig/git-count.ts";
import setup from "../test/rig/global-setup.ts";
import { MAIN } from "../test/rig/project.ts";
import { NO_WALL } from "../test/rig/wall.ts";
import { show } from "./measure.ts";

const TASKS = 24;

const tasks = pushedTasks(TASKS, "sleep 1; ");

/** Seconds by the clock and of the processor. */
function run(
  agents: number,
  environment: Readonly<Record<string, string>> = {},
  write: readonly string[] = [],
) {
  const sandbox = NO_WALL ? "none" : { kind: "bwrap", write };
  using project = bloomProject({ tasks, environment, settings: { agents }, project: { sandbox } });
  const begun = performance.now();
  const script = '"$@" >/dev/null; code=$?; times >&3; exit $code';
  const { output, status } = spawnSync(
    "bash",
    ["-c", script, "bash", process.execPath, MAIN, "run", "--once"],
    {
      cwd: project.root,
      env: project.environment,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    },
  );
  const seconds = (performance.now() - begun) / 1000;
  if (status !== 0) throw new Error(`The run ended with ${status}: ${output[2]}`);
  const children = String(output[3]).trim().split("\n").at(-1) ?? "";
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
    0,
  );
  return { seconds, cpu };
}

await setup();
const counted = countingGit(mkdtempSync(join(tmpdir(), "pawl-bench-git-")));
run(8, counted.environment, [counted.log]);
show("calls of git a task", (counted.calls().length / TASKS).toFixed(1), "15");
const one = run(1);
const eight = run(8);
show("processor a task, agents included", `${(eight.cpu / TASKS).toFixed(2)} s`, "0.45 s");
show(
  `${TASKS} tasks: eight agents are faster than one by`,
  `${(one.seconds / eight.seconds).toFixed(1)} ×`,
  "4 ×",
);
