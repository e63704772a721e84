/**
 * A cgroup for a run, if this process may make one (cgroup v2, Linux): the only hold that no fork escapes. It
 * lies below this process's own cgroup, so that the system's own arrangement stays untouched.
 *
 * G1  Best effort: without a cgroup, the run continues and Pawl searches for its processes.
 * G2  Every process in it dies with it: `cgroup.kill` also kills concurrent forks.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import { errnoOf } from "../files/disk.ts";
import { cgroupName } from "./mark.ts";

export interface Cgroup {
  /** Absolute. */
  readonly folder: string;
}

let base: string | null | undefined;

/** This process's own folder in the unified hierarchy, where cgroups can be made; null if there is none. */
function baseFolder(): string | null {
  base ??= findBase();
  return base;
}

function findBase(): string | null {
  return attempt(() => {
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    const mount = mounts.find((line) => / - cgroup2 /.test(line))?.split(" ");
    const [, ownGroup] = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
    const [root, point] = [mount?.[3], mount?.[4]];
    if (!ownGroup || !root || !point || !ownGroup.startsWith(root)) return null;
    const folder = join(point, ownGroup.slice(root === "/" ? 0 : root.length));
    return existsSync(join(folder, "cgroup.kill")) || root === "/" ? folder : null;
  }, null);
}

/** Makes the run tag's cgroup, inside that of an `outer` tag if there is one. Null on failure. */
export function makeCgroup(mark: string, outer?: string): Cgroup | null {
  const group = cgroupOf(mark, outer);
  if (group === null) return null;
  try {
    if (outer !== undefined) mkdirSync(dirname(group.folder), { recursive: true });
    mkdirSync(group.folder);
    // An older kernel lacks this file. Then the cgroup is no better than a search.
    if (existsSync(join(group.folder, "cgroup.kill"))) return group;
    rmdirSync(group.folder);
    return null;
  } catch (cause) {
    return errnoOf(cause) === "EEXIST" ? group : null;
  }
}

/** The run tag's cgroup, if it exists; also inside another's. */
export function findCgroup(mark: string): Cgroup | null {
  const folder = baseFolder();
  const folders = folder === null ? [] : [folder, ...foldersIn(folder, 1).filter(isPawlCgroup)];
  const found = folders.map((parent) => join(parent, cgroupName(mark))).find((each) => existsSync(each));
  return found === undefined ? null : { folder: found };
}

function isPawlCgroup(folder: string): boolean {
  return basename(folder).startsWith(cgroupName(""));
}

function cgroupOf(mark: string, outer: string | undefined): Cgroup | null {
  const folder = baseFolder();
  if (folder === null) return null;
  const inside = outer === undefined ? folder : join(folder, cgroupName(outer));
  return { folder: join(inside, cgroupName(mark)) };
}

/** Moves a process into the cgroup; its later children are in it too. Returns false on failure. */
export function enterCgroup({ folder }: Cgroup, pid: number): boolean {
  return attempt(() => {
    writeFileSync(join(folder, "cgroup.procs"), String(pid));
    return true;
  }, false);
}

/** The processes in the cgroup and in those below it. */
export function cgroupMembers({ folder }: Cgroup): readonly number[] {
  return foldersIn(folder).flatMap((each) => {
    return attempt(() => {
      const lines = readFileSync(join(each, "cgroup.procs"), "utf8").split("\n");
      return lines.filter(Boolean).map(Number);
    }, []);
  });
}

/** Whether anything in it is alive, according to the kernel. A list of its members is out of date at once. */
export function isPopulated({ folder }: Cgroup): boolean {
  return attempt(() => /^populated 1$/m.test(readFileSync(join(folder, "cgroup.events"), "utf8")), false);
}

/** Kills every process in it, and those that they start meanwhile. */
export function killCgroup({ folder }: Cgroup): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1");
  } catch {
    // It is gone.
  }
}

/**
 * Removes the cgroup once it is empty, and then the outer one if that has no other inside. Returns false if
 * something in it is still alive. The kernel takes a moment to clear the dead. `within`: milliseconds.
 */
export async function removeCgroup(cgroup: Cgroup, within: number): Promise<boolean> {
  for (const begun = performance.now(); ; await sleep(2)) {
    try {
      for (const each of foldersIn(cgroup.folder).toReversed()) rmdirSync(each);
      removeEmpty(dirname(cgroup.folder));
      return true;
    } catch (cause) {
      if (errnoOf(cause) === "ENOENT") return true;
      if (performance.now() - begun > within) return false;
    }
  }
}

function removeEmpty(folder: string): void {
  try {
    if (isPawlCgroup(folder)) rmdirSync(folder);
  } catch {
    // Another run's cgroup is inside.
  }
}

/** The folder and those below it, to that depth, outer before inner. */
function foldersIn(folder: string, depth = Number.POSITIVE_INFINITY): readonly string[] {
  return attempt(() => {
    const below =
      depth > 0 ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
    return [folder, ...below.flatMap(({ name }) => foldersIn(join(folder, name), depth - 1))];
  }, []);
}
