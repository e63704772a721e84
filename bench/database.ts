/**
 * Commits of several workers to one PostgreSQL database, and an import: `node bench/database.ts`, after `npm run build`.
 *
 * Measured: eight processes, each with a folder of its own, mark the steps of a backlog of 1,000 tasks done: first as fast as they
 * can, then ten times a second all together. Each commits 25 times before that, so that its code is loaded and compiled. Then an import
 * of 5,000 tasks into an empty backlog, which no file may hold, and the same import again; medians of three. The server is one of npm's packages, on the same machine (or that of PAWL_TEST_DATABASE_URL).
 * Not measured: a network, TLS, agents, git, `verify`; which worker takes which task.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openProject } from "../src/app/open-project.ts";
import { readEnvironment } from "../src/config/config.ts";
import { runTransaction } from "../src/runtime/transaction/run-transaction.ts";
import { stepDone } from "../src/workflows/bloom/verbs/step.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";
import { emptyFolder, MAIN, median, ms, show, timeToEnd } from "./measure.ts";

const ID = "0123456789abcdef0123456789abcdef";
const TASKS = 1000;
const WORKERS = 8;
const PACE = 10;
const PACED = 200;
const FAST = 400;
const WARM = 25;

/** What one worker does. */
interface Share {
  readonly root: string;
  readonly worker: number;
  readonly workers: number;
  readonly commits: number;
  /** Milliseconds from one commit to the next; 0: none. */
  readonly pause: number;
  /** Which of its steps comes first. */
  readonly from: number;
}

if (process.send) await work(JSON.parse(process.argv[2] ?? ""));
else await measure();

/** In a process of its own. Sends "ready", waits for a word, and sends how long each commit took. */
async function work({ commits, from, pause, root, worker, workers }: Share): Promise<void> {
  const project = await openProject({
    root,
    home: resolve(import.meta.dirname, "../src"),
    environment: readEnvironment(),
    workflows: WORKFLOWS,
    program: "none",
    trust: { vouched: true },
  });
  const caller = { channel: "script", who: `worker-${worker}` } as const;
  const commit = (at: number) =>
    runTransaction(project.runtime, stepDone, { id: `s${worker + workers * at}` }, caller);
  for (let at = from; at < from + WARM; at++) await commit(at);
  process.send?.("ready");
  await once(process, "message");
  const took: number[] = [];
  let due = performance.now() + (pause * worker) / workers;
  for (let at = from + WARM; at < from + WARM + commits; at++, due += pause) {
    if (pause > 0) await sleep(Math.max(0, due - performance.now()));
    const begun = performance.now();
    await commit(at);
    took.push(performance.now() - begun);
  }
  process.send?.(took);
  await project.close();
  process.disconnect();
}

async function measure(): Promise<void> {
  const { emptyDatabase } = await import("../test/rig/postgres.ts");
  const { openDatabase } = await import("../src/adapters/postgres/database.ts");
  const url = await emptyDatabase();
  const database = openDatabase({ url });
  await database.migrate();
  await database.addProject(ID);
  const { store } = await database.project(ID);
  await store.commit(store.view(), [{ type: "write", path: "tasks.yaml" as never, text: backlog() }]);
  await database.close();
  const roots = Array.from({ length: WORKERS }, () => {
    const root = emptyFolder("worker");
    writeFileSync(join(root, "pawl.yaml"), `project_id: ${ID}\nstores: {bloom: postgres}\n`);
    return root;
  });
  const fast = { commits: FAST / WORKERS, from: 0, pause: 0 };
  const paced = {
    commits: PACED / WORKERS,
    from: WARM + fast.commits,
    pause: (1000 * WORKERS) / PACE,
  };
  const { seconds, took } = await commitsOf(url, roots, fast);
  show("commits a second", (took.length / seconds).toFixed(0), "20 or more");
  show(`a commit at ${PACE} a second, p50`, ms(median((await commitsOf(url, roots, paced)).took)), "50 ms");
  const imports = [await importInto(url, 1), await importInto(url, 2), await importInto(url, 3)];
  show("import, 5,000 tasks", ms(median(imports.map(({ first }) => first))), "3 s");
  show("the same import again", ms(median(imports.map(({ again }) => again))), "3 s");
  // It also ends the server.
  process.exit(0);
}

async function importInto(url: string, round: number) {
  const { openDatabase } = await import("../src/adapters/postgres/database.ts");
  const id = `${ID.slice(1)}${round}`;
  const database = openDatabase({ url });
  await database.addProject(id);
  const { store } = await database.project(id);
  await store.commit(store.view(), [{ type: "write", path: "tasks.yaml" as never, text: "tasks: []\n" }]);
  await database.close();
  const root = emptyFolder("import");
  writeFileSync(join(root, "pawl.yaml"), `project_id: ${id}\nstores: {bloom: postgres}\n`);
  writeFileSync(join(root, "prd.json"), userStories(5000));
  const run = () => timeToEnd([MAIN, "import", "prd.json"], root, undefined, { PAWL_DATABASE_URL: url });
  return { first: await run(), again: await run() };
}

/** As a Ralph loop has them: half of them pass, each waits for the one before. */
function userStories(count: number): string {
  const userStories = Array.from({ length: count }, (_, n) => ({
    id: `US-${n}`,
    title: `Story number ${n}`,
    description: `As a user, I want part ${n}.\n\n1. So that it works\n2. \`code_${n}\` stays`,
    acceptanceCriteria: [`It shows ${n}`, "Typecheck passes"],
    priority: n,
    passes: n % 2 === 0,
    dependsOn: n > 0 ? [`US-${n - 1}`] : [],
  }));
  return JSON.stringify({ project: "bench", userStories });
}

async function commitsOf(
  url: string,
  roots: readonly string[],
  share: Pick<Share, "commits" | "from" | "pause">,
): Promise<{ readonly seconds: number; readonly took: readonly number[] }> {
  const children = roots.map((root, worker) => {
    const own: Share = { ...share, root, worker, workers: roots.length };
    return spawn(process.execPath, [import.meta.filename, JSON.stringify(own)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, PAWL_DATABASE_URL: url },
    });
  });
  await Promise.all(children.map(messageOf));
  const begun = performance.now();
  for (const child of children) child.send("go");
  const took = (await Promise.all(children.map(messageOf))) as readonly (readonly number[])[];
  return { seconds: (performance.now() - begun) / 1000, took: took.flat() };
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A worker ended with ${code}.`);
  });
  // It also ends after its last message.
  ended.catch(() => {});
  const [message] = await Promise.race([once(child, "message"), ended]);
  return message;
}

function backlog(): string {
  const one = (at: number) => `- id: T${at}
  title: Make part ${at} of what is to be made
  repo: .
  merge_into: main
  instructions: |
    The words of a person about this part, of some length, as they are in a backlog that people write for agents:
    what is there, what is missing, and how one sees that it is done.
  steps:
  - id: s${at}
    instruction: Do it
  - id: s${at}-later
    instruction: Look at it again
`;
  return `tasks:\n${Array.from({ length: TASKS }, (_, at) => one(at)).join("")}`;
}
