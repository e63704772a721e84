import type { View } from "../../core/ports/store.ts";
import { factsIn, mayHoldCriteria } from "./facts.ts";
import { loadCriteria, loadTexts } from "./load-run.ts";

/**
 * The state that the files suggest if state.json is unreadable: the most advanced file decides. If there is a
 * task or its results, a review counts as begun from a task.
 */
export async function suggestState(view: View): Promise<string> {
  const texts = await loadTexts(view);
  const criteriaOf = mayHoldCriteria(texts.plan) ? await loadCriteria(view) : () => [];
  const facts = factsIn(texts, "", criteriaOf);
  const has = (name: string) => facts[name] === "present";
  const suffix = has("task") || has("results") || facts.criteria === "all-checked" ? "A" : "G";
  if (has("review_results")) return `PR_APPLIED_PENDING_ARCHIVE_${suffix}`;
  if (has("review_task")) return `PR_REVIEW_TASK_DRAFT_${suffix}`;
  if (has("comments")) return `PR_GATHERING_COMMENTS_${suffix}`;
  if (facts.criteria === "all-checked") return "ACHIEVE_COMPLETE";
  if (has("results")) return "ACHIEVE_TASK_EXECUTED";
  if (has("task")) return "ACHIEVE_TASK_DRAFTING";
  if (has("plan")) return "GATHER_EDITING";
  return has("context") ? "GATHER_EDITING_CONTEXT" : "GATHER_NEEDS_CONTEXT";
}
