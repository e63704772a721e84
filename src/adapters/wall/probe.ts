/** Whether bubblewrap can build a wall here, tried once per process. */
import type { Environment } from "../process/environment.ts";
import { findProgram } from "../process/programs.ts";
import { spawnSync } from "../process/start-program.ts";
import { GROUND } from "./arguments.ts";

const LIMIT = 10_000;
const known = new Map<string, Probed>();

export type Probed = { readonly program: string } | { readonly program: null; readonly why: string };

export function probe(environment: Environment): Probed {
  const path = environment.PATH ?? "";
  const found = known.get(path) ?? look(environment);
  known.set(path, found);
  return found;
}

function look(environment: Environment): Probed {
  if (process.platform !== "linux")
    return { program: null, why: `bubblewrap builds it, on Linux only, and this is ${process.platform}` };
  const { path: program, why } = findProgram("bwrap", environment);
  if (program === null) return { program: null, why: `bubblewrap is missing: there is ${why}` };
  const args = [...GROUND, "--tmpfs", "/tmp", "--", findProgram("true", environment).path ?? "/bin/true"];
  const tried = spawnSync(program, args, { encoding: "utf8", timeout: LIMIT, stdio: "pipe" });
  if (tried.status === 0) return { program };
  const said = tried.error?.message ?? tried.stderr.trim().split("\n").at(-1) ?? "";
  return { program: null, why: `${program} cannot build it here: ${said.slice(0, 300)}` };
}
