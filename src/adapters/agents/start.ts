/** Starts an agent's program, with its own protocol or the Agent Client Protocol. */
import { toPawlError } from "../../core/error.ts";
import type { AgentEnd, AgentEvent, AgentFailure, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import { askProgram, isNewVersion, versionIn } from "./ask-program.ts";
import { missing } from "./missing.ts";
import { startCli } from "./run-cli.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type AgentsSetup, type KnownAgent, knownAgent } from "./setup.ts";

export function start(setup: AgentsSetup, order: AgentOrder, onEvent: (event: AgentEvent) => void): AgentRun {
  const agent = knownAgent(setup, order.agent);
  if (agent.kind === "none")
    return endedRun(setup, order, "not-installed", missing(setup, order.agent) ?? agent.why);
  const lack = missing(setup, order.agent);
  if (lack !== null) return endedRun(setup, order, "not-installed", lack);
  if (setup.noWall !== undefined)
    onEvent({ type: "warning", text: `the agent has no wall: ${setup.noWall}` });
  const isPawls = agent.kind === "dialect" && agent.dialect.newest === undefined;
  if (isPawls && !setup.wall) return startCli(setup, agent, order, onEvent);
  const begin = async () => {
    if (agent.kind === "acp") return (await import("./run-acp.ts")).startAcp(setup, agent, order, onEvent);
    // Some versions of the program lack an option that the order needs.
    const asks = agent.dialect.needsHelp?.(order) === true;
    const [help, unknown] = await Promise.all([
      asks ? askProgram(setup, agent, "--help") : null,
      isPawls ? false : isUnknown(setup, agent, order.agent, onEvent),
    ]);
    return startCli(setup, agent, order, onEvent, { help: help?.text ?? "", unknown });
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

async function isUnknown(
  setup: AgentsSetup,
  knownAgent: Extract<KnownAgent, { kind: "dialect" }>,
  agent: string,
  onEvent: (event: AgentEvent) => void,
): Promise<boolean> {
  const version = versionIn((await askProgram(setup, knownAgent, "--version")).text);
  return isNewVersion({ agent, version, newest: knownAgent.dialect.newest }, onEvent);
}
