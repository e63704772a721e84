/**
 * Several machines over one backlog: `node bench/team.ts [TASKS] [WORKERS]`.
 *
 * Measured: WORKERS (default 8) processes that share a backlog of TASKS (default 1,000) and mark its steps done, each those of its
 * own tasks and after WARM of them that are not counted, as fast as they can: commits per second, how long one takes, how long after a change was decided another process has
 * heard of it and read it, and how much the server wrote to its log for a commit. Then the same where all of them together make
 * PACE commits a second, which is what hundreds of agents need. First with the files of one folder, then with a folder per worker
 * and a PostgreSQL database, whose server runs on the same machine (or is that of PAWL_TEST_DATABASE_URL).
 * Not measured: a network, TLS, agents, git, verify commands; who takes which task. Workers that do nothing but commit wait for
 * one another far more than those whose agents work for minutes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openProject } from "../src/app/app.ts";
import { readEnvironment } from "../src/config/config.ts";
import type { PawlEvent } from "../src/core/event.ts";
import { advance } from "../src/runtime/run-transaction.ts";
import { stepDone } from "../src/workflows/bloom/verbs/step.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";
import { useScratchStateHome } from "../test/rig/state-home.ts";

const ID = "0123456789abcdef0123456789abcdef";
const [first = "1000", second = "8"] = process.argv.slice(2);
/** Commits a second of all workers, and so many of them. */
const PACE = 10;
const PACED = 200;
/** As fast as they can, at most so many. */
const FAST = 1000;
/** The first commits of each worker, which nobody measures: workers that run for hours have their code loaded and compiled. */
const WARM = 25;

async function open(root: string) {
  return openProject({
    root,
    home: resolve(import.meta.dirname, "../src"),
    environment: readEnvironment(),
    workflows: WORKFLOWS,
    program: "none",
    trust: { vouched: true },
  });
}

const of = (sorted: readonly number[], part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
const sorted = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);

// ── One worker ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Share {
  readonly worker: number;
  readonly workers: number;
  /** Of each worker. */
  readonly tasks: number;
  /** Which of its steps is its first. */
  readonly from: number;
  readonly commits: number;
  /** Milliseconds from one commit to the next; 0: at once. */
  readonly pause: number;
}

async function work(root: string, share: Share): Promise<void> {
  const { commits, from, pause, tasks, worker, workers } = share;
  const project = await open(root);
  const caller = { channel: "script", who: `worker-${worker}` } as const;
  /** All tasks' first steps, then their second ones. */
  const commit = (at: number) => {
    const id = `s${worker + workers * (at % tasks)}-${Math.floor(at / tasks)}`;
    return advance(project.runtime, stepDone, { id }, caller);
  };
  for (let at = from; at < from + WARM; at++) await commit(at);
  process.send?.("ready");
  await new Promise((begin) => process.once("message", begin));
  const took: number[] = [];
  let due = performance.now() + (pause * worker) / workers;
  for (let at = from + WARM; at < from + WARM + commits; at++, due += pause) {
    if (pause > 0) await new Promise((rested) => setTimeout(rested, Math.max(0, due - performance.now())));
    const begun = performance.now();
    await commit(at);
    took.push(performance.now() - begun);
  }
  process.send?.(took);
  await project.close();
}

// ── All of them ──────────────────────────────────────────────────────────────────────────────────────────────────

function backlog(tasks: number): string {
  const one = (at: number) => `- id: T${at}
  title: Make part ${at} of what is to be made
  repo: .
  merge_into: main
  instructions: |
    The words of a person about this part, of some length, as they are in a backlog that people write for agents:
    what is there, what is missing, and how one sees that it is done.
  steps:
  - id: s${at}-0
    instruction: Do it
  - id: s${at}-1
    instruction: Look at it again
`;
  return `tasks:\n${Array.from({ length: tasks }, (_, at) => one(at)).join("")}`;
}

const heardOf = (child: ChildProcess) => new Promise<unknown>((heard) => child.once("message", heard));

interface Round extends Pick<Share, "commits" | "from" | "tasks"> {
  readonly name: string;
  readonly roots: readonly string[];
  readonly pace: number | null;
  readonly env: NodeJS.ProcessEnv;
}

async function measure({ env, name, pace, roots, ...share }: Round) {
  const workers = roots.length;
  const pause = pace === null ? 0 : (1000 * workers) / pace;
  const commits = share.commits * workers;
  const children = roots.map((root, worker) =>
    spawn(
      process.execPath,
      [import.meta.filename, "work", root, JSON.stringify({ ...share, worker, workers, pause })],
      { stdio: ["ignore", "inherit", "inherit", "ipc"], env },
    ),
  );
  await Promise.all(children.map(heardOf));
  Object.assign(process.env, env);
  const project = await open(roots[0] ?? "");
  const stop = new AbortController();
  const delays: number[] = [];
  const since = Date.now();
  const listening = listen(
    project.events({ follow: true, signal: stop.signal }),
    { most: commits, since },
    delays,
  );
  const begun = performance.now();
  for (const child of children) child.send("go");
  const took = sorted(((await Promise.all(children.map(heardOf))) as readonly number[][]).flat());
  const seconds = (performance.now() - begun) / 1000;
  const timer = setTimeout(() => stop.abort(), 10_000);
  await listening;
  clearTimeout(timer);
  stop.abort();
  await project.close();
  const heard = sorted(delays);
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`.padStart(9);
  process.stdout.write(
    `${name.padEnd(11)} ${(took.length / seconds).toFixed(0).padStart(5)} commits/s   a commit ${ms(of(took, 0.5))} p50 ${ms(of(took, 0.99))} p99   heard within ${ms(of(heard, 0.5))} p50 ${ms(of(heard, 0.99))} p99 (${heard.length} of ${took.length})\n`,
  );
}

async function listen(
  events: AsyncIterable<PawlEvent>,
  { most, since }: { readonly most: number; readonly since: number },
  delays: number[],
): Promise<void> {
  for await (const { time, type } of events) {
    if (type !== "step:completed" || Date.parse(time) < since) continue;
    delays.push(Date.now() - Date.parse(time));
    if (delays.length >= most) return;
  }
}

const WRITTEN = "select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes";

async function main(tasks: number, workers: number): Promise<void> {
  process.once("exit", useScratchStateHome());
  const { emptyDatabase, onDatabase } = await import("../test/rig/postgres.ts");
  const { openDatabase } = await import("../src/adapters/postgres/database.ts");
  const place = mkdtempSync(join(tmpdir(), "pawl-bench-team-"));
  const folder = (pawl: string) => {
    const root = mkdtempSync(join(place, "project-"));
    writeFileSync(join(root, "pawl.yaml"), pawl);
    return root;
  };
  process.stdout.write(`${tasks} tasks, ${workers} workers\n`);
  try {
    const root = folder("");
    const text = backlog(tasks);
    writeFileSync(join(root, "tasks.yaml"), text);
    const own = Math.floor(tasks / workers);
    const fast = Math.min(own, Math.floor(FAST / workers));
    const paced = Math.floor(PACED / workers);
    const both = async (name: string, roots: readonly string[], env: NodeJS.ProcessEnv) => {
      const all = { roots, env, tasks: own };
      await measure({ ...all, name, from: 0, commits: fast, pace: null });
      await measure({ ...all, name: `  at ${PACE}/s`, from: WARM + fast, commits: paced, pace: PACE });
    };
    await both(
      "files",
      Array.from({ length: workers }, () => root),
      process.env,
    );

    const url = await emptyDatabase();
    const database = openDatabase({ url });
    await database.migrate();
    await database.addProject(ID);
    const { store } = await database.project(ID);
    await store.commit(store.view(), [{ type: "write", path: "tasks.yaml" as never, text }]);
    await database.close();
    const shared = Array.from({ length: workers }, () =>
      folder(`project_id: ${ID}\nstores: {bloom: postgres}\n`),
    );
    const written = () => onDatabase(url, async (client) => (await client.query(WRITTEN)).rows[0].bytes);
    const before = Number(await written());
    await both("PostgreSQL", shared, { ...process.env, PAWL_DATABASE_URL: url });
    const each = (Number(await written()) - before) / ((2 * WARM + fast + paced) * workers) / 1024;
    process.stdout.write(`The server logged ${each.toFixed(0)} KB for a commit.\n`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  process.exit(0);
}

if (first === "work") await work(second, JSON.parse(process.argv[4] ?? ""));
else await main(Number(first), Number(second));
