/**
 * Runs a real program to its end, and nothing of it outlives the run.
 *
 * A1  The input goes to standard input; a program that does not read it is no failure.
 * A2  It leads a session of its own, so that a Ctrl-C at the terminal reaches only us, and we end it in order.
 * A3  However it ends, everything that bears the run's mark is ended before the end is told.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { splitLines } from "./line-splitter.ts";
import { openOutput } from "./output-file.ts";
import { END_TIMES, type EndTimes, endTree } from "./process-tree.ts";

export interface ProcessOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The whole environment, mark included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  /** Written to standard input, which is then closed; null: it stays open for `input`. */
  readonly input: string | null;
  /** Where `output.jsonl` and `errors.log` go. */
  readonly outputFolder: string;
  readonly limits: { readonly inactivity?: number | undefined; readonly total?: number | undefined };
  readonly endTimes?: EndTimes;
  hearLine(line: string): void;
  hearTooLong?(characters: number): void;
  hearError?(chunk: Uint8Array): void;
}

export type Ending = "itself" | "stopped" | "inactive" | "timed-out" | "not-started";

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ending: Ending;
  /** Why it was stopped or could not be started. */
  readonly why: string;
  /** The end of what it wrote to standard error. */
  readonly errors: string;
  readonly duration: number;
  readonly leftovers: { readonly ended: number; readonly alive: number };
  /** Why the output on disk is not whole, or null. */
  readonly outputFault: string | null;
}

export interface RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  stop(why: string): Promise<ProcessEnd>;
  /** Only with `input: null`. */
  readonly input: Writable | null;
}

const ERRORS_KEPT = 64 * 1024;
/** How long output may still come after the program has ended and all of its processes are gone. */
const LAST_OUTPUT = 1000;

export function runProcess(order: ProcessOrder): RunningProcess {
  const started = performance.now();
  mkdirSync(order.outputFolder, { recursive: true, mode: 0o700 });
  const output = openOutput(join(order.outputFolder, "output.jsonl"));
  const errorLog = openOutput(join(order.outputFolder, "errors.log"));
  let errors = Buffer.alloc(0);
  let ending: Ending = "itself";
  let why = "";
  let leftovers = { ended: 0, alive: 0 };
  let sweeping: Promise<void> | null = null;

  const child = startChild(order);
  const limits = watchLimits(order.limits, (limit, text) => end(limit, text));
  const lines = splitLines(order.hearLine, order.hearTooLong);
  child.stdout?.on("data", (chunk: Buffer) => {
    limits.heard();
    output.write(chunk);
    lines.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    limits.heard();
    errorLog.write(chunk);
    errors = Buffer.concat([errors, chunk]).subarray(-ERRORS_KEPT);
    order.hearError?.(chunk);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  if (order.input !== null) child.stdin?.end(order.input);

  /** Ends the whole tree, once; what is found while the first process is still alive is no leftover. */
  function sweep(): Promise<void> {
    const first = child.exitCode === null && child.signalCode === null ? 1 : 0;
    sweeping ??= endTree({ mark: order.mark, leader: child.pid }, order.endTimes ?? END_TIMES).then(
      (swept) => {
        leftovers = { ended: Math.max(0, swept.ended - first), alive: swept.alive };
      },
    );
    return sweeping;
  }

  let announce: () => void = () => {};
  const stopping = new Promise<void>((done) => {
    announce = done;
  });
  function end(how: Ending, text: string): void {
    if (ending !== "itself" || child.exitCode !== null || child.signalCode !== null) return;
    ending = how;
    why = text;
    void sweep();
    announce();
  }

  const ended = new Promise<ProcessEnd>((resolve) => {
    const closed = new Promise<void>((done) => child.once("close", () => done()));
    const settle = (code: number | null, signal: string | null) => {
      lines.end();
      output.close();
      errorLog.close();
      const duration = Math.round(performance.now() - started);
      const outputFault = output.fault() ?? errorLog.fault();
      resolve({
        code,
        signal,
        ending,
        why,
        errors: errors.toString("utf8"),
        duration,
        leftovers,
        outputFault,
      });
    };
    child.once("error", (cause) => {
      if (child.pid !== undefined) return;
      limits.off();
      ending = "not-started";
      why = cause.message;
      settle(null, null);
    });
    const giveUp = async () => {
      await sweeping;
      // A process that even SIGKILL does not end (it hangs in the kernel): told, not waited for.
      if (leftovers.alive > 0 && child.exitCode === null && child.signalCode === null) settle(null, null);
    };
    stopping.then(giveUp);
    child.once("exit", async (code, signal) => {
      limits.off();
      await sweep();
      await Promise.race([closed, new Promise((done) => setTimeout(done, LAST_OUTPUT).unref())]);
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(code, signal);
    });
  });

  return {
    ended,
    input: order.input === null ? child.stdin : null,
    stop: (text) => {
      end("stopped", text);
      return ended;
    },
  };
}

function startChild(order: ProcessOrder): ChildProcess {
  return spawn(order.program, [...order.args], {
    cwd: order.folder,
    env: { ...order.environment },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function watchLimits(
  limits: ProcessOrder["limits"],
  passed: (which: "inactive" | "timed-out", text: string) => void,
): { heard(): void; off(): void } {
  const start = (which: "inactive" | "timed-out", milliseconds: number | undefined, what: string) =>
    milliseconds === undefined
      ? undefined
      : setTimeout(() => passed(which, `${what} for ${milliseconds / 1000} s`), milliseconds);
  const quiet = start("inactive", limits.inactivity, "it gave no output");
  const total = start("timed-out", limits.total, "it ran");
  return {
    heard: () => quiet?.refresh(),
    off: () => {
      clearTimeout(quiet);
      clearTimeout(total);
    },
  };
}
