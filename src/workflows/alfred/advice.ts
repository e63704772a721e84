import type { WorkStep } from "./definition.ts";
import type { LoadedRun } from "./load.ts";
import type { Submission } from "./state-file.ts";

/** What a reviewer should consider: the step's own advice, and what no longer is as it was approved. */
export function adviceOn(run: LoadedRun, work: WorkStep, submitted: Submission): readonly string[] {
  const changed = run.altered.map(
    (state) => `The artifact of '${state}' was changed on disk after it was handed in: it is not approved.`,
  );
  return [...(work.advice?.(submitted.artifact, run.id) ?? []), ...changed];
}
