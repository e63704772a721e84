/** What a person judges at a gate of a task, and what they judged there before. */
import type { Snapshot } from "../../../core/ports/git.ts";
import type { Judged } from "../../../runtime/review/version.ts";
import { isOfWork } from "../evidence/gather.ts";
import type { LoadedRun } from "../state/load.ts";
import type { Submission, Verdict } from "../state/state-file.ts";
import { stepOf } from "../tools/machine.ts";
import { gateName } from "./govern.ts";

export function judgedIn(run: LoadedRun, submitted: Submission, work: Snapshot | undefined): Judged {
  const step = stepOf(run.definition, submitted.state);
  return {
    run: run.run,
    gate: gateName(run.definition.name),
    state: submitted.state,
    round: roundOf(run, submitted.state),
    artifact: submitted.sha256,
    work: isOfWork(step) && work?.kind === "tree" ? work.tree : null,
    at: submitted.time,
  };
}

/** The number of the present round: one more than the artifact's rejections since the tool's run began. */
export function roundOf({ active }: LoadedRun, state: string): number {
  return 1 + (active.context_store.rejections[state] ?? 0);
}

/**
 * Every verdict on the same step: of the tool's previous run, if the task was sent back, and of the present
 * one.
 */
export function verdictsAt({ active, state: task }: LoadedRun, state: string): readonly Verdict[] {
  const before = task.completed_tool_outputs[active.tool_name]?.verdicts ?? [];
  return [...before, ...active.context_store.verdicts].filter((verdict) => verdict.state === state);
}
