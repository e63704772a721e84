/**
 * `pawl board` over a backlog that several machines work on: `node bench/board-shared.ts [SECONDS]`, after `npm run build`.
 *
 * Measured: how much of a core the board's process takes, with the tasks' page open, while 8 workers together make 10 commits a second
 * on 1,000 tasks in PostgreSQL; how often the page asks for the tasks then, and how long an answer takes. The page is played: it
 * listens, and asks as the real one does.
 * Not measured: the browser; the processor time of the server.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { openDatabase } from "../src/adapters/postgres/database.ts";
import { inBursts } from "../src/surfaces/board/client/bursts.ts";
import { enterBoard } from "../test/rig/board.ts";
import { emptyDatabase, onDatabase } from "../test/rig/postgres.ts";
import { useScratchStateHome } from "../test/rig/state-home.ts";
import { ENVIRONMENT, MAIN } from "./measure.ts";

const SECONDS = Number(process.argv[2] ?? 20);
const [TASKS, WORKERS, PACE] = [1000, 8, 10];
/** Of one worker, as `team.ts` takes it. */
const SHARE = {
  ...{ workers: WORKERS, tasks: TASKS / WORKERS, from: 0 },
  ...{ commits: Math.ceil((PACE * (SECONDS + 10)) / WORKERS), pause: (1000 * WORKERS) / PACE },
};
const TICKS_PER_SECOND = 100;
const ID = "0123456789abcdef0123456789abcdef";

function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const task = (_: unknown, at: number) =>
  `- id: T${at}\n  title: Part ${at}\n  repo: .\n  instructions: |\n    The words of a person about this part, of some length.\n  steps:\n  - id: s${at}-0\n    instruction: Do it\n`;

process.once("exit", useScratchStateHome());
const place = mkdtempSync(join(tmpdir(), "pawl-bench-board-"));
const url = await emptyDatabase();
const database = openDatabase({ url });
await database.migrate();
await database.addProject(ID);
const { store } = await database.project(ID);
const text = `tasks:\n${Array.from({ length: TASKS }, task).join("")}`;
await store.commit(store.view(), [{ type: "write", path: "tasks.yaml" as never, text }]);
await database.close();
const env = { ...process.env, ...ENVIRONMENT, CLAUDECODE: undefined, PAWL_DATABASE_URL: url };
const roots = Array.from({ length: WORKERS + 1 }, () => {
  const root = mkdtempSync(join(place, "project-"));
  writeFileSync(join(root, "pawl.yaml"), `project_id: ${ID}\nstores: {bloom: postgres}\n`);
  return root;
});
const [own = "", ...others] = roots;
const board = spawn(process.execPath, [MAIN, "board", "--json", "--no-open"], {
  cwd: own,
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
const served = JSON.parse(
  await new Promise<string>((done) => board.stdout.once("data", (chunk) => done(`${chunk}`))),
);
const browser = await enterBoard(served);
const took: number[] = [];
const pages = ["/api/inbox", `/api/${browser.project}/tasks`].map((path) =>
  inBursts(async () => {
    const begun = performance.now();
    const { status } = await browser.get(path);
    if (status !== 200) throw new Error(`${path} answered with ${status}`);
    took.push(performance.now() - begun);
  }),
);
for (const each of pages) each.ask();
const listening = await browser.listen();
const heardOf = (child: ChildProcess) => new Promise<unknown>((heard) => child.once("message", heard));
const workers = others.map((root, worker) =>
  spawn(
    process.execPath,
    [join(import.meta.dirname, "team.ts"), "work", root, JSON.stringify({ ...SHARE, worker })],
    { stdio: ["ignore", "inherit", "inherit", "ipc"], env },
  ),
);
await Promise.all(workers.map(heardOf));
await rest(2000);
const pid = board.pid ?? 0;
const share = async (seconds: number) => {
  const before = processorSeconds(pid);
  await rest(seconds * 1000);
  return `${((100 * (processorSeconds(pid) - before)) / seconds).toFixed(1)} % of a core`;
};
process.stdout.write(`while nothing happens: ${await share(5)}\n`);
let events = 0;
void (async () => {
  for (;;) {
    await listening.next("happened");
    events += 1;
    for (const each of pages) each.ask();
  }
})();
for (const each of workers) each.send("go");
await rest(4000);
took.length = 0;
events = 0;
const made = () =>
  onDatabase(url, async (client) =>
    Number((await client.query("select revision from pawl.project")).rows[0].revision),
  );
const before = await made();
const seen = await share(SECONDS);
const sorted = [...took].sort((one, other) => one - other);
const commits = ((await made()) - before) / SECONDS;
process.stdout.write(
  `at ${commits.toFixed(1)} commits/s: ${seen} (aim 10); ${(events / SECONDS).toFixed(1)} events/s heard, ${(took.length / SECONDS).toFixed(1)} answers/s, each ${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms p50\n`,
);
for (const each of [...workers, board]) each.kill("SIGKILL");
rmSync(place, { recursive: true, force: true });
process.exit(0);
