/** What a demonstration stands on: a project of its own, an agent's shell, an assistant's client, and the loop. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { probe } from "../../src/adapters/wall/probe.ts";
import { NO_WALL } from "../../src/app/wall.ts";
import { openStage, PROGRAM, type Stage } from "../stage.ts";
import {
  type AttemptResult,
  judge,
  judgeHonest,
  type Outcome,
  type Passed,
  show,
  showOpen,
  unseen,
} from "./attempt.ts";

export interface Settings {
  /** Whether lines are printed without pauses. */
  readonly fast: boolean;
  /** Files of the project, the first commit. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the loop's agents work behind a wall where there can be one. */
  readonly sandbox?: "auto" | "none";
}

export interface LoopEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface LoopRun {
  readonly code: number | null;
  of(type: string): readonly LoopEvent[];
}

export interface AttemptProject
  extends Pick<Stage, "folder" | "git" | "pawl" | "person" | "remove" | "variables"> {
  readonly stage: Stage;
  /** Where nothing of the project lies. */
  readonly place: string;
  write(path: string, text: string): void;
  has(path: string): boolean;
  /** The file's text; empty where there is none. */
  read(path: string): string;
  /** A command in the shell of an agent that works in the person's own checkout, with its mark and without a wall. */
  shell(command: string): Promise<{ readonly code: number | null; readonly output: string }>;
  /** `pawl run --once`, to its end. */
  loop(): Promise<LoopRun>;
  /** What each tool call of an agent's run got to hear, in order. */
  heard(run: string): readonly string[];
  /** Carries out an attempt and shows what came of it. */
  attempt(tries: string, act: () => Promise<AttemptResult>): Promise<void>;
  /** The same with honest work, which must pass. */
  honest(does: string, act: () => Promise<Passed>): Promise<void>;
  /** What is not tried, because it would come through here. */
  leaveOut(tries: string, why: string): void;
  /** Whether the loop's agents work behind one here. */
  readonly hasWall: boolean;
  readonly outcomes: readonly Outcome[];
  /** What was left out. */
  readonly open: readonly string[];
}

/** By which an agent declares itself; Claude Code and others set marks of their own. */
const MARK = { AI_AGENT: "scripted" };

export async function openAttemptProject({
  fast,
  files,
  sandbox = "auto",
}: Settings): Promise<AttemptProject> {
  const stage = openStage({ fast, agent: "scripted" });
  const { folder, git, variables } = stage;
  const place = dirname(folder);
  mkdirSync(join(place, "home"));
  stage.setVariables({ HOME: join(place, "home") });
  const outcomes: Outcome[] = [];
  const open: string[] = [];
  const has = (path: string) => existsSync(join(folder, path));
  const read = (path: string) => (has(path) ? readFileSync(join(folder, path), "utf8") : "");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  write("pawl.yaml", `${read("pawl.yaml")}sandbox: ${sandbox}\n`);
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@example.invalid");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  await stage.trust();
  return {
    ...stage,
    stage,
    place,
    outcomes,
    has,
    read,
    write,
    heard: (run) => resultsIn(read(`.pawl/agents/${run}/output.jsonl`)),
    async shell(command) {
      const lines: string[] = [];
      const code = await run("sh", ["-c", `exec 2>&1; ${command}`], { ...variables, ...MARK }, lines);
      return { code, output: lines.join("\n") };
    },
    async loop() {
      const lines: string[] = [];
      const code = await run(process.execPath, [PROGRAM, "run", "--once", "--json"], variables, lines);
      const events = lines.flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line) as LoopEvent] : []));
      return { code, of: (type) => events.filter((event) => event.type === type) };
    },
    attempt: async (tries, act) => addOutcome(judge(tries, await act().catch(unseen))),
    leaveOut(tries, why) {
      open.push(tries);
      showOpen(tries, why);
    },
    hasWall: sandbox === "auto" && probe(variables).program !== null,
    open,
    honest: async (does, act) => addOutcome(judgeHonest(does, await act().catch(unseen))),
  };

  async function addOutcome(outcome: Outcome) {
    outcomes.push(outcome);
    show(outcome);
    await stage.pause();
  }

  /** Without a terminal: in a session of its own. */
  function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, lines: string[]) {
    const child = spawn(program, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    // Of the wall the demonstrations speak themselves.
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (!line.includes(NO_WALL)) process.stderr.write(`${line}\n`);
    });
    return new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
  }
}

function resultsIn(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => {
    const content = line.startsWith("{") ? JSON.parse(line).message?.content?.[0] : undefined;
    return content?.type === "tool_result" ? [String(content.content)] : [];
  });
}
