/**
 * Two workers with real agents over one backlog in PostgreSQL: each in a clone of its own of one bare remote. The one with claude
 * dies in the middle of a step, and the other one, which has codex at work, takes its task over.
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoopEvent } from "../rig/bloom-project.ts";
import { type ModelServer, openModelServer } from "../rig/model/server.ts";
import { startPostgres } from "../rig/postgres.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { bearersOf, follow, freshFolder, linesOf, PAWL, type Running, until } from "./agent-project.ts";
import { DRIVEN, type Driven, type ProgramName } from "./programs.ts";
import { steps, tellOf, textsOf, work } from "./proofs.ts";

export const TEAM =
  "two workers share a backlog; one dies in the middle of a step, and the other takes its task over";

export interface TeamStage {
  readonly binaries: ReadonlyMap<ProgramName, string>;
  /** For each child, beside the agents' own settings. */
  readonly environment: Readonly<Record<string, string>>;
}

export const BOTH = DRIVEN.filter(({ name }) => name === "claude" || name === "codex");

export function isTeam(chosen: readonly Driven[]): boolean {
  return BOTH.every((driven) => chosen.includes(driven));
}

/** Claude's first task hangs in its second step where a file says so; codex has one of its own, and one that waits for both. */
const tasksOf = (hangs: string, alive: string) => `tasks:
  - id: T1
    title: Of claude
    agent: claude
    repo: .
    merge_into: main
    instructions: Both files.
    steps:
${steps({
  one: ["Write the first.", ...work("one"), "RUN: bloom step done one"],
  two: [
    "Write the second.",
    `RUN: test ! -f ${hangs} || { echo x > ${alive}; sleep 300; }`,
    'RUN: echo "the address is ($PAWL_DATABASE_URL)"',
    ...work("two"),
    "RUN: bloom step done two",
  ],
})}${codexTask("T2", "three")}${codexTask("T3", "four", "    depends_on: [T1, T2]\n")}`;

const codexTask = (id: string, file: string, more = "") => `  - id: ${id}
    title: Of codex
    agent: codex
    repo: .
    merge_into: main
${more}    steps:
${steps({ [file]: ["Write it.", ...work(file), `RUN: bloom step done ${file}`] })}`;

/** Throws where it does not hold. */
export async function teamWork({ binaries, environment }: TeamStage): Promise<string> {
  const folder = freshFolder("team");
  const model = await openModelServer();
  const server = await startPostgres();
  const running: Running[] = [];
  try {
    const place = await openPlace({ folder, model, binaries, environment, url: server.url("postgres") });
    const worker = (root: string, ...words: readonly string[]) => {
      const one = follow(place.spawned(root, "worker", "--json", "--agents", "2", ...words));
      running.push(one);
      return one;
    };
    return await played(place, worker);
  } finally {
    for (const each of running) if (!each.isOver()) each.signal("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
    await model.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface TeamSetup {
  readonly roots: readonly [string, string];
  readonly hangs: string;
  readonly alive: string;
  readonly model: ModelServer;
  readonly remoteGit: (...args: readonly string[]) => string;
  readonly spawned: (root: string, ...words: readonly string[]) => ReturnType<typeof spawn>;
}

interface Making extends TeamStage {
  readonly folder: string;
  readonly model: ModelServer;
  readonly url: string;
}

/** A bare remote, two clones, and the backlog in the database. */
async function openPlace({ binaries, environment, folder, model, url }: Making): Promise<TeamSetup> {
  const [remote, one, two] = ["remote.git", "one", "two"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, stdio: "pipe", encoding: "utf8" }).trim();
  const { PATH = "" } = process.env;
  const home = join(folder, "home");
  const own = Object.assign({}, ...BOTH.map((driven) => driven.environment(home, model.url)));
  const env = { PATH, HOME: home, LANG: "C.UTF-8", ...own, ...environment, PAWL_DATABASE_URL: url };
  const agents = BOTH.map((driven) => [driven.name, driven.settings(binaries.get(driven.program) ?? "")]);
  const settings = {
    project_id: "0123456789abcdef0123456789abcdef",
    stores: { bloom: "postgres" },
    bloom: { agent: "claude", permission: "all", backoff: { first: 0.1, limit: 0.2 } },
    agents: Object.fromEntries(agents),
    // Flags lie there.
    sandbox: { write: [folder] },
  };
  git(folder, "init", "-q", "--bare", "-b", "main", remote);
  git(folder, "clone", "-q", remote, one);
  writeFileSync(join(one, ".gitignore"), ".pawl/\ntasks.yaml\n");
  writeFileSync(join(one, "pawl.yaml"), JSON.stringify(settings));
  const named = (root: string) => {
    git(root, "config", "user.name", "Agent");
    git(root, "config", "user.email", "agent@example.org");
    trustAsItIs(root, env);
  };
  named(one);
  git(one, "checkout", "-qB", "main");
  git(one, "add", "-A");
  git(one, "commit", "-qm", "Begin");
  git(one, "push", "-q", "-u", "origin", "main");
  git(folder, "clone", "-q", remote, two);
  named(two);
  const [hangs, alive] = [join(folder, "hangs"), join(folder, "alive")];
  writeFileSync(join(one, "tasks.yaml"), tasksOf(hangs, alive));
  const spawned = (root: string, ...words: readonly string[]) =>
    spawn(process.execPath, [PAWL, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const word of ["init", "import"]) {
    const made = await follow(spawned(one, "database", word)).ended;
    assert.equal(made.code, 0, tellOf(made));
  }
  const roots = [one, two] as const;
  return { roots, hangs, alive, model, spawned, remoteGit: (...args) => git(remote, ...args) };
}

async function played(place: TeamSetup, worker: (root: string, ...words: readonly string[]) => Running) {
  const { alive, hangs, model, roots, spawned } = place;
  const [one, two] = roots;
  writeFileSync(hangs, "");
  const first = worker(one, "--name", "one", "--labels", "agent:claude");
  await until(first, "claude in its second step", () => existsSync(alive));
  const second = worker(two, "--name", "two", "--labels", "agent:codex,agent:claude");
  const isDone = (id: string) =>
    second.events().some(({ taskId, type }) => type === "task:completed" && taskId === id);
  await until(second, "codex to be done with its own", () => isDone("T2"));
  rmSync(hangs);
  const killed = performance.now();
  first.signal("SIGKILL");
  await first.ended;
  const begins = () =>
    second.events().filter(({ taskId, type }) => type === "agent:started" && taskId === "T1");
  await until(second, "claude on the other machine", () => begins().length > 0);
  const took = ((performance.now() - killed) / 1000).toFixed(1);
  await until(second, "everything to be done", () => isDone("T3"));
  second.signal("SIGTERM");
  const ran = await second.ended;
  const told = tellOf(ran);
  assert.equal(ran.code, 0, told);
  assert.deepEqual(
    roots.map((root) => bearersOf(root)),
    [[], []],
    "no process is left",
  );
  const log = linesOf((await follow(spawned(two, "log", "--json")).ended).out);
  checkWork(place, log, told);
  checkSession(log, model, told);
  return `taken over after ${took} s, by a new session that was told what was done`;
}

const of = (log: readonly LoopEvent[], type: string, id: string) =>
  log.filter((event) => event.type === type && event.taskId === id);

/** Each agent did what is its own, each step once, and all of it is merged once. */
function checkWork({ remoteGit }: TeamSetup, log: readonly LoopEvent[], told: string): void {
  const claims = log.filter(({ type }) => type === "task:claimed");
  assert.deepEqual(
    claims.map(({ taskId, takenOver, worker }) => [taskId, worker, takenOver]),
    [
      ["T1", "one", false],
      ["T2", "two", false],
      ["T1", "two", true],
      ["T3", "two", false],
    ],
    told,
  );
  const agents = log.filter(({ type }) => type === "agent:started");
  assert.deepEqual(
    agents.map(({ agent, resumed, taskId }) => [taskId, agent, resumed]),
    [
      ["T1", "claude", false],
      ["T1", "claude", true],
      ["T2", "codex", false],
      ["T1", "claude", false],
      ["T3", "codex", false],
    ],
    told,
  );
  const completed = log.filter(({ type }) => type === "step:completed").map(({ stepId }) => stepId);
  assert.deepEqual([...completed].sort(), ["four", "one", "three", "two"], told);
  const commits = remoteGit("log", "--no-merges", "--format=%s", "main").split("\n").sort();
  assert.deepEqual(commits, ["Begin", "four", "one", "three", "two"], told);
  const merges = remoteGit("log", "--merges", "--format=%s", "main").split("\n").sort();
  assert.deepEqual(merges, ["Merge T1: Of claude", "Merge T2: Of codex", "Merge T3: Of codex"], told);
}

/** The session stayed on the machine that died: the new one knows only what it was told. */
function checkSession(log: readonly LoopEvent[], model: ModelServer, told: string): void {
  assert.equal(of(log, "session:lost", "T1").length, 1, told);
  const sessions = of(log, "session:opened", "T1").map(({ session }) => session);
  assert.equal(new Set(sessions).size, 2, told);
  const last = model.asked.findLast(({ said }) => textsOf(said).includes("Write the second."));
  const prompts = textsOf(last?.said ?? []);
  for (const text of ["## Done before", "- one", "Both files."]) assert.ok(prompts.includes(text), prompts);
  assert.ok(!prompts.includes("one is done. Still open in T1: two."), "no word of the session before");
  assert.ok(prompts.includes("the address is ()"), "its agent has no address of the database");
}
