/**
 * The runs whose process this one is: the marks in its own environment and in those of the processes that it descends
 * from, and its cgroup's. To clear one's own environment does not help: the parent still bears the mark.
 *
 * What escapes, where the run has no cgroup: a process that has cleared its environment *and* lost its parents.
 */
import { ancestors } from "./ancestry.ts";
import type { Environment } from "./environment.ts";
import { MARK, markOfCgroup } from "./mark.ts";
import { readProc } from "./proc.ts";

/** The marks of this process (`environment`) and of those that it descends from, nearest first, each once. */
export function marksAround(environment: Environment): readonly string[] {
  const values = [environment[MARK] ?? "", markOfCgroup(readProc("/proc/self/cgroup"))];
  for (const { pid, variable } of ancestors())
    values.push(variable(MARK), markOfCgroup(readProc(`/proc/${pid}/cgroup`)));
  return [...new Set(values.flatMap((value) => value.split(",")))].filter(Boolean);
}
