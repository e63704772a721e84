/**
 * A cgroup for a run, where this process may make one (cgroup v2, Linux): the one hold that no fork can outrun. Below the
 * cgroup that this process is in, so that nothing is asked of the system's own arrangement.
 *
 * G1  Best effort: where it cannot be had, a run goes on without one, and its processes are looked for.
 * G2  Whoever is in it dies with it: `cgroup.kill` also ends what forks while it is being ended.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import { cgroupName } from "./mark.ts";

export interface Cgroup {
  /** Absolute. */
  readonly folder: string;
}

let base: string | null | undefined;

/** Where cgroups can be made: this process's own, in the unified hierarchy; null: nowhere. */
function baseFolder(): string | null {
  base ??= findBase();
  return base;
}

function findBase(): string | null {
  return attempt(() => {
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    const mount = mounts.find((line) => / - cgroup2 /.test(line))?.split(" ");
    const [, own] = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
    const [root, point] = [mount?.[3], mount?.[4]];
    if (!own || !root || !point || !own.startsWith(root)) return null;
    const folder = join(point, own.slice(root === "/" ? 0 : root.length));
    return existsSync(join(folder, "cgroup.kill")) || root === "/" ? folder : null;
  }, null);
}

/** Makes the mark's cgroup, inside that of an `outer` mark if there is one; null: it cannot be had. */
export function makeCgroup(mark: string, outer?: string): Cgroup | null {
  const found = cgroupOf(mark, outer);
  if (found === null) return null;
  try {
    if (outer !== undefined) mkdirSync(dirname(found.folder), { recursive: true });
    mkdirSync(found.folder);
    // An older kernel has none: then the cgroup is no better than looking.
    if (existsSync(join(found.folder, "cgroup.kill"))) return found;
    rmdirSync(found.folder);
    return null;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EEXIST" ? found : null;
  }
}

/** The mark's cgroup, if it is there; inside another's, too. */
export function findCgroup(mark: string): Cgroup | null {
  const folder = baseFolder();
  const places = folder === null ? [] : [folder, ...foldersIn(folder, 1).filter(isOurs)];
  const found = places.map((place) => join(place, cgroupName(mark))).find((each) => existsSync(each));
  return found === undefined ? null : { folder: found };
}

function isOurs(folder: string): boolean {
  return basename(folder).startsWith(cgroupName(""));
}

function cgroupOf(mark: string, outer: string | undefined): Cgroup | null {
  const folder = baseFolder();
  if (folder === null) return null;
  const inside = outer === undefined ? folder : join(folder, cgroupName(outer));
  return { folder: join(inside, cgroupName(mark)) };
}

/** Takes a process in; what it starts from then on is in it, too. False: it cannot be. */
export function enterCgroup({ folder }: Cgroup, pid: number): boolean {
  return attempt(() => {
    writeFileSync(join(folder, "cgroup.procs"), String(pid));
    return true;
  }, false);
}

/** The processes in it and in those below it. */
export function cgroupMembers({ folder }: Cgroup): readonly number[] {
  return foldersIn(folder).flatMap((each) => {
    return attempt(() => {
      const lines = readFileSync(join(each, "cgroup.procs"), "utf8").split("\n");
      return lines.filter(Boolean).map(Number);
    }, []);
  });
}

/** Whether anything in it lives: the kernel's own word, where a list of its members is out of date at once. */
export function isPopulated({ folder }: Cgroup): boolean {
  return attempt(() => /^populated 1$/m.test(readFileSync(join(folder, "cgroup.events"), "utf8")), false);
}

/** Kills all that are in it, whatever they start meanwhile. */
export function killCgroup({ folder }: Cgroup): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1");
  } catch {
    // Gone.
  }
}

/** Removes it once it is empty, and the one around it with the last of its own; false: something in it still lives. The kernel takes a moment for its dead. */
export async function removeCgroup(cgroup: Cgroup, within: number): Promise<boolean> {
  for (const begun = performance.now(); ; await sleep(2)) {
    try {
      for (const each of foldersIn(cgroup.folder).toReversed()) rmdirSync(each);
      removeEmpty(dirname(cgroup.folder));
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return true;
      if (performance.now() - begun > within) return false;
    }
  }
}

function removeEmpty(folder: string): void {
  try {
    if (isOurs(folder)) rmdirSync(folder);
  } catch {
    // Another run's is in it.
  }
}

/** The folder and those below it, so many levels deep, the outer before the inner. */
function foldersIn(folder: string, depth = Number.POSITIVE_INFINITY): readonly string[] {
  return attempt(() => {
    const below =
      depth > 0 ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
    return [folder, ...below.flatMap(({ name }) => foldersIn(join(folder, name), depth - 1))];
  }, []);
}
