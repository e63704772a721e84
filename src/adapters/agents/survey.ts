/** Lists the known agents and those installed, for `pawl config agents`. */
import { agentNames } from "../../core/agent-needs.ts";
import type { AgentFound, Permission } from "../../core/ports/agents.ts";
import { askProgram, newerThan, versionIn } from "./ask-program.ts";
import { type AgentsSetup, type KnownAgent, knownAgent, programOf } from "./setup.ts";

const PERMISSIONS: readonly Permission[] = ["ask", "edits", "all"];

export async function survey(
  setup: AgentsSetup,
  allow: readonly string[] = [],
): Promise<readonly AgentFound[]> {
  return Promise.all(agentNames(setup.agents).map((name) => find(setup, name, allow)));
}

async function find(setup: AgentsSetup, name: string, allow: readonly string[]): Promise<AgentFound> {
  const agent = knownAgent(setup, name);
  if (agent.kind === "none") return { ...NOTHING, name, recognised: agent.why };
  const dialect = agent.kind === "acp" ? "acp" : agent.dialect.name;
  const { path: program, why } = programOf(setup, agent);
  const common = { name, dialect, program, calls: callsOf(agent, allow) } as const;
  const without = (status: AgentFound["status"], recognised: string): AgentFound => ({
    ...common,
    version: null,
    status,
    recognised,
  });
  if (setup.untrusted?.includes(name) && (agent.settings.program || agent.settings.acp))
    return without(
      "untrusted",
      "this project's files name it, and nobody has trusted them yet: run `pawl trust`",
    );
  if (program === null) return without("missing", why);
  if (agent.kind === "acp")
    return without("untried", "configured as an ACP agent; `pawl config agents test` starts it");
  return { ...common, ...(await versionOf(setup, agent)) };
}

async function versionOf(
  setup: AgentsSetup,
  agent: Extract<KnownAgent, { kind: "dialect" }>,
): Promise<Pick<AgentFound, "newerThan" | "recognised" | "status" | "version">> {
  const { name, newest, version: pattern } = agent.dialect;
  const { fault, text } = await askProgram(setup, agent, "--version");
  if (fault !== null)
    return { version: null, status: "broken", recognised: `it does not start: ${fault.slice(0, 300)}` };
  const version = versionIn(text);
  const printed = `--version says ${JSON.stringify(text.trim().slice(0, 80))}`;
  if (!pattern.test(text)) return { version, status: "stranger", recognised: `not ${name}: ${printed}` };
  const older = newerThan(version, newest);
  if (older === null) return { version, status: "ready", recognised: printed };
  const recognised = `${printed}, which is newer than ${older}, the newest that Pawl knows`;
  return { version, status: "ready", newerThan: older, recognised };
}

function callsOf(
  agent: Exclude<KnownAgent, { kind: "none" }>,
  allow: readonly string[],
): AgentFound["calls"] {
  if (agent.kind === "acp") return { ask: agent.command, edits: agent.command, all: agent.command };
  const calls = PERMISSIONS.map((permission) => {
    const call = {
      session: { type: "new" },
      permission,
      allow,
      model: agent.settings.model,
      writable: [],
      runFolder: ".pawl/agents/RUN",
      folder: "FOLDER",
      limits: {},
      knows: () => true,
      walled: false,
      asRoot: process.getuid?.() === 0,
    } as const;
    const variables = Object.entries(agent.dialect.environment(call)).map(
      ([key, value]) => `${key}=${value}`,
    );
    const words = [...agent.command, ...agent.dialect.arguments(call), ...(agent.settings.args ?? [])];
    return [permission, variables.length > 0 ? ["env", ...variables, ...words] : words];
  });
  return Object.fromEntries(calls);
}

const NOTHING: Omit<AgentFound, "name" | "recognised"> = {
  dialect: "acp",
  program: null,
  version: null,
  status: "invalid",
  calls: { ask: [], edits: [], all: [] },
};
