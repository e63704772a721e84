/**
 * The mark that every process of a run bears in its environment. A process group is not enough: an agent's shell
 * children live in sessions of their own, and double-forked ones have lost their parents; all of them inherit this.
 */
import { createHash } from "node:crypto";

export const MARK = "PAWL_RUN_MARK";

/** A run's own mark, unique over projects. */
export function markOf(projectRoot: string, run: string): string {
  return `${createHash("sha256").update(projectRoot).digest("hex").slice(0, 16)}.${run}`;
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
