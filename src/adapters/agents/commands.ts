/**
 * Implements the port `Commands`: runs a shell command to its end, keeps its output, and ends its leftover
 * processes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import {
  type CommandEnd,
  type CommandOrder,
  type CommandRun,
  type Commands,
  lastingOutput,
  OWN_LINE,
} from "../../core/ports/commands.ts";
import { watchTests } from "../../core/tests-ran.ts";
import { readPlainEnd } from "../files/plain-file.ts";
import { findProgram } from "../process/programs.ts";
import { openRedactor } from "../process/redact.ts";
import { remarksOn } from "../process/remarks.ts";
import { isWorkspace } from "../process/work-folder.ts";
import type { Wall } from "../wall/wall.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";

export interface CommandsSetup {
  readonly projectRoot: string;
  readonly environment: Environment;
  /** Names of more environment variables that commands may have. */
  readonly names: readonly string[];
  /**
   * Pawl's environment for commands that outlive the loop: without the loop's tag, by which its processes are
   * ended.
   */
  readonly lasting?: Environment;
  /** Absent: there is no wall. */
  readonly wall?: Wall;
  /** Whether the project names a `setup` for checkouts. */
  readonly hasSetup?: boolean;
}

const TAIL_LINES = 60;
const TAIL_CHARACTERS = 6000;

export function openCommands(setup: CommandsSetup): Commands {
  return { run: (order) => run(setup, order) };
}

/** Bytes that are kept of the output of a command that outlives the loop. */
const MAX_OUTPUT = 8 * 1024 * 1024;

/**
 * The end of the output so far, without known secrets. Masks the file too, which is still written to; what came
 * before goes.
 */
function masked(path: string, environment: Environment): string {
  return attempt(() => {
    const { bytes, isCut } = readPlainEnd(path, MAX_OUTPUT);
    const text = bytes.toString("utf8");
    const clean = openRedactor(environment).text(text);
    if (clean !== text || isCut) writeFileSync(path, clean);
    return clean;
  }, "");
}

/** Another shell would read some commands otherwise, without a word. */
const NO_BASH = `echo "${OWN_LINE}Pawl runs commands by bash, and there is none on the PATH. Install it, such as by: apk add bash"; exit 127`;

/** The outputs share one stream, so that their order is kept: that of the process, or a file. */
function shellOf(environment: Environment, command: string, output: string | null) {
  const program = findProgram("bash", environment).path ?? findProgram("/bin/bash", environment).path;
  if (program === null) return { program: "/bin/sh", args: ["-c", NO_BASH] };
  const args =
    output === null ? ['exec 2>&1; eval "$0"', command] : ['exec >>"$1" 2>&1; eval "$0"', command, output];
  return { program, args: ["--norc", "-c", ...args] };
}

function run(setup: CommandsSetup, order: CommandOrder): CommandRun {
  const runFolder = openRunFolder(setup.projectRoot, "commands", order.run);
  const mark = markOf(setup.projectRoot, order.run);
  const tail: string[] = [];
  const tests = watchTests();
  const isLasting = order.acts === "lasting";
  const wall = order.acts === undefined ? setup.wall : undefined;
  // A file, since a command that outlives this process would lose a pipe to it.
  const output = join(setup.projectRoot, lastingOutput(order.run));
  if (isLasting) attempt(() => writeFileSync(output, "", { mode: 0o600 }), undefined);
  const called = {
    ...shellOf(setup.environment, order.command, isLasting ? output : null),
    environment: childEnvironment(isLasting ? (setup.lasting ?? setup.environment) : setup.environment, {
      mark,
      folder: order.folder,
      names: setup.names,
      added: { CI: "1", ...order.environment },
    }),
  };
  const running = runProcess({
    ...(wall?.enclose({ ...called, folder: order.folder }) ?? called),
    isWall: wall !== undefined,
    leavesRunning: isLasting,
    folder: order.folder,
    masked: setup.environment,
    mark,
    input: "",
    outputFolder: runFolder.folder,
    limits: order.limits ?? {},
    onLine: (line) => {
      tests.read(line);
      tail.push(line.slice(-TAIL_CHARACTERS));
      if (tail.length > TAIL_LINES) tail.shift();
    },
  });
  const lacksSetup = setup.hasSetup === false && isWorkspace(order.folder);
  const remarks = ({ code }: ProcessEnd) =>
    code === 0 ? [] : remarksOn({ lacksSetup, isWalled: wall !== undefined });
  const ended = running.ended.then((end): CommandEnd => {
    const notStarted = end.ending === "not-started";
    if (isLasting) tail.push(...masked(output, setup.environment).split("\n").slice(-TAIL_LINES));
    const commandEnd: CommandEnd = {
      exit: end.code,
      signal: end.signal,
      ended: end.ending === "not-started" ? "itself" : end.ending,
      duration: end.duration,
      tail: notStarted ? end.why : [...tail, ...remarks(end)].join("\n").slice(-TAIL_CHARACTERS),
      output: runFolder.path,
      ...(tests.ranNone() ? { empty: true } : {}),
      leftovers: end.leftovers,
    };
    keep(runFolder, "end.json", { command: order.command, folder: order.folder.agentPath, ...commandEnd });
    return commandEnd;
  });
  return {
    ended,
    stop: async () => {
      await running.stop("asked");
      return ended;
    },
  };
}
