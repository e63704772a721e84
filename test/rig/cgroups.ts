import { makeCgroup, removeCgroup } from "../../src/adapters/agents/cgroup.ts";

/** Whether a run has a cgroup here (cgroup v2, and ours to make): else other tests show what holds then. */
export const HAS_CGROUPS = await probe();

async function probe(): Promise<boolean> {
  const made = makeCgroup(`probe-${process.pid}.probe`);
  return made !== null && removeCgroup(made, 1000);
}
