/** Two machines over one backlog: two checkouts of one bare remote, and one database. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BloomOptions, bloomProject, ranOf } from "./bloom-project.ts";
import { emptyDatabase } from "./postgres.ts";
import { MAIN, pawlInside, personInside } from "./project.ts";
import { trustAsItIs } from "./trust.ts";

const ID = "0123456789abcdef0123456789abcdef";

export type Machine = ReturnType<typeof machineAt>;

function machineAt(root: string, environment: Readonly<Record<string, string>>) {
  const children: ChildProcess[] = [];
  const spawned = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [MAIN, ...words, "--json"], {
      cwd: root,
      env: { ...environment, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    return child;
  };
  const start = (...args: readonly string[]) => spawned(["run", ...args]);
  return {
    root,
    start,
    worker: (name: string, ...args: readonly string[]) => spawned(["worker", "--name", name, ...args]),
    /** By another way to the database. */
    workerBy: (url: string, name: string) => spawned(["worker", "--name", name], { PAWL_DATABASE_URL: url }),
    run: (...args: readonly string[]) => ranOf(start("--once", ...args)),
    pawl: (...args: readonly string[]) => pawlInside(root, args, environment),
    agent: (...args: readonly string[]) => pawlInside(root, args, { ...environment, CLAUDECODE: "1" }),
    person: (...args: readonly string[]) => personInside(root, args, environment),
    /** What a failed test left, also where it stands still. */
    killAll() {
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    },
  };
}

/** Tasks in the project's own repository; `instructions`: what each one's agent does before it commits a file and is done. */
export function sharedTasks(ids: readonly string[], ...instructions: readonly string[]): string {
  const tasks = ids.map(
    (id) => `- id: ${id}
  title: ${id}
  repo: .
  merge_into: main
  instructions: |
${instructions.map((line) => `    RUN: ${line.replaceAll("ID", id)}\n`).join("")}    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
    RUN: bloom done ${id}
`,
  );
  return `tasks:\n${tasks.join("")}`;
}

/** What it has said so far. */
export function heardFrom(child: ChildProcess): () => string {
  let heard = "";
  child.stdout?.on("data", (bytes) => {
    heard += bytes;
  });
  return () => heard;
}

/** What a command answers under `--json`. */
export async function json(machine: Machine, ...words: readonly string[]) {
  const { code, err, out } = await machine.pawl(...words, "--json");
  return { code, err, data: JSON.parse(out || "null") };
}

export interface MachinesOptions extends BloomOptions {
  /** More files of the repository, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The backlog is in the database; no machine has a tasks file. */
export async function machines(
  { files = {}, project: more = {}, ...options }: MachinesOptions,
  given?: string,
) {
  const url = given ?? (await emptyDatabase());
  const project = bloomProject({
    ...options,
    project: { project_id: ID, stores: { bloom: "postgres" }, ...more },
  });
  const environment = { ...project.environment, ...options.environment, PAWL_DATABASE_URL: url };
  const place = join(project.root, "..");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(project.root, dirname(path)), { recursive: true });
    project.write(path, text);
    project.git("add", path);
  }
  if (Object.keys(files).length > 0) {
    project.git("commit", "-qm", "More");
    project.git("push", "-q");
    trustAsItIs(project.root);
  }
  execFileSync("git", ["clone", "-q", "remote.git", "two"], { cwd: place, env: project.environment });
  const [one, two] = [machineAt(project.root, environment), machineAt(join(place, "two"), environment)];
  trustAsItIs(two.root, undefined, one.root);
  for (const words of [["init"], ["import"]]) {
    const { code, err } = await one.pawl("database", ...words);
    if (code !== 0) throw new Error(err);
  }
  rmSync(join(project.root, "tasks.yaml"));
  return {
    ...{ one, two, url, environment },
    remoteGit: project.remoteGit,
    [Symbol.dispose]() {
      for (const machine of [one, two]) machine.killAll();
      project[Symbol.dispose]();
    },
  };
}
