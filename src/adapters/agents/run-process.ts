/**
 * Runs a real program to its end, and ends all of its processes.
 *
 * A1  The input goes to stdin. A program that does not read it has not failed.
 * A2  The program leads a session of its own: a Ctrl-C at the terminal reaches only Pawl, which ends the
 *     program in order.
 * A3  Known secrets are removed from its output before it is kept or read (`../process/redact.ts`).
 * A4  However it ends, every process with the run's tag is ended before the end is reported.
 */
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { isThere } from "../files/agent-folder.ts";
import type { Environment } from "../process/environment.ts";
import { includedSecrets } from "../process/included-secrets.ts";
import { openRedactor } from "../process/redact.ts";
import { type ChildProcess, spawn } from "../process/start-program.ts";
import { type Cgroup, enterCgroup, makeCgroup } from "./cgroup.ts";
import { splitLines } from "./line-splitter.ts";
import { MARK } from "./mark.ts";
import { openOutput } from "./output-file.ts";
import { startOf } from "./proc.ts";
import { END_TIMES, type EndTimes, endTree } from "./process-tree.ts";

export interface ProcessOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: AgentFolder;
  /** The whole environment, run tag included. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Pawl's environment. Its secrets are masked in the output, beside those of the program's own environment.
   */
  readonly masked?: Environment;
  readonly mark: string;
  /** Written to stdin, which is then closed; null: stdin stays open for `input`. */
  readonly input: string | null;
  /** The folder for `output.jsonl` and `errors.log`. */
  readonly outputFolder: string;
  readonly limits: { readonly inactivity?: number | undefined; readonly total?: number | undefined };
  readonly endTimes?: EndTimes;
  /** The program is the wall around the real one. */
  readonly isWall?: boolean;
  /** Processes still running when the program ends by itself are left alone. */
  readonly leavesRunning?: boolean;
  /** An exit code above 128 names the signal that ended it. */
  readonly signalByCode?: boolean;
  onLine(line: string): void;
  onTooLong?(characters: number): void;
  /** Called once it has ended. */
  readonly release?: (() => void) | undefined;
}

type Ending = "itself" | "stopped" | "inactive" | "timed-out" | "not-started";

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ending: Ending;
  /** Why it was stopped, or could not start. */
  readonly why: string;
  /** The last part of its standard error. */
  readonly errors: string;
  readonly duration: number;
  readonly leftovers: Leftovers;
  /** Why the output on disk is incomplete, or null. */
  readonly outputFault: string | null;
}

interface Leftovers {
  readonly ended: number;
  readonly alive: number;
}

const NO_LEFTOVERS: Leftovers = { ended: 0, alive: 0 };

export interface RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  stop(why: string): Promise<ProcessEnd>;
  /** Only with `input: null`. */
  readonly input: Writable | null;
}

/** Milliseconds, some 25 days: Node fires a longer timer at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
const ERRORS_KEPT = 64 * 1024;
/** Milliseconds in which output may still arrive after the program and all its processes are gone. */
const LAST_OUTPUT = 1000;

export function runProcess(order: ProcessOrder): RunningProcess {
  try {
    mkdirSync(order.outputFolder, { recursive: true, mode: 0o700 });
    const running = follow(order, startChild(order));
    void running.ended.finally(() => order.release?.());
    return running;
  } catch (cause) {
    order.release?.();
    return neverStarted(cause instanceof Error ? cause.message : String(cause));
  }
}

function neverStarted(why: string): RunningProcess {
  const ended = Promise.resolve<ProcessEnd>({
    code: null,
    signal: null,
    ending: "not-started",
    why,
    errors: "",
    duration: 0,
    leftovers: NO_LEFTOVERS,
    outputFault: null,
  });
  return { ended, input: null, stop: () => ended };
}

function follow(order: ProcessOrder, child: ChildProcess): RunningProcess {
  const started = performance.now();
  const limits = watchLimits(order.limits, (which, text) => end(which, text));
  const output = readOutput(order, child, limits.refresh);
  const sweep = sweeper(order, child);
  let ending: Ending = "itself";
  let why = "";
  let resolveEnd: (end: ProcessEnd) => void = () => {};
  const ended = new Promise<ProcessEnd>((resolve) => {
    resolveEnd = resolve;
  });
  const settle = (code: number | null, signal: string | null, leftovers: Leftovers) => {
    limits.off();
    const duration = Math.round(performance.now() - started);
    resolveEnd({ code, signal, ending, why, duration, leftovers, ...output.close() });
  };
  function end(how: Ending, text: string): void {
    if (ending !== "itself" || isOver(child)) return;
    ending = how;
    why = text;
    void sweep().then((leftovers) => {
      // If even SIGKILL does not end a process (it hangs in the kernel), report it instead of waiting.
      if (leftovers.alive > 0 && !isOver(child)) settle(null, null, leftovers);
    });
  }
  child.once("error", (cause) => {
    if (child.pid !== undefined) return;
    ending = "not-started";
    why = isThere(order.folder) ? cause.message : `the folder ${order.folder.agentPath} is gone`;
    settle(null, null, NO_LEFTOVERS);
  });
  child.once("exit", async (code, signal) => {
    limits.off();
    const stays = order.leavesRunning === true && ending === "itself";
    const leftovers = stays ? NO_LEFTOVERS : await sweep();
    await output.drained();
    const byWall = order.signalByCode === true && signal === null ? signalOf(code) : null;
    settle(byWall === null ? code : null, byWall ?? signal, leftovers);
  });
  if (order.input !== null) child.stdin?.end(order.input);
  return {
    ended,
    input: order.input === null ? child.stdin : null,
    stop: (text) => {
      end("stopped", text);
      return ended;
    },
  };
}

/** Greater signals end no program by themselves, and agents exit with an HTTP status: 400 arrives as 144. */
const GREATEST_SIGNAL = constants.signals.SIGTERM;

/** Behind a wall, only the exit code shows the signal that ended a program. */
function signalOf(code: number | null): string | null {
  const number = (code ?? 0) - 128;
  if (number > GREATEST_SIGNAL) return null;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}

function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

interface OutputReader {
  /** Settles when all output has been read, or soon after no process can write any more. */
  drained(): Promise<void>;
  close(): Pick<ProcessEnd, "errors" | "outputFault">;
}

function readOutput(order: ProcessOrder, child: ChildProcess, onOutput: () => void): OutputReader {
  const output = openOutput(join(order.outputFolder, "output.jsonl"));
  const errorLog = openOutput(join(order.outputFolder, "errors.log"));
  const lines = splitLines(order.onLine, order.onTooLong);
  const redactor = openRedactor({ ...order.masked, ...order.environment }, includedSecrets(order.folder));
  const [outputMask, errorMask] = [redactor.stream(), redactor.stream()];
  let errors = Buffer.alloc(0);
  const takeOutput = (chunk: Buffer) => {
    if (chunk.length === 0) return;
    output.write(chunk);
    lines.push(chunk);
  };
  const takeErrors = (chunk: Buffer) => {
    if (chunk.length === 0) return;
    errorLog.write(chunk);
    errors = Buffer.concat([errors, chunk]).subarray(-ERRORS_KEPT);
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    onOutput();
    takeOutput(outputMask.push(chunk));
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    onOutput();
    takeErrors(errorMask.push(chunk));
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  const closed = new Promise<void>((done) => child.once("close", () => done()));
  return {
    async drained() {
      await Promise.race([closed, new Promise((done) => setTimeout(done, LAST_OUTPUT).unref())]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    close() {
      takeOutput(outputMask.end());
      takeErrors(errorMask.end());
      lines.end();
      output.close();
      errorLog.close();
      return { errors: errors.toString("utf8"), outputFault: output.fault() ?? errorLog.fault() };
    },
  };
}

/** Ends the whole tree, once. If the first process is still alive, it does not count as a leftover. */
function sweeper(order: ProcessOrder, child: ChildProcess): () => Promise<Leftovers> {
  let swept: Promise<Leftovers> | null = null;
  const tree = {
    mark: order.mark,
    leader: child.pid,
    isWall: order.isWall === true,
    since: startOf(child.pid),
    cgroup: hold(order, child),
  };
  return () => {
    const first = isOver(child) ? 0 : 1;
    swept ??= endTree(tree, order.endTimes ?? END_TIMES).then(({ ended, alive }) => ({
      ended: Math.max(0, ended - first),
      alive,
    }));
    return swept;
  };
}

/** Puts the first process into the run's own cgroup, if possible. */
function hold({ mark, environment }: ProcessOrder, { pid }: ChildProcess): Cgroup | null {
  const outer = environment[MARK]?.split(",").filter((each) => each !== mark);
  const cgroup = pid === undefined ? null : makeCgroup(mark, outer?.at(-1));
  // It may have ended already. Then the search finds its children.
  if (cgroup !== null && pid !== undefined) enterCgroup(cgroup, pid);
  return cgroup;
}

function startChild(order: ProcessOrder): ChildProcess {
  return spawn(order.program, [...order.args], {
    cwd: order.folder.agentPath,
    env: { ...order.environment },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function watchLimits(
  limits: ProcessOrder["limits"],
  passed: (which: "inactive" | "timed-out", text: string) => void,
): { refresh(): void; off(): void } {
  const start = (which: "inactive" | "timed-out", milliseconds: number | undefined, what: string) =>
    milliseconds === undefined || milliseconds > LONGEST_TIMER
      ? undefined
      : setTimeout(() => passed(which, `${what} for ${milliseconds / 1000} s`), milliseconds);
  const quiet = start("inactive", limits.inactivity, "it gave no output");
  const total = start("timed-out", limits.total, "it ran");
  return {
    refresh: () => quiet?.refresh(),
    off: () => {
      clearTimeout(quiet);
      clearTimeout(total);
    },
  };
}
