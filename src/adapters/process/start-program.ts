/**
 * The one place that starts programs, by their absolute paths: a name would be looked up by the system, along a PATH
 * that may lead into an agent's folder (`programs.ts`).
 */
import * as processes from "node:child_process";
import { isAbsolute } from "node:path";

export type { ChildProcess, SpawnOptions } from "node:child_process";

export const spawn: typeof processes.spawn = guarded(processes.spawn);
export const spawnSync: typeof processes.spawnSync = guarded(processes.spawnSync);
export const execFile: typeof processes.execFile = guarded(processes.execFile);
export const execFileSync: typeof processes.execFileSync = guarded(processes.execFileSync);

function guarded<Start>(start: Start): Start {
  const checked = (program: string, ...rest: unknown[]) => {
    if (!isAbsolute(program))
      throw new Error(`A program is started by its path, found ${JSON.stringify(program)}.`);
    return (start as (...all: unknown[]) => unknown)(program, ...rest);
  };
  return checked as Start;
}
