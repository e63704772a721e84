/** Lists the known agents and those installed, for `pawl agents`. */
import { parse } from "node:path";
import { agentNames } from "../../core/agent-needs.ts";
import type { AgentFound, Permission } from "../../core/ports/agents.ts";
import { execFile } from "../process/start-program.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { type AgentsSetup, type KnownAgent, knownAgent, programOf } from "./setup.ts";

const VERSION_LIMIT = 30_000;
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
  const [, ...before] = known.command;
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
    return without("untried", "configured as an ACP agent; `pawl agents test` starts it");
  const told = await versionOf(setup, program, before, known.dialect);
  return { ...found, ...told };
}

async function versionOf(
  setup: AgentsSetup,
  program: string,
  before: readonly string[],
  dialect: Dialect,
): Promise<Pick<AgentFound, "version" | "status" | "recognised">> {
  const environment = childEnvironment(setup.environment, {
    mark: markOf(setup.projectRoot, "survey"),
    folder: { agentPath: setup.projectRoot },
    names: [],
    added: {},
  });
  const output = await new Promise<string>((done) => {
    // Some programs exit with 0 after SIGTERM. Only SIGKILL distinguishes a passed limit from success.
    const killSignal = "SIGKILL";
    // Not in the project: its files must not influence a program that only prints its version.
    const options = {
      cwd: parse(setup.projectRoot).root,
      env: environment,
      timeout: VERSION_LIMIT,
      killSignal,
    } as const;
    execFile(program, [...before, "--version"], options, (cause, stdout) => {
      const why = cause?.killed ? `no version within ${VERSION_LIMIT / 1000} s` : cause?.message;
      done(cause ? `\0${why}` : stdout);
    });
  });
  if (output.startsWith("\0"))
    return { version: null, status: "broken", recognised: `it does not start: ${output.slice(1, 300)}` };
  const version = /\d+\.\d+\.\d+[\w.-]*/.exec(output)?.[0] ?? null;
  const said = `--version says ${JSON.stringify(output.trim().slice(0, 80))}`;
  return dialect.version.test(output)
    ? { version, status: "ready", recognised: said }
    : { version, status: "stranger", recognised: `not ${dialect.name}: ${said}` };
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
