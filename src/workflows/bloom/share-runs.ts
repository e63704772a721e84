/** `pawl init`: the runs of tasks that an earlier version kept only in this checkout are recorded for git. */
import { LOOP_DONE, LOOP_RUNS } from "../../core/loop-record.ts";
import { projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Reply, Transaction } from "../../runtime/module.ts";
import { loadRecord, recordFaults } from "../../runtime/record.ts";
import { newRecords, recordNames } from "../../runtime/team-records.ts";
import { TASKS_RUN } from "../../tasks-file/load.ts";
import { BLOOM_STATES } from "./recorded.ts";
import { sharedIn } from "./stands.ts";

interface Unshared {
  readonly runs: readonly string[];
  readonly changes: readonly Change[];
}

export const shareRuns: Transaction<Record<string, never>, Unshared, undefined, Reply> = {
  run: () => TASKS_RUN,
  read: unshared,
  propose({ changes, runs }) {
    const text = runs.map((run) => `recorded  ${run}`).join("\n") || "unchanged  its records";
    return { reply: { text, data: { recorded: runs } }, changes };
  },
};

async function unshared(view: View): Promise<Unshared> {
  const runs = new Map<string, readonly Change[]>();
  for (const folder of [LOOP_DONE, LOOP_RUNS])
    for (const { kind, name } of await view.list(folder)) {
      const path = projectPath(folder, name);
      const run = kind === "file" ? BLOOM_STATES.runOf(path) : null;
      const text = run && (await view.read(path));
      if (!run || !text || (await recordNames(view, run)).length > 0) continue;
      const record = await loadRecord(view, run);
      const faults = await recordFaults(view, BLOOM_STATES, path, text);
      const found = sharedIn(text);
      // A run that is held, or whose first steps are no longer known, stays as it is.
      if (!record || !found?.rests || faults?.length !== 0 || record.dropped > 0) continue;
      runs.set(run, newRecords(run, record.steps, 0, found.stands));
    }
  return { runs: [...runs.keys()], changes: [...runs.values()].flat() };
}
