/** Finds out which options the installed program has, from its own help, once per process of Pawl. */
import { execFile } from "node:child_process";
import type { AgentOrder } from "../../core/ports/agents.ts";
import type { Dialect } from "./dialect.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import type { AgentsSetup, Known } from "./setup.ts";

const LIMIT = 20_000;
const known = new Map<string, Promise<string>>();

/** Whether the order would use an option that some versions lack. */
export function needsHelp(dialect: Dialect, order: AgentOrder): boolean {
  return dialect.needsHelp?.(order) ?? false;
}

/** Empty if the program has no help. */
export function helpOf(setup: AgentsSetup, { command }: Exclude<Known, { kind: "none" }>): Promise<string> {
  const [program = "", ...before] = command;
  const key = command.join("\0");
  const env = childEnvironment(setup.environment, {
    mark: markOf(setup.projectRoot, "help"),
    folder: setup.projectRoot,
    names: [],
    added: {},
  });
  const asked = known.get(key) ?? ask(program, [...before, "--help"], { cwd: setup.projectRoot, env });
  known.set(key, asked);
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
