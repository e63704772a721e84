/** The composition root: environment and configuration → adapters → runtime → surfaces. */
import { basename } from "node:path";
import { callingAgent } from "../adapters/agents/ancestry.ts";
import { openRedactor } from "../adapters/process/redact.ts";
import { type Environment, readEnvironment } from "../config/config.ts";
import { versionOf } from "../config/version.ts";
import { PawlError } from "../core/error.ts";
import { readOnce } from "../core/once.ts";
import type { Project, Workflows } from "../runtime/project.ts";
import type { Host } from "../surfaces/cli/line/command.ts";
import { readOwnOptions } from "../surfaces/cli/line/own-options.ts";
import { runProgram } from "../surfaces/cli/line/program.ts";
import {
  CONTROLLING_TERMINAL,
  type ControllingTerminal,
} from "../surfaces/cli/terminal/controlling-terminal.ts";
import { fitPlain } from "../surfaces/cli/terminal/plain-text.ts";
import { clean, openTerminal, type Terminal } from "../surfaces/cli/terminal/terminal.ts";
import { WORKFLOWS } from "../workflows/index.ts";
import {
  existingRoot,
  type HostContext,
  machinePort,
  personPort,
  projectsPort,
  repositoriesPort,
  serversPort,
} from "./host.ts";
import { allWorkflows, openProject, type ProjectOptions } from "./open-project.ts";

export interface Start {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  /** The path by which the program was called. */
  readonly program: string;
  /**
   * The folder of the program's own files. It holds `workflows/` with the packaged texts; package.json is
   * above it.
   */
  readonly home: string;
  readonly workflows?: Workflows;
  /** `until`: the search for agents among the ancestors stops before this process; default: none. */
  readonly ancestry?: { readonly until?: number };
  /** Default: the present process. */
  readonly process?: HostProcess;
}

/** The parts of a process that the program uses. A test passes a substitute. */
interface HostProcess {
  readonly environment: Environment;
  workingFolder(): string;
  readonly terminal: Terminal;
  readonly controllingTerminal: ControllingTerminal;
}

function ownProcess(): HostProcess {
  const environment = readEnvironment();
  return {
    environment,
    workingFolder,
    terminal: openTerminal(environment),
    controllingTerminal: CONTROLLING_TERMINAL,
  };
}

/** The process. Its output never shows a secret of its environment. */
function processOf(start: Start): HostProcess {
  const { controllingTerminal, terminal, ...process } = start.process ?? ownProcess();
  const mask = openRedactor(process.environment).text;
  const shown: Pick<Terminal, "out" | "err"> = {
    out: (text) => terminal.out(mask(text)),
    err: (text) => terminal.err(mask(text)),
  };
  return {
    ...process,
    terminal: Object.create(terminal, Object.getOwnPropertyDescriptors(shown)),
    controllingTerminal: {
      isThere: () => controllingTerminal.isThere(),
      onLine: (typed) => controllingTerminal.onLine(typed),
      open() {
        const conversation = controllingTerminal.open();
        // The terminal's width is known only if standard output goes there, too.
        const wrapped = (text: string) => (terminal.isScreen ? fitPlain(text, terminal.columns) : text);
        return conversation && { ...conversation, write: (text) => conversation.write(wrapped(mask(text))) };
      },
    },
  };
}

/** Runs the command line and returns its exit code. */
export async function run(start: Start): Promise<number> {
  const { argv, program, home, workflows: shipped = WORKFLOWS, ancestry = {} } = start;
  const { environment, workingFolder, terminal, controllingTerminal } = processOf(start);
  const name = basename(program).replace(/\.[cm]?[jt]s$/, "") === "bloom" ? "bloom" : "pawl";
  const warn = warningOn(terminal, name);
  const opened: Project[] = [];
  const open = async (options: ProjectOptions) => {
    const project = await openProject({ ...options, warn });
    opened.push(project);
    return project;
  };
  // The command itself is not parsed yet: the workflows define its verbs.
  const option = readOwnOptions(argv).projects.at(-1);
  const root = existingRoot(option, environment, workingFolder);
  const workflows = await allWorkflows(root, { home, environment, workflows: shipped }, open);
  const version = versionOf(home);
  const context: HostContext = {
    ...{ name, version, home, environment, workingFolder, terminal, shipped, workflows, option, open },
    until: ancestry.until,
  };
  const agentHere = readOnce(() => callingAgent(environment, ancestry));
  const host: Host = {
    ...{ name, version, terminal, workflows },
    projects: projectsPort(context),
    person: personPort(context, agentHere, controllingTerminal),
    machine: machinePort(context),
    repositories: repositoriesPort(context),
    servers: serversPort(context),
  };
  try {
    return await runProgram(argv, host);
  } finally {
    // Settling is never needed for correctness: after a failure, the next process does it.
    for (const project of opened) await project.close().catch(() => {});
  }
}

/** Prints each warning as one line on stderr, once. */
function warningOn(terminal: Terminal, name: string): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    if (!warned.has(line)) terminal.err(`${name}: warning: ${clean(line)}\n`);
    warned.add(line);
  };
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new PawlError(
      "usage",
      "The shell's current folder no longer exists: it was removed or renamed.",
      "Change to an existing folder.",
      cause,
    );
  }
}
