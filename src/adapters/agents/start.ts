/** Starts an agent's program, by its own protocol or by the Agent Client Protocol. */
import type { AgentEnd, AgentEvent, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import { missing } from "./missing.ts";
import { helpOf, needsHelp } from "./program-help.ts";
import { startCli } from "./run-cli.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { type AgentsSetup, knownAgent } from "./setup.ts";

export function start(setup: AgentsSetup, order: AgentOrder, hear: (event: AgentEvent) => void): AgentRun {
  const known = knownAgent(setup, order.agent);
  if (known.kind === "none") return endedRun(setup, order, missing(setup, order.agent) ?? known.why);
  if (known.kind === "dialect" && !needsHelp(known.dialect, order))
    return startCli(setup, known, order, hear);
  const running =
    known.kind === "dialect"
      ? helpOf(setup, known).then((help) => startCli(setup, known, order, hear, help))
      : import("./run-acp.ts").then(({ startAcp }) => startAcp(setup, known, order, hear));
  return {
    run: order.run,
    ended: running.then((run) => run.ended),
    stop: async (reason) => (await running).stop(reason),
  };
}

/** A run that never began. */
function endedRun(setup: AgentsSetup, order: AgentOrder, why: string): AgentRun {
  const folder = openRunFolder(setup.projectRoot, "agents", order.run);
  const end: AgentEnd = {
    outcome: "failed",
    reason: "not-installed",
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
