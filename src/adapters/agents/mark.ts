/**
 * The run tag that every process of a run has in its environment. A process group is not enough: an agent's
 * shell children have sessions of their own, and double-forked ones have lost their parents. All of them
 * inherit the tag.
 */
import { statSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { isId } from "../../core/id.ts";

export const MARK = "PAWL_RUN_MARK";

/** A run's own tag, unique over projects. */
export function markOf(projectRoot: string, run: string): string {
  return `${hashOf(identityOf(projectRoot)).slice(0, 16)}.${run}`;
}

/** Equal for every path to the folder: a link, another mount. */
function identityOf(folder: string): string {
  return attempt(() => {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  }, folder);
}

/** The runs of this project that a tag variable's value names. */
export function runsOfMark(projectRoot: string, value: string): readonly string[] {
  const marks = value.split(",").filter(Boolean);
  if (marks.length === 0) return [];
  const prefix = markOf(projectRoot, "");
  const runs = marks.flatMap((mark) => (mark.startsWith(prefix) ? mark.slice(prefix.length) : []));
  return runs.filter(isId);
}

/** The folder name of a run's cgroup. */
export function cgroupName(mark: string): string {
  return `pawl.${mark}`;
}

/** The tags of the cgroups in a process's `/proc/<pid>/cgroup`, in the form of the variable's value. */
export function markOfCgroup(text: string): string {
  const [, unified = ""] = /^0::(.*)$/m.exec(text) ?? [];
  const names = unified.split("/").filter((name) => name.startsWith(cgroupName("")));
  return names.map((name) => name.slice(cgroupName("").length)).join(",");
}

/**
 * The variable's value: this process's own tags, then the run's, so that stopping an outer run reaches it.
 */
export function markValue(mark: string, inherited: string | undefined): string {
  return inherited ? `${inherited},${mark}` : mark;
}

/** Whether an environment, as the kernel shows it (NUL-separated), has the tag. */
export function bearsMark(environment: string, mark: string): boolean {
  return marksIn(environment).includes(mark);
}

/** All tags in an environment, as the kernel shows it. */
export function marksIn(environment: string): readonly string[] {
  const from = `\0${environment}`.indexOf(`\0${MARK}=`);
  if (from < 0) return [];
  const value = environment.slice(from + MARK.length + 1).split("\0", 1)[0] ?? "";
  return value.split(",").filter(Boolean);
}
