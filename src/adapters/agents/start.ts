/** Starts an agent's program, with its own protocol or the Agent Client Protocol. */
import { toPawlError } from "../../core/error.ts";
import type { AgentEnd, AgentEvent, AgentFailure, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import { execFile } from "../process/start-program.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { missing } from "./missing.ts";
import { startCli } from "./run-cli.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type AgentsSetup, type KnownAgent, knownAgent, programOf } from "./setup.ts";

export function start(setup: AgentsSetup, order: AgentOrder, hear: (event: AgentEvent) => void): AgentRun {
  const known = knownAgent(setup, order.agent);
  if (known.kind === "none")
    return endedRun(setup, order, "not-installed", missing(setup, order.agent) ?? known.why);
  const lack = missing(setup, order.agent);
  if (lack !== null) return endedRun(setup, order, "not-installed", lack);
  if (setup.noWall !== undefined) hear({ type: "warning", text: `the agent has no wall: ${setup.noWall}` });
  // Some versions of the program lack an option that the order needs.
  const asks = known.kind === "dialect" && known.dialect.needsHelp?.(order) === true;
  if (known.kind === "dialect" && !asks && !setup.wall) return startCli(setup, known, order, hear);
  const begin = async () => {
    if (known.kind === "acp") return (await import("./run-acp.ts")).startAcp(setup, known, order, hear);
    return startCli(setup, known, order, hear, asks ? await helpOf(setup, known) : "");
  };
  const running = begin().catch((thrown) => endedRun(setup, order, "exit", toPawlError(thrown).message));
  return {
    run: order.run,
    ended: running.then((run) => run.ended),
    stop: async (reason) => (await running).stop(reason),
  };
}

/** The end of a run that never began. */
function endedRun(setup: AgentsSetup, order: AgentOrder, reason: AgentFailure, why: string): AgentRun {
  const folder = openRunFolder(setup.projectRoot, "agents", order.run);
  const end: AgentEnd = {
    outcome: "failed",
    reason,
    detail: why,
    session: null,
    text: "",
    usage: null,
    exit: { code: null, signal: null },
    duration: 0,
    leftovers: { ended: 0, alive: 0 },
    output: folder.path,
  };
  keep(folder, "end.json", end);
  return { run: order.run, ended: Promise.resolve(end), stop: () => Promise.resolve(end) };
}

const LIMIT = 20_000;
const helps = new Map<string, Promise<string>>();

/** The program's own help, which shows the options that it has; asked once per process. Empty: it has none. */
function helpOf(setup: AgentsSetup, known: Exclude<KnownAgent, { kind: "none" }>): Promise<string> {
  const { command } = known;
  const [, ...before] = command;
  const { path } = programOf(setup, known);
  if (path === null) return Promise.resolve("");
  const key = command.join("\0");
  const env = childEnvironment(setup.environment, {
    mark: markOf(setup.projectRoot, "help"),
    folder: { agentPath: setup.projectRoot },
    names: [],
    added: {},
  });
  const asked = helps.get(key) ?? ask(path, [...before, "--help"], { cwd: setup.projectRoot, env });
  helps.set(key, asked);
  return asked;
}

function ask(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  return new Promise((done) => {
    const options = { ...place, timeout: LIMIT, killSignal: "SIGKILL", maxBuffer: 1 << 20 } as const;
    execFile(program, [...args], options, (_, stdout) => done(String(stdout)));
  });
}
