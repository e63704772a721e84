/**
 * The mark that every process of a run bears in its environment. A process group is not enough: an agent's shell
 * children live in sessions of their own, and double-forked ones have lost their parents; all of them inherit this.
 */
import { statSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { isId } from "../../core/id.ts";
import { hashOf } from "../files/hash.ts";

export const MARK = "PAWL_RUN_MARK";

/** A run's own mark, unique over projects. */
export function markOf(projectRoot: string, run: string): string {
  return `${hashOf(identityOf(projectRoot)).slice(0, 16)}.${run}`;
}

/** The same for every way that leads to the folder: a link, another mount. */
function identityOf(folder: string): string {
  return attempt(() => {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  }, folder);
}

/** The runs of this project that a mark's value names. */
export function runsOfMark(projectRoot: string, value: string): readonly string[] {
  const marks = value.split(",").filter(Boolean);
  if (marks.length === 0) return [];
  const prefix = markOf(projectRoot, "");
  const runs = marks.flatMap((mark) => (mark.startsWith(prefix) ? mark.slice(prefix.length) : []));
  return runs.filter(isId);
}

/** The folder's name of a run's cgroup, where it has one. */
export function cgroupName(mark: string): string {
  return `pawl.${mark}`;
}

/** The marks of the cgroups that a process's `/proc/<pid>/cgroup` tells of, as the variable's value would be. */
export function markOfCgroup(text: string): string {
  const [, unified = ""] = /^0::(.*)$/m.exec(text) ?? [];
  const names = unified.split("/").filter((name) => name.startsWith(cgroupName("")));
  return names.map((name) => name.slice(cgroupName("").length)).join(",");
}

/** The variable's value: the run's mark after those that the starter bears itself, so that an outer stop reaches it. */
export function markValue(mark: string, inherited: string | undefined): string {
  return inherited ? `${inherited},${mark}` : mark;
}

/** Whether an environment, as the kernel shows it (NUL-separated), bears the mark. */
export function bearsMark(environment: string, mark: string): boolean {
  const from = `\0${environment}`.indexOf(`\0${MARK}=`);
  if (from < 0) return false;
  const value = environment.slice(from + MARK.length + 1).split("\0", 1)[0] ?? "";
  return value.split(",").includes(mark);
}
