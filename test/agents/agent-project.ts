/** A real project of its own for one proof, and the program as it is built: `pawl` as a person would start it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { bearsMark, markOf } from "../../src/adapters/agents/mark.ts";
import type { Task } from "../../src/tasks-file/task.ts";
import type { TaskRun } from "../../src/workflows/bloom/run/task-run.ts";
import type { LoopEvent } from "../rig/bloom-project.ts";
import type { ModelServer } from "../rig/model/server.ts";
import { atTerminal } from "../rig/terminal.ts";
import { trustAsItIs } from "../rig/trust.ts";
import type { Driven } from "./programs.ts";

/** The program as it is built. */
export const PAWL = resolve(import.meta.dirname, "../../dist/main.js");

/** Not where temporary files go: agents' sandboxes leave that open, and leave an empty `.git` there. */
const GROUNDS = "/var/tmp";

/** A fresh folder, in which one proof has all that it makes. */
export function freshFolder(name: string): string {
  return realpathSync(mkdtempSync(join(GROUNDS, `pawl-${name}-`)));
}

/** What all proofs of one agent share: its program, its model, its own home, and the way out that is watched. */
export interface Stage {
  readonly driven: Driven;
  readonly binary: string;
  readonly version: string;
  readonly model: ModelServer;
  /** For each child: the agent's own settings, and nothing of the tester's. */
  readonly environment: Readonly<Record<string, string>>;
}

export type AgentProject = ReturnType<typeof openAgentProject>;
export type Running = ReturnType<typeof follow>;

/** `tasks`: the text of tasks.yaml. `bloom`: more of its settings. */
export function openAgentProject(stage: Stage, tasks: string, bloom: Readonly<Record<string, unknown>> = {}) {
  const { driven, model } = stage;
  const folder = freshFolder("proof");
  const root = join(folder, "project");
  const remote = join(folder, "remote.git");
  const path = (name: string) => join(root, name);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, stdio: "pipe", encoding: "utf8" }).trim();
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", remote]);
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  git("config", "user.name", "Agent");
  git("config", "user.email", "agent@example.org");
  writeFileSync(path(".gitignore"), ".pawl/\ntasks.yaml\n");
  const settings = { agent: driven.name, backoff: { first: 0.1, limit: 0.2 }, limits: LIMITS, ...bloom };
  writeFileSync(
    path("pawl.yaml"),
    JSON.stringify({
      bloom: settings,
      agents: { [driven.name]: driven.settings(stage.binary) },
      // Flags lie there.
      sandbox: { write: [folder] },
    }),
  );
  git("add", "-A");
  git("commit", "-qm", "Begin");
  git("remote", "add", "origin", remote);
  git("push", "-q", "-u", "origin", "main");
  writeFileSync(path("tasks.yaml"), tasks);
  trustAsItIs(root, stage.environment);
  const asked = model.asked.length;
  const spawned = (args: readonly string[]) =>
    spawn(process.execPath, [PAWL, ...args], {
      cwd: root,
      env: stage.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    root,
    stage,
    git,
    remoteGit: (...args: string[]) =>
      execFileSync("git", args, { cwd: remote, stdio: "pipe", encoding: "utf8" }).trim(),
    /** What the model was asked in this project. */
    asked: () => model.asked.slice(asked),
    write: (name: string, text: string) => writeFileSync(path(name), text),
    read: (name: string) => readFileSync(path(name), "utf8"),
    /** A file outside the project, by which an agent's shell tells and is told. */
    flag: (name: string) => join(folder, name),
    task: (id: string) => {
      const { tasks: found } = parseDocument(readFileSync(path("tasks.yaml"), "utf8")).toJS();
      return (found as readonly Task[]).find((task) => task.id === id);
    },
    /** How the loop knows the task. */
    run: (id: string) => JSON.parse(readFileSync(path(`.pawl/runs/${id}.json`), "utf8")) as TaskRun,
    /** A person writes it anew, and accepts that edit. */
    async edit(id: string, change: Partial<TaskRun>) {
      const file = path(`.pawl/runs/${id}.json`);
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }));
      const sitting = { cwd: root, env: stage.environment, answer: "y\n" };
      const { code, screen } = await atTerminal([process.execPath, PAWL, "repair"], sitting);
      if (code !== 0) throw new Error(`the edit was not accepted: ${screen}`);
    },
    /** The stored events of a type, in order. */
    stored: (type: string) =>
      linesOf(readFileSync(path(".pawl/events.jsonl"), "utf8")).filter((event) => event.type === type),
    /** What a run of an agent has left: `call.json`, `prompt.md`, `end.json`. */
    kept: (run: string, name: string) => readFileSync(path(`.pawl/agents/${run}/${name}`), "utf8"),
    start: (...more: readonly string[]) => follow(spawned(["run", "--once", "--json", ...more])),
    pawl: (...args: readonly string[]) => follow(spawned(args)).ended,
    /** The processes that bear the mark of any run in this project. */
    bearers: () => bearersOf(root),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Minutes. */
const LIMITS = { silence: 2.5, run: 4, verify: 1 };

/** A child that is listened to. */
export function follow(child: ChildProcess) {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<Ended>((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      const events = linesOf(out);
      done({ code, out, err, events, of: (type) => events.filter((event) => event.type === type) });
    });
  });
  return {
    ended,
    /** So far. */
    events: () => linesOf(out),
    text: () => `${out}\n${err}`,
    signal: (name: NodeJS.Signals) => child.kill(name),
    isOver: () => child.exitCode !== null || child.signalCode !== null,
  };
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly events: readonly LoopEvent[];
  of(type: string): readonly LoopEvent[];
}

export function linesOf(text: string): readonly LoopEvent[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line) as LoopEvent] : []));
}

/** Waits until it holds; throws where the loop ends before, or where it takes too long. */
export async function until(running: Running, what: string, holds: () => boolean): Promise<void> {
  const begun = performance.now();
  while (!holds()) {
    if (performance.now() - begun > PATIENCE)
      throw new Error(`not seen: ${what}: ${running.text().slice(-2000)}`);
    if (running.isOver()) throw new Error(`it ended before ${what}: ${running.text().slice(-2000)}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

const PATIENCE = 90_000;

/** Looks at every process by itself, not by what Pawl knows: the marks of all runs that the project has had. */
export function bearersOf(root: string): readonly number[] {
  const names = ["agents", "commands"].flatMap((kind) => {
    const runs = join(root, ".pawl", kind);
    return existsSync(runs) ? readdirSync(runs) : [];
  });
  const marks = names.map((name) => markOf(root, name));
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const environment = readOr(`/proc/${name}/environ`);
    return marks.some((mark) => bearsMark(environment, mark)) ? [Number(name)] : [];
  });
}

/** The process that Pawl started for a run: the one that bears its mark, and whose parent does not. */
export function agentOf(root: string, run: string): number | undefined {
  const mark = markOf(root, run);
  return bearersOf(root).find((pid) => {
    const stat = readOr(`/proc/${pid}/stat`);
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    return (
      bearsMark(readOr(`/proc/${pid}/environ`), mark) && !bearsMark(readOr(`/proc/${parent}/environ`), mark)
    );
  });
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** The agent's own home, outside of every project, and the environment that its children get. */
export function openHome(
  driven: Pick<Driven, "environment">,
  model: ModelServer,
  more: Readonly<Record<string, string>>,
) {
  const home = freshFolder("home");
  mkdirSync(join(home, "tmp"));
  const { PATH = "" } = process.env;
  return {
    home,
    environment: { PATH, HOME: home, LANG: "C.UTF-8", ...driven.environment(home, model.url), ...more },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
