/** Finds out which options the installed program has, from its own help, once per process of Pawl. */
import type { AgentOrder } from "../../core/ports/agents.ts";
import { execFile } from "../process/start-program.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { type AgentsSetup, type KnownAgent, programOf } from "./setup.ts";

const LIMIT = 20_000;
const helps = new Map<string, Promise<string>>();

/** Whether the order would use an option that some versions lack. */
export function needsHelp(dialect: Dialect, order: AgentOrder): boolean {
  return dialect.needsHelp?.(order) ?? false;
}

/** Empty if the program has no help. */
export function helpOf(setup: AgentsSetup, known: Exclude<KnownAgent, { kind: "none" }>): Promise<string> {
  const { command } = known;
  const [, ...before] = command;
  const { path } = programOf(setup, known);
  if (path === null) return Promise.resolve("");
  const key = command.join("\0");
  const env = childEnvironment(setup.environment, {
    mark: markOf(setup.projectRoot, "help"),
    folder: setup.projectRoot,
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
