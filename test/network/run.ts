/**
 * The proof over a network: eight workers on machines of their own, one git remote, one database with a replica.
 * `node test/network/run.ts [--seed N] [--tasks N] [--calm] [--asynchronous] [--pooled]`. Links are cut, packets lost in one direction or
 * late, workers stopped and killed, and the database's leader is lost in the middle. Exits 1 where anything came out differently
 * than without all that. `--calm` disturbs nothing; `--asynchronous` lets the database acknowledge what its replica lacks;
 * `--pooled` puts a PgBouncer in transaction mode before each server.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "../crash/chance.ts";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import setup from "../rig/global-setup.ts";
import { sharedTasks } from "../rig/machines.ts";
import { MAIN } from "../rig/project.ts";
import { joinCrew, type Member } from "./crew.ts";
import { type Cluster, LEADER, openCluster } from "./database.ts";
import { type DisturbanceContext, disturb } from "./disturb.ts";
import { judge } from "./judge.ts";
import { type Lab, type Machine, openLab, runInside } from "./lab.ts";
import { type AgentWatch, agentSays, watchAgents } from "./watch-agents.ts";

const WORKERS = 8;
/** Of these, so many reach everything by way of the relay. */
const RELAYED = 2;
const AT_ONCE = 3;
/** Far longer than it takes. */
const MAX_MILLISECONDS = 900_000;
const GIT_PORT = 8080;
const ID = "0123456789abcdef0123456789abcdef";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    tasks: { type: "string", default: "34" },
    calm: { type: "boolean", default: false },
    asynchronous: { type: "boolean", default: false },
    pooled: { type: "boolean", default: false },
  },
});

const begun = performance.now();
const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
const say = (line: string) => process.stdout.write(`${seconds().padStart(6)}  ${line}\n`);

interface Stage {
  readonly lab: Lab;
  readonly cluster: Cluster;
  readonly project: BloomProject;
  readonly crew: readonly Member[];
  readonly scene: Omit<DisturbanceContext, "isAtLongWork">;
  readonly agents: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function main(): Promise<number> {
  const inside = runInside(import.meta.filename, process.argv.slice(2));
  if (typeof inside === "number") return inside;
  if (inside !== null) {
    say(`SKIPPED: no network namespaces can be had here: ${inside}`);
    return process.env.CI ? 1 : 0;
  }
  await setup();
  const random = seeded(Number(values.seed));
  const ids = Array.from({ length: Number(values.tasks) }, (_, at) => `T${at + 1}`);
  const stage = await open(ids, random);
  const watch = watchAgents(stage.agents, stage.cluster, say);
  const dealt = values.calm ? Promise.resolve(0) : disturbed(stage, watch, random);
  const isLate = !(await allDone(stage.cluster, ids.length));
  const count = await dealt;
  say(`${isLate ? "not " : ""}all is done`);
  const codes = await Promise.all(stage.crew.map((each) => each.drained()));
  await watch.close();
  const faults = [
    ...(isLate ? [`after ${MAX_MILLISECONDS / 1000} s not all tasks were done`] : []),
    ...codes.flatMap((code, at) =>
      code === 0
        ? []
        : [`w${at + 1} drained with the code ${code}`, `  ${stage.crew[at]?.heard().slice(-1000)}`],
    ),
    ...(watch.seen > ids.length ? [] : [`only ${watch.seen} agents were looked at`]),
    ...watch.faults.flatMap(({ fault, task }) => [fault, ...saidOf(task, stage.crew)]),
    ...(await judge({ ...stage, ids, remoteGit: stage.project.remoteGit })),
    ...addsUp(stage),
  ];
  for (const fault of faults.slice(0, 40)) say(`✗ ${fault}`);
  say(
    `seed ${values.seed}: ${ids.length} tasks, ${count} disturbances, ${watch.looks} looks at ${watch.seen} agents, ${faults.length} faults`,
  );
  stage.cluster.stop();
  stage.project[Symbol.dispose]();
  return faults.length === 0 ? 0 : 1;
}

/** What all workers have said of a task. */
function saidOf(task: string, crew: readonly Member[]): readonly string[] {
  return crew.flatMap(({ heard, name }) =>
    heard()
      .split("\n")
      .filter((line) => line.includes(`"taskId":"${task}"`))
      .map((line) => `  ${name}: ${line.slice(0, 300)}`),
  );
}

async function open(ids: readonly string[], random: () => number): Promise<Stage> {
  const lab = openLab();
  const relay = await lab.machine("relay");
  const cluster = await openCluster(lab, { isPooled: values.pooled, isSynchronous: !values.asynchronous }, [
    relay.address,
  ]);
  const far = await lab.machine("git");
  const settings = { project_id: ID, stores: { bloom: "postgres" } };
  const project = bloomProject({
    tasks: "tasks: []\n",
    project: settings,
    settings: { backoff: { first: 1, limit: 10 } },
  });
  const place = join(project.root, "..");
  const agents = join(place, "agents");
  const text = tasksText(ids, agents, random);
  const tasksIn = join(place, "agreed");
  mkdirSync(tasksIn);
  writeFileSync(join(tasksIn, "tasks.yaml"), text);
  project.write("tasks.yaml", text);
  project.remoteGit("config", "http.receivepack", "true");
  await program(far, "git-server.ts", place, far.address, String(GIT_PORT));
  const ways = [`5432=${LEADER}:5432`, `${GIT_PORT}=${far.address}:${GIT_PORT}`];
  const relaying = await program(relay, "relay.ts", relay.address, ...ways);
  const machines: Machine[] = [];
  for (let at = 1; at <= WORKERS; at++) machines.push(await lab.machine(`w${at}`));
  const environmentOf = (host: string) => ({ ...project.environment, PAWL_DATABASE_URL: cluster.url(host) });
  for (const words of [["init"], ["import"]])
    command(machines[0] as Machine, project.root, environmentOf(LEADER), "database", ...words);
  const crew = machines.map((machine, at) => {
    const isRelayed = at >= WORKERS - RELAYED;
    const own = isRelayed
      ? { database: relay.address, git: relay.address }
      : { database: LEADER, git: far.address };
    const repository = `http://${own.git}:${GIT_PORT}/remote.git`;
    return joinCrew({
      name: machine.name,
      machine,
      ways: own,
      place,
      repository,
      tasksIn,
      environment: environmentOf(own.database),
    });
  });
  say(`${WORKERS} workers are on their machines`);
  const scene = {
    ...{ lab, cluster, crew, say },
    delay: (milliseconds: number) => void relaying.write(`${milliseconds}\n`),
    isRelayed: ({ ways: { database } }: Member) => database === relay.address,
  };
  return { lab, cluster, project, crew, scene, agents, environment: environmentOf(LEADER) };
}

/** Most agents work for some seconds; every fifth longer than a lease lasts. */
const isLong = (id: string) => Number(id.slice(1)) % 5 === 3;
const LONG_WORK = 28;
/** Milliseconds. */
const FRESH = 6_000;

function tasksText(ids: readonly string[], agents: string, random: () => number): string {
  const tasks = ids.map((id) => {
    const seconds = isLong(id) ? LONG_WORK : (1 + 4 * random()).toFixed(1);
    return sharedTasks([id], agentSays(agents), `sleep ${seconds}`).replace("tasks:\n", "");
  });
  return `tasks:\n${tasks.join("")}`;
}

/** Begins one of the programs beside this one; returns its input. */
async function program({ there }: Machine, name: string, ...args: readonly string[]) {
  const words = [...there.slice(1), process.execPath, join(import.meta.dirname, name), ...args];
  const child = spawn(there[0] ?? "", words, { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child.stdin;
}

/** Returns what it says. */
function command(
  { there }: Machine,
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): string {
  const args = [...there.slice(1), process.execPath, MAIN, ...words];
  const ended = spawnSync(there[0] ?? "", args, { cwd, env, encoding: "utf8" });
  return `${ended.stdout}${ended.stderr}`;
}

async function disturbed(
  { cluster, scene }: Stage,
  watch: AgentWatch,
  random: () => number,
): Promise<number> {
  const isAtLongWork = ({ name }: Member) => {
    const agent = watch.atWork(name);
    return agent !== null && isLong(agent.task) && agent.milliseconds < FRESH;
  };
  let isOver = false;
  const halfway = async () => {
    if (isOver) return;
    isOver = true;
    say("the database's leader is lost");
    await cluster.failOver();
    say("its replica leads");
  };
  return disturb({ ...scene, isAtLongWork }, { atOnce: AT_ONCE, halfway, random });
}

/** What `pawl database check` says of it. */
function addsUp({ crew, project, environment }: Stage): readonly string[] {
  const said = command(crew[0]?.machine as Machine, project.root, environment, "database", "check");
  return said.includes("Nothing is wrong.") ? [] : [said];
}

/** False: they were not in time. */
async function allDone({ ask }: Cluster, count: number): Promise<boolean> {
  const completed = "select count(*)::int as count from pawl.event where text like '%\"task:completed\"%'";
  while (performance.now() - begun < MAX_MILLISECONDS) {
    const [row] = await ask<{ count: number }>(completed).catch(() => []);
    if ((row?.count ?? 0) >= count) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

// Machines and servers end with this process.
process.exit(await main());
