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
  const known = knownAgent(setup, name);
  if (known.kind === "none") return { ...NOTHING, name, recognised: known.why };
  const dialect = known.kind === "acp" ? "acp" : known.dialect.name;
  const { path: program, why } = programOf(setup, known);
  const found = { name, dialect, program, calls: callsOf(known, allow) } as const;
  const without = (status: AgentFound["status"], recognised: string): AgentFound => ({
    ...found,
    version: null,
    status,
    recognised,
  });
  if (setup.untrusted?.includes(name) && (known.settings.program || known.settings.acp))
    return without(
      "untrusted",
      "this project's files name it, and nobody has trusted them yet: run `pawl trust`",
    );
  if (program === null) return without("missing", why);
  if (known.kind === "acp")
    return without("untried", "configured as an ACP agent; `pawl config agents test` starts it");
  return { ...found, ...(await versionOf(setup, known)) };
}

async function versionOf(
  setup: AgentsSetup,
  known: Extract<KnownAgent, { kind: "dialect" }>,
): Promise<Pick<AgentFound, "newerThan" | "recognised" | "status" | "version">> {
  const { name, newest, version: pattern } = known.dialect;
  const { fault, text } = await askProgram(setup, known, "--version");
  if (fault !== null)
    return { version: null, status: "broken", recognised: `it does not start: ${fault.slice(0, 300)}` };
  const version = versionIn(text);
  const said = `--version says ${JSON.stringify(text.trim().slice(0, 80))}`;
  if (!pattern.test(text)) return { version, status: "stranger", recognised: `not ${name}: ${said}` };
  const older = newerThan(version, newest);
  if (older === null) return { version, status: "ready", recognised: said };
  const recognised = `${said}, which is newer than ${older}, the newest that Pawl knows`;
  return { version, status: "ready", newerThan: older, recognised };
}

function callsOf(
  known: Exclude<KnownAgent, { kind: "none" }>,
  allow: readonly string[],
): AgentFound["calls"] {
  if (known.kind === "acp") return { ask: known.command, edits: known.command, all: known.command };
  const calls = PERMISSIONS.map((permission) => {
    const call = {
      session: { type: "new" },
      permission,
      allow,
      model: known.settings.model,
      writable: [],
      runFolder: ".pawl/agents/RUN",
      folder: "FOLDER",
      limits: {},
      knows: () => true,
      walled: false,
      asRoot: process.getuid?.() === 0,
    } as const;
    const told = Object.entries(known.dialect.environment(call)).map(([key, value]) => `${key}=${value}`);
    const words = [...known.command, ...known.dialect.arguments(call), ...(known.settings.args ?? [])];
    return [permission, told.length > 0 ? ["env", ...told, ...words] : words];
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
