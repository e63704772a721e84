/** Starts an agent's program, with its own protocol or the Agent Client Protocol. */
import { toPawlError } from "../../core/error.ts";
import type { AgentEnd, AgentEvent, AgentFailure, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import { askProgram, isNewVersion, versionIn } from "./ask-program.ts";
import { missing } from "./missing.ts";
import { startCli } from "./run-cli.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type AgentsSetup, type KnownAgent, knownAgent } from "./setup.ts";

export function start(setup: AgentsSetup, order: AgentOrder, hear: (event: AgentEvent) => void): AgentRun {
  const known = knownAgent(setup, order.agent);
  if (known.kind === "none")
    return endedRun(setup, order, "not-installed", missing(setup, order.agent) ?? known.why);
  const lack = missing(setup, order.agent);
  if (lack !== null) return endedRun(setup, order, "not-installed", lack);
  if (setup.noWall !== undefined) hear({ type: "warning", text: `the agent has no wall: ${setup.noWall}` });
  const isPawls = known.kind === "dialect" && known.dialect.newest === undefined;
  if (isPawls && !setup.wall) return startCli(setup, known, order, hear);
  const begin = async () => {
    if (known.kind === "acp") return (await import("./run-acp.ts")).startAcp(setup, known, order, hear);
    // Some versions of the program lack an option that the order needs.
    const asks = known.dialect.needsHelp?.(order) === true;
    const [help, unknown] = await Promise.all([
      asks ? askProgram(setup, known, "--help") : null,
      isPawls ? false : isUnknown(setup, known, order.agent, hear),
    ]);
    return startCli(setup, known, order, hear, { help: help?.text ?? "", unknown });
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
  known: Extract<KnownAgent, { kind: "dialect" }>,
  agent: string,
  hear: (event: AgentEvent) => void,
): Promise<boolean> {
  const version = versionIn((await askProgram(setup, known, "--version")).text);
  return isNewVersion({ agent, version, newest: known.dialect.newest }, hear);
}
