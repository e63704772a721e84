/** A project with a real repository and its bare remote, and the loop over it as a real child process. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { worktreePathsOf } from "../../src/adapters/git/workspace/worktree-paths.ts";
import { workFolder } from "../../src/adapters/process/work-folder.ts";
import type { Repo } from "../../src/core/ports/worktrees.ts";
import type { Task } from "../../src/tasks-file/task.ts";
import { type Strike, strikingGit } from "./git-strike.ts";
import { copyPrepared } from "./prepared.ts";
import {
  end,
  MAIN,
  pawlInside,
  personInside,
  rigProgram,
  runPawl,
  temporaryProject,
  testEnvironment,
} from "./project.ts";
import { stateHome } from "./state-home.ts";
import { trustAsItIs } from "./trust.ts";

const LOOP = rigProgram("bloom-loop");
const AGENT = rigProgram("bloom-agent");

export interface LoopEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly err: string;
  readonly events: readonly LoopEvent[];
  /** The events of a type, in order. */
  of(type: string): readonly LoopEvent[];
}

export interface BloomOptions {
  readonly tasks: string;
  /** More of `bloom:` in pawl.yaml, as JSON. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** More of pawl.yaml beside `bloom:` and `agents:`. */
  readonly project?: Readonly<Record<string, unknown>>;
  /** Text in the prompt → lines that the agent adds to its script. */
  readonly answers?: Readonly<Record<string, string>>;
  /** More of the program's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A task `T1` that commits these files, each by itself, and waits for a person before it is merged. */
export function checkpointTask(...names: readonly string[]): string {
  const works = names.map(
    (name) => `    RUN: echo ${name} > ${name}.txt; git add -A; git commit -qm ${name}\n`,
  );
  return `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  instructions: |
${works.join("")}    RUN: bloom done T1
`;
}

export type BloomProject = ReturnType<typeof bloomProject>;

/** Everything but tasks.yaml and `.pawl/` is committed on `main` and pushed. */
export function bloomProject({
  tasks,
  settings = {},
  answers,
  environment: more = {},
  project: rest = {},
}: BloomOptions) {
  const project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
  const root = join(project.root, "project");
  const remote = join(project.root, "remote.git");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", env: gitEnvironment() }).trim();
  const write = (path: string, text: string) => {
    writeFileSync(join(root, path), text);
    if (["pawl.yaml", ".alfred/config.yml", "tasks.yaml"].includes(path)) trustAsItIs(root);
  };
  const agents = answers === undefined ? {} : { scripted: { program: AGENT } };
  const bloom = { agent: "scripted", backoff: { first: 0.05, limit: 0.2 }, ...settings };
  prepare(project.root, JSON.stringify({ bloom, agents, sandbox: "none", ...rest }));
  write("tasks.yaml", tasks);
  const answersFile = join(project.root, "answers.json");
  writeFileSync(answersFile, JSON.stringify(answers ?? {}));
  const environment = {
    ...gitEnvironment(),
    // Of the project's own: `git config --global` by root would put a file in the place of /dev/null, for the whole machine.
    GIT_CONFIG_GLOBAL: join(project.root, "gitconfig"),
    DOOR_ONLY: "",
    PAWL_SCRIPTED_HOME: join(project.root, "sessions"),
    PAWL_SCRIPTED_ANSWERS: answersFile,
    ...more,
  };
  const spawned = (args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess =>
    spawn(process.execPath, args, {
      cwd: root,
      env: { ...environment, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
  // The loop starts its program again for its agents.
  const bloomWith = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    args[0] === "run"
      ? runPawl(root, args, { DOOR_ONLY: "", ...more })
      : pawlInside(root, args, { DOOR_ONLY: "", ...more });
  const start = (...args: readonly string[]) => spawned([MAIN, "run", "--json", ...args]);
  const paths = (repo: Repo = ".") =>
    worktreePathsOf({ projectRoot: root, work: workFolder(root, stateHome()) }, repo);
  const inHub = (repo: Repo, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd: paths(repo).hub, encoding: "utf8", env: gitEnvironment() }).trim();
  return {
    root,
    git,
    /** The workspace of a branch. */
    workspace: (branch: string): string => paths().worktree(branch).agentPath,
    hubFolder: (): string => paths().hub,
    /** Git in the hub, where the work of the tasks is. */
    hub: (...args: readonly string[]) => inHub(".", ...args),
    /** The commit of a task's branch. */
    tip: (branch: string, repo = ".") => inHub(repo as Repo, "rev-parse", branch),
    write,
    read: (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null),
    tasks: () =>
      parseDocument(readFileSync(join(root, "tasks.yaml"), "utf8")).toJS().tasks as readonly Task[],
    /** Every run of an agent, in order. */
    runs: () => agentRuns(join(root, ".pawl/agents")),
    stored: () => lines<LoopEvent>(readFileSync(join(root, ".pawl/events.jsonl"), "utf8")),
    remoteGit: (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim(),
    start,
    environment,
    run: (...args: readonly string[]) => ranOf(start("--once", ...args)),
    runWith: (more: Readonly<Record<string, string>>) =>
      ranOf(spawned([MAIN, "run", "--json", "--once"], more)),
    /** Kills itself just before or after the nth move in the table, or commit. */
    runKilledAt: (n: number, side: "before" | "after", what: "move" | "commit" = "move") =>
      ranOf(spawned([LOOP, String(n), side, what])),
    /** Killed just before or after a git command of the loop's own; each that writes is struck once per folder. */
    runStruck: (strike: Strike) =>
      ranOf(spawned([MAIN, "run", "--json", "--once"], strikingGit(project.root, strike))),
    bloom: (...args: readonly string[]) => bloomWith({}, ...args),
    bloomWith,
    /** As a person at a terminal, who says yes. */
    person: (...args: readonly string[]) => personInside(root, args, { DOOR_ONLY: "", ...more }),
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

/** A repository with the configuration as its first commit, pushed to its bare remote. */
function prepare(place: string, configuration: string): void {
  copyPrepared(`bloom ${configuration}`, place, (folder) => {
    const [root, remote] = [join(folder, "project"), join(folder, "remote.git")];
    const git = (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: folder, env: gitEnvironment() });
    git("init", "-q", "--bare", "-b", "main", remote);
    git("init", "-q", "-b", "main", root);
    writeFileSync(join(root, ".gitignore"), ".pawl/\ntasks.yaml\n");
    writeFileSync(join(root, "pawl.yaml"), configuration);
    for (const words of [
      "add -A",
      "commit -qm Begin",
      `remote add origin ${remote}`,
      "push -q -u origin main",
    ])
      git("-C", root, ...words.split(" "));
  });
}

export async function ranOf(child: ChildProcess): Promise<Ran> {
  let signal: NodeJS.Signals | null = null;
  child.once("exit", (_, by) => {
    signal = by;
  });
  const { code, out, err } = await end(child);
  const events = lines<LoopEvent>(out);
  return { code, signal, err, events, of: (type) => events.filter((event) => event.type === type) };
}

/** `T1.2` is the second run of T1; several tasks' are in the order in which they began. */
function agentRuns(folder: string) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.\d+$/.test(name)) : [];
  // One that is just being started has no prompt yet.
  const isWritten = (name: string) =>
    ["call.json", "prompt.md"].every((file) => existsSync(join(folder, name, file)));
  return names
    .filter(isWritten)
    .map((name) => {
      const path = join(folder, name);
      const { args } = JSON.parse(readFileSync(join(path, "call.json"), "utf8")) as { args: string[] };
      const prompt = readFileSync(join(path, "prompt.md"), "utf8");
      return {
        run: name,
        resumed: args.includes("--resume"),
        prompt,
        begun: statSync(join(path, "prompt.md")).mtimeMs,
      };
    })
    .sort((a, b) => a.begun - b.begun);
}

function gitEnvironment(): Record<string, string> {
  return testEnvironment({
    GIT_AUTHOR_NAME: "Dev",
    GIT_AUTHOR_EMAIL: "dev@example.com",
    GIT_COMMITTER_NAME: "Dev",
    GIT_COMMITTER_EMAIL: "dev@example.com",
    GIT_CONFIG_GLOBAL: "/dev/null",
  });
}

function lines<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line) as T] : []));
}
