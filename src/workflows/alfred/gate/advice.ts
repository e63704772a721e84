import type { LoadedRun } from "../state/load.ts";
import type { Submission } from "../state/state-file.ts";
import { ARTIFACT_TITLES, titleOf } from "../texts/titles.ts";
import type { ReviewOf, WorkStep } from "../tools/definition.ts";

/** What a reviewer should consider: the step's own advice, and changes since the approval. */
export function adviceOn(
  run: LoadedRun,
  work: WorkStep,
  submitted: Submission,
  review: ReviewOf,
): readonly string[] {
  const changed = run.altered.map(
    (state) =>
      `The ${titleOf(run.definition.name, state)} was changed on disk after it was handed in: it is not approved.`,
  );
  return [...(work.advice?.(submitted.artifact, review, submitted.evidence) ?? []), ...changed];
}

/** The consequences of a verdict, as the ends of "Approving …" and "Rejecting …". */
export function meaningOf(
  work: WorkStep,
  submitted: Submission,
): { readonly approve: string; readonly reject: string } {
  const title = ARTIFACT_TITLES[work.artifact];
  return {
    approve: work.approving?.(submitted.artifact) ?? `accepts the ${title}`,
    reject: `has the ${title} done again`,
  };
}
