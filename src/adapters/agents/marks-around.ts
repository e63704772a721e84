/**
 * The runs to which this process belongs: by the tags in its own environment, in those of its ancestors, and
 * of its cgroup. Clearing one's own environment does not help: the parent still has the tag.
 *
 * What escapes without a cgroup: a process that has cleared its environment *and* lost its parents.
 */
import { ownAncestors } from "./ancestry.ts";
import type { Environment } from "./environment.ts";
import { MARK, markOfCgroup } from "./mark.ts";
import { readProc } from "./proc.ts";

/** The tags of this process (`environment`) and of its ancestors, nearest first, each once. */
export function marksAround(environment: Environment): readonly string[] {
  const values = [environment[MARK] ?? "", markOfCgroup(readProc("/proc/self/cgroup"))];
  for (const { pid, variable } of ownAncestors())
    values.push(variable(MARK), markOfCgroup(readProc(`/proc/${pid}/cgroup`)));
  return [...new Set(values.flatMap((value) => value.split(",")))].filter(Boolean);
}
