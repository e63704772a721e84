/**
 * What the loop itself costs a task, and what eight agents gain over one: `node bench/tasks.ts`.
 *
 * Measured: `pawl run --once` over 24 tasks of one second each behind the wall, whose work is merged into the project's branch; the
 * same with work that is pushed, verified and cleaned up, too, for one second and for five; the calls of git of such a task; and the
 * processors' time a task, agents included: the scripted agent and its call of Pawl are two starts of Node. It is that of the whole
 * machine meanwhile, since nobody waits for what runs behind the wall: only an idle machine tells it.
 * Not measured: a model's time; large repositories; a remote over a network.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bloomProject } from "../test/rig/bloom-project.ts";
import { countingGit, pushedTasks } from "../test/rig/git-count.ts";
import setup from "../test/rig/global-setup.ts";
import { MAIN } from "../test/rig/project.ts";
import { NO_WALL } from "../test/rig/wall.ts";
import { show } from "./measure.ts";

const TASKS = 24;

const merged = pushedTasks(TASKS, "sleep 1; ")
  .replace(/^git: .*\n/, "")
  .replaceAll(/ +verify: .*\n/g, "");
const pushed = (seconds: number) => pushedTasks(TASKS, `sleep ${seconds}; `);

/** Seconds in which this machine's processors had something to do, since it started. */
function busy(): number {
  const [, user, nice, system, , , irq, softirq] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "")
    .split(/\s+/)
    .map(Number);
  return [user, nice, system, irq, softirq].reduce<number>((sum, ticks = 0) => sum + ticks, 0) / 100;
}

/** Seconds by the clock and of the processors. */
function run(
  tasks: string,
  agents: number,
  environment: Readonly<Record<string, string>> = {},
  write: readonly string[] = [],
) {
  const sandbox = NO_WALL ? "none" : { kind: "bwrap", write };
  using project = bloomProject({ tasks, environment, settings: { agents }, project: { sandbox } });
  const [begun, before] = [performance.now(), busy()];
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "run", "--once"], {
    cwd: project.root,
    env: project.environment,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [seconds, cpu] = [(performance.now() - begun) / 1000, busy() - before];
  if (status !== 0) throw new Error(`The run ended with ${status}: ${stderr}`);
  return { seconds, cpu };
}

function compare(
  name: string,
  tasks: string,
  bounds: { readonly cpu?: string; readonly gain?: string } = {},
): void {
  const [one, eight] = [run(tasks, 1), run(tasks, 8)];
  show(`${name}: processors a task, agents included`, `${(eight.cpu / TASKS).toFixed(2)} s`, bounds.cpu);
  show(
    `${name}: eight agents are faster than one by`,
    `${(one.seconds / eight.seconds).toFixed(1)} ×`,
    bounds.gain,
  );
}

await setup();
const counted = countingGit(mkdtempSync(join(tmpdir(), "pawl-bench-git-")));
run(pushed(1), 8, counted.environment, [counted.log]);
show("calls of git a task", (counted.calls().length / TASKS).toFixed(1), "15");
compare("merged, 1 s", merged, { cpu: "0.45 s", gain: "4 ×" });
compare("pushed, 1 s", pushed(1));
compare("pushed, 5 s", pushed(5));
