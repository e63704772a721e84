/** A machine of the demo: a checkout of the remote, and a worker in it that can be killed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { attempt } from "../../src/core/attempt.ts";
import { until } from "../../test/rig/until.ts";
import { PROGRAM, print, type Stage } from "../stage.ts";

export interface HeardEvent {
  readonly type: string;
  readonly taskId?: string;
  readonly takenOver?: boolean;
  readonly detail?: string;
  readonly resumed?: boolean;
  readonly stepIndex?: number;
}

export interface Machine {
  readonly folder: string;
  /** What its worker told so far. */
  readonly heard: readonly HeardEvent[];
  /** Makes its checkout. */
  join(): Promise<void>;
  /** Starts its worker. */
  work(): void;
  hears(wanted: (event: HeardEvent) => boolean): Promise<void>;
  kill(): void;
  /** By SIGTERM: it takes nothing more, and ends. */
  end(): Promise<void>;
}

export function openMachine(stage: Stage, name: string): Machine {
  const folder = join(dirname(stage.folder), name);
  const heard: HeardEvent[] = [];
  let child: ChildProcess | null = null;
  let failed: string | null = null;
  return {
    folder,
    heard,
    async join() {
      execFileSync("git", ["clone", "-q", stage.remote, folder], { env: stage.variables });
      for (const [key, value] of [
        ["user.name", name],
        ["user.email", `${name}@example.invalid`],
      ])
        execFileSync("git", ["config", key as string, value as string], {
          cwd: folder,
          env: stage.variables,
        });
      await stage.trust(folder);
      printLine(name, "git clone, pawl trust");
      await stage.pause();
    },
    work() {
      child = spawn(process.execPath, [PROGRAM, "worker", "--name", name, "--agents", "1", "--json"], {
        cwd: folder,
        env: stage.variables,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const refused: string[] = [];
      child.on("exit", (code) => {
        if (code !== 0 && code !== null)
          failed = `${name}'s worker ended with ${code}:\n${refused.join("\n")}`;
      });
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
        const event = attempt(() => JSON.parse(line) as HeardEvent, null);
        if (event === null) return refused.push(line);
        heard.push(event);
        const words = wordsOf(event);
        if (words !== null) printLine(name, words);
      });
    },
    async hears(wanted) {
      await until(() => {
        if (failed !== null) throw new Error(failed);
        return heard.some(wanted);
      });
    },
    kill: () => void child?.kill("SIGKILL"),
    async end() {
      child?.kill("SIGTERM");
      await until(() => child === null || child.exitCode !== null || child.signalCode !== null);
      printLine(name, "has ended: SIGTERM drains it");
    },
  };
}

function wordsOf({ resumed, stepIndex, takenOver, taskId, type }: HeardEvent): string | null {
  if (type === "task:claimed" && takenOver) return `takes ${taskId} over, with what the remote has of it`;
  if (type === "agent:started" && !resumed) return `begins ${taskId}`;
  if (type === "step:started" && stepIndex === 1)
    return `the first step of ${taskId} is done, and on the remote`;
  return type === "task:completed" ? `${taskId} is done: checked and merged on the remote` : null;
}

function printLine(name: string, words: string): void {
  print(`  ${styleText("green", name)} ${words}`);
}
