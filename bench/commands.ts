/**
 * Cold commands by the clock, in turns with `node -e 0`: `node bench/commands.ts [ROUNDS]`, after `npm run build`.
 *
 * Measured: the time of the whole process, median of ROUNDS (default 25). `status`, `list`, `step done` and `lumos` in a small
 * project; `list`, `status` and `step done` with 1,000 tasks. Each `step done` marks another step. Then the hook that a client
 * calls before each tool (`pawl guard`), in a project with 50 runs of Alfred under way: when nothing has changed since the last call,
 * and just after one run has moved. Then what a program waits for that imports the library, by that program's own clock: it has no
 * compile cache.
 * Not measured: the first start after an install, with a cold disk; a client's own time; slow or encrypted disks.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { CONTEXT } from "../test/rig/alfred-artifacts.ts";
import { taskMarkdown } from "../test/rig/alfred-project.ts";
import {
  emptyFolder,
  MAIN,
  ms,
  openServer,
  projectWith,
  show,
  takeTurns,
  times,
  timeToEnd,
} from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 25);
const RUNS = Math.max(50, ROUNDS + 1);

const small = projectWith(ROUNDS + 1);
const large = projectWith(1000);
const guarded = projectWith(1, "guard: true\n");

const command =
  (folder: string, ...args: readonly string[]) =>
  () =>
    timeToEnd([MAIN, ...args], folder);

function stepDone(folder: string): () => Promise<number> {
  let task = 0;
  return () => timeToEnd([MAIN, "step", "done", `T${task++}-a`], folder);
}

const server = await openServer(guarded, { workflow: "alfred" });
for (let number = 1; number <= RUNS; number++) {
  const task_id = `TS-${number}`;
  await server.call("create_task", { task_content: taskMarkdown(task_id) });
  await server.call("plan_task", { task_id });
}

const call = join(emptyFolder("hook"), "call.json");
writeFileSync(
  call,
  JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: guarded, tool_name: "Write" },
    tool_input: { file_path: join(guarded, "src/a.ts"), content: "a" },
  }),
);
const hook = () => timeToEnd([MAIN, "guard", "claude-code"], guarded, call);
let moved = 0;
async function hookAfterMove(): Promise<number> {
  await server.call("submit_work", { task_id: `TS-${++moved}`, artifact: CONTEXT });
  return hook();
}

const LIBRARY = pathToFileURL(join(dirname(MAIN), "index.js")).href;
const IMPORTS = `const begun = performance.now();
await import(${JSON.stringify(LIBRARY)});
console.log(performance.now() - begun);`;
async function importLibrary(): Promise<number> {
  const args = ["--input-type=module", "--eval", IMPORTS];
  return Number(execFileSync(process.execPath, args, { cwd: small, encoding: "utf8" }));
}

const figures = await takeTurns(ROUNDS, {
  node: () => timeToEnd(["-e", "0"], small),
  status: command(small, "status"),
  list: command(small, "list"),
  "step done": stepDone(small),
  lumos: command(small, "lumos"),
  "list, 1,000 tasks": command(large, "list"),
  "status, 1,000 tasks": command(large, "status"),
  "step done, 1,000 tasks": stepDone(large),
  "the guard's hook": hook,
  "the guard's hook, after a move": hookAfterMove,
  library: importLibrary,
});
await server.end();

const { library, node, ...commands } = figures;
show("node -e 0", ms(node));
for (const [name, time] of Object.entries(commands))
  show(name, `${ms(time)}  ${times(time / node)}`, boundOf(name));
show("the library's import", ms(library), "60 ms");

function boundOf(name: string): string {
  if (name.includes("hook")) return "2.5 ×";
  return name.includes("1,000") ? "5 ×" : "3 × and 150 ms";
}
