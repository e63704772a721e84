/** What is known and installed, for `pawl agents`. */
import { execFile } from "node:child_process";
import type { AgentFound, Permission } from "../../base/ports.ts";
import type { Dialect } from "./dialect.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { type AgentsSetup, DIALECTS, findProgram, type Known, knownAgent } from "./setup.ts";

const VERSION_LIMIT = 20_000;
const PERMISSIONS: readonly Permission[] = ["ask", "edits", "all"];

export async function survey(setup: AgentsSetup): Promise<readonly AgentFound[]> {
  const names = [...new Set([...Object.keys(DIALECTS), ...Object.keys(setup.agents)])];
  return Promise.all(names.map((name) => find(setup, name)));
}

async function find(setup: AgentsSetup, name: string): Promise<AgentFound> {
  const known = knownAgent(setup, name);
  if (known.kind === "none")
    return { name, dialect: "acp", program: null, version: null, recognised: known.why, calls: noCalls() };
  const dialect = known.kind === "acp" ? "acp" : known.dialect.name;
  const [word = "", ...before] = known.command;
  const program = findProgram(setup, word);
  const found = { name, dialect, program, calls: callsOf(known) } as const;
  if (program === null) return { ...found, version: null, recognised: `no program ${word} on the PATH` };
  if (known.kind === "acp")
    return {
      ...found,
      version: null,
      recognised: "configured as an ACP agent; `pawl agents test` starts it",
    };
  const told = await versionOf(setup, program, before, known.dialect);
  return { ...found, ...told };
}

async function versionOf(
  setup: AgentsSetup,
  program: string,
  before: readonly string[],
  dialect: Dialect,
): Promise<{ version: string | null; recognised: string }> {
  const environment = childEnvironment(setup.environment, {
    mark: markOf(setup.projectRoot, "survey"),
    folder: setup.projectRoot,
    names: [],
    added: {},
  });
  const output = await new Promise<string>((done) => {
    const options = { cwd: setup.projectRoot, env: environment, timeout: VERSION_LIMIT };
    execFile(program, [...before, "--version"], options, (cause, stdout) => {
      done(cause ? `\0${cause.message}` : stdout);
    });
  });
  if (output.startsWith("\0"))
    return { version: null, recognised: `it does not start: ${output.slice(1, 300)}` };
  const version = /\d+\.\d+\.\d+[\w.-]*/.exec(output)?.[0] ?? null;
  return dialect.version.test(output)
    ? { version, recognised: `--version says ${JSON.stringify(output.trim().slice(0, 80))}` }
    : {
        version,
        recognised: `not ${dialect.name}: --version says ${JSON.stringify(output.trim().slice(0, 80))}`,
      };
}

function callsOf(known: Exclude<Known, { kind: "none" }>): AgentFound["calls"] {
  if (known.kind === "acp") return { ask: known.command, edits: known.command, all: known.command };
  const calls = PERMISSIONS.map((permission) => {
    const call = {
      session: { type: "new" },
      permission,
      allow: [],
      model: known.settings.model,
      gitFolders: [],
      asRoot: process.getuid?.() === 0,
    } as const;
    return [permission, [...known.command, ...known.dialect.arguments(call), ...(known.settings.args ?? [])]];
  });
  return Object.fromEntries(calls);
}

function noCalls(): AgentFound["calls"] {
  return { ask: [], edits: [], all: [] };
}
