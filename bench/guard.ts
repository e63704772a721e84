/**
 * What a client's hook costs before each tool: the processor time of `pawl guard claude-code` against that of `node -e 0`, and
 * the time to its answer.
 *
 * Measured: a write outside of any project; in a project with one open run; in one with 2,000, as `pawl init --guard` leaves it, where
 * nothing has changed since the last call, right after one of its runs has moved (by another of Pawl's processes, and by a server
 * that lives on), and for a session that works on one of them.
 * The time to the answer says something only on a machine at rest: Node's own stands beside it.
 * Not measured: the first call ever in a project (everything is read once); a client's own time; a slow disk.
 */
import { spawnSync } from "node:child_process";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../src/config/state-home.ts";
import { type AlfredProject, CLEAN, projectWithTask, taskMarkdown } from "../test/rig/alfred-project.ts";
import { ENVIRONMENT, emptyFolder, MAIN, ms, type Speaking, show, speakTo, spreadOf } from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 25);
const RUNS = Number(process.argv[3] ?? 2000);
const LIMIT_RATIO = 2;
const LIMIT_P99 = 150;
const SUBMIT = { name: "submit_work", said: { artifact: CLEAN } as Record<string, unknown> };
const SEND_BACK = { name: "provide_review", said: { is_approved: false, feedback_notes: "Again." } };

interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** One call, and what it cost. Standard input is a file, as it is for no client, so that no writer is timed. */
function cost(args: readonly string[], cwd: string, input: string): Cost {
  const script = `TIMEFORMAT="%3R %3U %3S"; time "$@" <"${input}" >/dev/null`;
  const { stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    cwd,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  return { cpu: (user + system) * 1000, wall: wall * 1000 };
}

async function projectWith(runs: number): Promise<AlfredProject> {
  const project = await projectWithTask("TS-1", { settings: { reviews: { default: ["ai"] } } });
  for (let number = 1; number <= runs; number++) {
    const task_id = `TS-${number}`;
    if (number > 1) await project.call("create_task", { task_content: taskMarkdown(task_id) });
    await project.call("start_task", { task_id });
  }
  return project;
}

async function measure(
  name: string,
  root: string,
  before: (round: number) => Promise<unknown> = async () => {},
  own?: string,
): Promise<void> {
  const folder = emptyFolder("guard-input");
  const input = join(folder, "call.json");
  const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: root, tool_name: "Write" };
  writeFileSync(
    input,
    JSON.stringify({ ...call, tool_input: { file_path: join(root, "src/a.ts"), content: "a" } }),
  );
  const guard = [MAIN, "guard", "claude-code"];
  if (own !== undefined) {
    const naming = join(folder, "naming.json");
    writeFileSync(
      naming,
      JSON.stringify({ ...call, tool_name: "mcp__pawl__start_task", tool_input: { task_id: own } }),
    );
    cost(guard, root, naming);
  }
  for (let round = 0; round < 3; round++) cost(guard, root, input);
  const costs: Cost[] = [];
  const floors: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await before(round);
    costs.push(cost(guard, root, input));
    floors.push(cost(["-e", "0"], root, input));
  }
  const cpu = (all: readonly Cost[]) => spreadOf(all.map((each) => each.cpu)).median;
  const ratio = cpu(costs) / cpu(floors);
  const [wall, floor] = [costs, floors].map((all) => spreadOf(all.map((each) => each.wall)));
  if (!wall || !floor) throw new Error("Nothing was measured.");
  show(`${name}: processor time`, `${ms(cpu(costs))}  ${ratio.toFixed(2)}×`, {
    text: `≤ ${LIMIT_RATIO}× node -e 0`,
    met: ratio <= LIMIT_RATIO,
  });
  show(`${name}: to the answer`, `${ms(wall.median)}, p99 ${ms(wall.p99)} (node ${ms(floor.p99)})`, {
    text: `p99 ≤ ${LIMIT_P99} ms`,
    met: wall.p99 <= LIMIT_P99,
  });
}

await measure("no project", emptyFolder("guard-none"));
const one = await projectWith(1);
await measure("1 open run", one.root);
rmSync(one.root, { recursive: true, force: true });
const many = await projectWith(RUNS);
many.write("pawl.yaml", "guard: true\nalfred: { reviews: { default: [ai] } }\n");
await measure(`${RUNS} open runs`, many.root);
await measure(`${RUNS} open runs, one has moved`, many.root, (round) => moveOnce(round + 1));
const own = RUNS;
await measure(`${RUNS} open runs, a session on one`, many.root, undefined, `TS-${own}`);
await measure(
  `${RUNS} open runs, a session on one that has moved`,
  many.root,
  (round) => moveOnce(own, round % 2 === 0 ? SUBMIT : SEND_BACK),
  `TS-${own}`,
);
const server = await speakTo([MAIN, "mcp", "alfred"], many.root);
const [KEPT, HEAD] = ["guard", "guard-head"].map((name) =>
  join(stateFolder(many.root, ENVIRONMENT), "cache", `${name}.json`),
);
const stamp = (path = "") => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
let last = RUNS - 1;
async function moveByServer(): Promise<void> {
  const before = [KEPT, HEAD].map(stamp);
  await move(server, last--);
  while ([KEPT, HEAD].some((path, at) => stamp(path) === before[at]))
    await new Promise((done) => setTimeout(done, 5));
}
await measure(`${RUNS} open runs, the server has moved one`, many.root, moveByServer);
await server.end();
rmSync(many.root, { recursive: true, force: true });

/** By a process that lives for one call. */
async function moveOnce(task: number, call = SUBMIT): Promise<void> {
  const speaking = await speakTo([MAIN, "mcp", "alfred"], many.root);
  await move(speaking, task, call);
  await speaking.end();
}

async function move(speaking: Speaking, task: number, { name, said } = SUBMIT): Promise<void> {
  const reply = await speaking.request("tools/call", { name, arguments: { task_id: `TS-${task}`, ...said } });
  const text = JSON.stringify(reply);
  if (!text.includes('"success')) throw new Error(`TS-${task} was not moved: ${text}`);
}
