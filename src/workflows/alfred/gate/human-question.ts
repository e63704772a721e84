/** The question for a person at a gate of a task. */
import type { HumanQuestion } from "../../../runtime/module.ts";
import { briefOf, restOfArtifact, restOfClaims } from "../../../runtime/review/brief.ts";
import type { ReviewFacts } from "../../../runtime/review/model.ts";
import { renderReview } from "../../../runtime/review/question.ts";
import { isNoCheck } from "../evidence/evidence.ts";
import type { LoadedRun } from "../state/load.ts";
import type { Submission } from "../state/state-file.ts";
import { titleOf } from "../texts/titles.ts";
import { machineOf, stepOf } from "../tools/machine.ts";
import { meaningOf } from "./advice.ts";

export interface ProposedVerdict {
  readonly approve: boolean;
  /** The notes of the verdict. */
  readonly notes: string;
  /** Who wrote the notes: the person at a terminal, or the assistant that calls. */
  readonly notesBy: "you" | "assistant";
}

/** The question whether to approve (or reject) the submission, with everything known about it. */
export function humanQuestion(
  run: LoadedRun,
  submitted: Submission,
  review: ReviewFacts,
  verdict: ProposedVerdict,
): HumanQuestion {
  const step = stepOf(run.definition, submitted.state);
  const what = `the ${titleOf(run.definition.name, step.state)} of task ${run.id} (${run.task.title})`;
  const meaning = meaningOf(step, submitted);
  const under = machineOf(run.definition).underReview(run.configuration);
  const early = under?.reviewer === "ai" ? ["The assistant's own review of it has not been given yet."] : [];
  const own =
    verdict.notes.trim() === "" || verdict.notesBy === "assistant" ? [] : [`Your notes: ${verdict.notes}`];
  const rest = restOfArtifact(review);
  // What was found for this verdict alone, such as a loosened policy.
  const notable = submitted.evidence.filter(
    (each) => isNoCheck(each) && !review.claims.some(({ about }) => about === each.about),
  );
  const message = renderReview({
    question: `Do you ${verdict.approve ? "approve" : "reject"} ${what}?`,
    facts: [`Approving ${meaning.approve}; rejecting ${meaning.reject}.`, ...early, ...own],
    brief: briefOf({ ...review, notes: [] }),
    findings: [
      ...restOfClaims(review).map(({ about, found: words, verdict }) => ({ about, verdict, words })),
      ...notable,
    ],
    changes: review.changes,
    ...(rest !== null && { artifact: { name: review.subject, value: rest, sha256: submitted.sha256 } }),
    notes: [
      ...(verdict.notesBy === "assistant" ? [{ by: "The assistant", text: verdict.notes }] : []),
      ...reviewNotes(run, submitted),
    ],
    whole: `pawl review ${run.id}`,
  });
  return { message };
}

/** The notes of the assistant's own review of exactly this artifact. */
export function reviewNotes(run: LoadedRun, submitted: Submission) {
  const last = run.active.context_store.verdicts.findLast(
    ({ sha256, stage, state }) => stage === "ai" && state === submitted.state && sha256 === submitted.sha256,
  );
  return last && last.notes.trim() !== "" ? [{ by: "The assistant's review", text: last.notes }] : [];
}
