/**
 * The one place that starts programs, by their absolute paths: the system would search a name along a PATH
 * that may include an agent's folder (`programs.ts`).
 */
import type * as processes from "node:child_process";
import { isAbsolute } from "node:path";

export type { ChildProcess, SpawnOptions } from "node:child_process";

export const spawn: typeof processes.spawn = guarded("spawn");
export const spawnSync: typeof processes.spawnSync = guarded("spawnSync");
export const execFile: typeof processes.execFile = guarded("execFile");
export const execFileSync: typeof processes.execFileSync = guarded("execFileSync");

/** Lazy: most calls of the guard's hook start no program. */
function guarded<Name extends "spawn" | "spawnSync" | "execFile" | "execFileSync">(
  name: Name,
): (typeof processes)[Name] {
  const checked = (program: string, ...rest: unknown[]) => {
    if (!isAbsolute(program))
      throw new Error(`A program is started by its path, found ${JSON.stringify(program)}.`);
    const start = process.getBuiltinModule("node:child_process")[name];
    return (start as (...all: unknown[]) => unknown)(program, ...rest);
  };
  return checked as (typeof processes)[Name];
}
