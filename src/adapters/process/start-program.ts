/**
 * The one place that starts programs, by their absolute paths: the system would search a name along a PATH
 * that may include an agent's folder (`programs.ts`).
 */
import type * as processes from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { attempt } from "../../core/attempt.ts";

export type { ChildProcess, SpawnOptions } from "node:child_process";

/** The child gets the descriptors that `stdio` names, and no other. */
export const spawn = ((
  program: string,
  args: readonly string[],
  { stdio = "pipe", ...options }: processes.SpawnOptions,
) => {
  const given = typeof stdio === "string" ? [stdio, stdio, stdio] : stdio;
  const all = [...given];
  for (const fd of inherited().filter((each) => each >= given.length)) {
    while (all.length < fd) all.push("ignore");
    all[fd] = nothing();
  }
  return plainSpawn(program, args, { ...options, stdio: all });
}) as typeof processes.spawn;

const plainSpawn = guarded("spawn");
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

let known: readonly number[] | undefined;
let nowhere: number | undefined;

/**
 * Open descriptors of Pawl's own caller, which each child would inherit: an editor's terminal, `flock 200`.
 * Node opens none of this kind, and closes only the lowest. By one of a folder, a program leaves any wall.
 */
function inherited(): readonly number[] {
  known ??= attempt(() => readdirSync("/proc/self/fd"), [])
    .map(Number)
    .filter((fd) => fd > 2 && isPassedOn(fd));
  return known;
}

const CLOSE_ON_EXEC = 0o2000000;

function isPassedOn(fd: number): boolean {
  const [, flags] =
    attempt(() => /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")), null) ?? [];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}

function nothing(): number {
  nowhere ??= openSync("/dev/null", "r");
  return nowhere;
}
