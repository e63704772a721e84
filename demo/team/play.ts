/**
 * `npm run demo -- --team`: three machines over one backlog. A real PostgreSQL on this machine's loopback, a git remote, three
 * checkouts with a worker each. One worker is killed in the middle of a step, and another takes its task over.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startPostgres } from "../../test/rig/postgres.ts";
import { until } from "../../test/rig/until.ts";
import { openStage, print, type Stage, write } from "../stage.ts";
import { type Machine, openMachine } from "./machine.ts";

const NAMES = ["machine-1", "machine-2", "machine-3"] as const;

const PAWL_YAML = "stores: {bloom: postgres}\nbloom: {agent: scripted}\n";

const note = (id: string) => `
- id: ${id}
  title: Write ${id}.md
  repo: .
  merge_into: main
  verify: ["test -s ${id}.md"]
  instructions: |
    RUN: echo "The page ${id}." > ${id}.md; git add -A; git commit -qm "Write ${id}.md"
    RUN: bloom done ${id}
`;

/** Two steps. On the machine with a file `slow`, the second does not end by itself. */
const GUIDE = `
- id: guide
  title: Write the guide
  repo: .
  merge_into: main
  verify: ["test -s guide.md"]
  steps:
    - id: begin
      name: Begin it
      instruction: |
        RUN: echo "Begin here." > guide.md; git add -A; git commit -qm "Begin the guide"
        RUN: bloom step done begin
    - id: end
      name: End it
      instruction: |
        RUN: if test -e "$PAWL_PROJECT/slow"; then sleep 600; fi
        RUN: echo "The end." >> guide.md; git add -A; git commit -qm "End the guide"
        RUN: bloom step done end
`;

/** Gives the exit code. */
export async function playTeam(fast: boolean): Promise<number> {
  const stage = openStage({ fast, agent: "scripted" });
  print("Several machines work on one backlog: no task runs twice, and a machine that");
  print("dies loses nothing. Here, each is a checkout of its own with a worker in it.");
  print("PostgreSQL, the git remote and the processes are real.");
  const machines = NAMES.map((name) => openMachine(stage, name));
  const server = await startPostgres();
  try {
    stage.setVariables({ PAWL_DATABASE_URL: server.url("postgres") });
    await begin(stage);
    await work(stage, machines);
    await lookBack(stage);
  } finally {
    for (const machine of machines) machine.kill();
    server.stop();
  }
  print(`\nThe checkouts stay for looking around: ${dirname(stage.folder)}
How to do this with machines of your own: docs/several-machines.md`);
  return 0;
}

async function begin(stage: Stage): Promise<void> {
  stage.chapter("1. One backlog, in a database");
  write(stage, "pawl.yaml", PAWL_YAML);
  write(stage, ".gitignore", ".alfred/\n.pawl/\ntasks.yaml\nslow\n");
  write(stage, "tasks.yaml", `tasks:${GUIDE}${["about", "start", "faq", "terms"].map(note).join("")}`);
  stage.git("init", "-q", "-b", "main");
  stage.git("config", "user.name", "Demo");
  stage.git("config", "user.email", "demo@example.invalid");
  stage.git("init", "-q", "--bare", "-b", "main", stage.remote);
  stage.git("remote", "add", "origin", stage.remote);
  await stage.trust();
  await stage.tell("human", "export PAWL_DATABASE_URL=… (a server on this machine, for the demo)");
  for (const words of [
    ["database", "init"],
    ["database", "import"],
  ]) {
    const { code, output } = await stage.pawl(...words);
    await stage.tell("human", `pawl ${words.join(" ")}`, output);
    if (code !== 0)
      throw new Error(`pawl ${words.join(" ")} should have ended with 0, but ended with ${code}.`);
  }
  stage.git("add", "-A");
  stage.git("commit", "-qm", "Begin");
  stage.git("push", "-q", "-u", "origin", "main");
}

async function work(stage: Stage, machines: readonly Machine[]): Promise<void> {
  const [first, ...others] = machines;
  if (first === undefined) throw new Error("There are no machines.");
  stage.chapter("2. Three machines, a checkout and a worker each");
  for (const machine of machines) await machine.join();
  writeFileSync(join(first.folder, "slow"), "");
  await stage.tell("human", "pawl worker --name machine-1     (and so on, on each machine)");
  first.work();
  await first.hears(({ type, taskId }) => type === "check:passed" && taskId === "guide");
  for (const machine of others) machine.work();
  await first.hears(({ detail }) => detail?.includes("sleep") === true);
  await until(async () => (await taskStates(stage)).filter((status) => status === "done").length === 4);
  await stage.tell("human", "pawl workers", (await stage.pawl("workers")).output);

  stage.chapter("3. A machine dies in the middle of a step");
  await stage.tell("human", "kill -9 of machine-1's worker: no goodbye, no cleaning up");
  first.kill();
  await stage.tell("pawl", "its lease runs out 15 seconds after its last sign of life");
  await until(async () => (await taskStates(stage)).every((status) => status === "done"));
  const overs = others.flatMap(({ heard }) => heard.filter((event) => event.takenOver === true));
  if (overs.length !== 1)
    throw new Error(`One machine should have taken the guide over, but ${overs.length} did.`);
  await Promise.all(others.map((machine) => machine.end()));
}

async function taskStates(stage: Stage): Promise<readonly string[]> {
  const { output } = await stage.pawl("list", "--json");
  const { tasks } = JSON.parse(output) as { readonly tasks: readonly { readonly status: string }[] };
  return tasks.map(({ status }) => status);
}

async function lookBack(stage: Stage): Promise<void> {
  stage.chapter("4. What there is now");
  await stage.tell("human", "pawl list", (await stage.pawl("list")).output);
  const log = execFileSync("git", ["log", "--format=%s", "main"], { cwd: stage.remote, encoding: "utf8" });
  const subjects = log
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("Merge"));
  await stage.tell("git", "what the remote has on main, without the merges", subjects.join("\n"));
  if (new Set(subjects).size !== subjects.length || subjects.length !== 7)
    throw new Error("Every commit should be on main once.");
  await stage.tell("human", "pawl database check", (await stage.pawl("database", "check")).output);
}
