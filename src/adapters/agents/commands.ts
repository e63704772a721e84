/** Implements the port `Commands`: runs a shell command to its end, keeps its output, and leaves nothing behind. */
import type { CommandEnd, CommandOrder, CommandRun, Commands } from "../../core/ports/commands.ts";
import { findProgram } from "../process/programs.ts";
import { BEHIND_THE_WALL, type Wall } from "../wall/wall.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";

export interface CommandsSetup {
  readonly projectRoot: string;
  readonly environment: Environment;
  /** Names of more environment variables that commands may have. */
  readonly names: readonly string[];
  /** Absent: no wall is around them. */
  readonly wall?: Wall;
}

const TAIL_LINES = 60;
const TAIL_CHARACTERS = 6000;

export function openCommands(setup: CommandsSetup): Commands {
  return { run: (order) => run(setup, order) };
}

function run(setup: CommandsSetup, order: CommandOrder): CommandRun {
  const runFolder = openRunFolder(setup.projectRoot, "commands", order.run);
  const mark = markOf(setup.projectRoot, order.run);
  const tail: string[] = [];
  const called = {
    program: findProgram("bash", setup.environment).path ?? "/bin/bash",
    // Both outputs share one stream, so that their order is kept.
    args: ["--norc", "-c", 'exec 2>&1; eval "$0"', order.command],
    environment: childEnvironment(setup.environment, {
      mark,
      folder: order.folder,
      names: setup.names,
      added: { CI: "1", ...order.environment },
    }),
  };
  const running = runProcess({
    ...(setup.wall?.enclose({ ...called, folder: order.folder }) ?? called),
    isWall: setup.wall !== undefined,
    folder: order.folder,
    masked: setup.environment,
    mark,
    input: "",
    outputFolder: runFolder.folder,
    limits: order.limits ?? {},
    hearLine: (line) => {
      tail.push(line.slice(-TAIL_CHARACTERS));
      if (tail.length > TAIL_LINES) tail.shift();
    },
  });
  const said = ({ code }: ProcessEnd) => (setup.wall && code !== 0 ? [BEHIND_THE_WALL] : []);
  const ended = running.ended.then((end): CommandEnd => {
    const notStarted = end.ending === "not-started";
    const told: CommandEnd = {
      exit: end.code,
      signal: end.signal,
      ended: end.ending === "not-started" ? "itself" : end.ending,
      duration: end.duration,
      tail: notStarted ? end.why : [...tail, ...said(end)].join("\n").slice(-TAIL_CHARACTERS),
      output: runFolder.path,
      leftovers: end.leftovers,
    };
    keep(runFolder, "end.json", { command: order.command, folder: order.folder, ...told });
    return told;
  });
  return {
    ended,
    stop: async () => {
      await running.stop("asked");
      return ended;
    },
  };
}
