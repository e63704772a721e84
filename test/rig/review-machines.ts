/** The two review cycles that the sources describe, as the engine's own tests need them. */
import { makeReviewMachine } from "../../src/engine/review.ts";
import type { Workflow } from "../../src/engine/workflow.ts";

const verified = { state: "verified", description: "All work is approved." };

export const startTask = makeReviewMachine({
  name: "start_task",
  title: "Set up the repository for a task",
  shape: "shared",
  work: [
    {
      entry: { state: "initialized", description: "The git status is asked for." },
      state: "git_status_checked",
      description: "The git status is to be reported again, or approved as it was.",
      resubmits: true,
    },
    { state: "branch_created", description: "The branch is to be created." },
  ],
  final: verified,
});

export const planTask = makeReviewMachine({
  name: "plan_task",
  title: "Plan a task",
  shape: "named",
  work: [
    work("contextualize", "review_context"),
    work("strategize", "review_strategy"),
    work("design", "review_design"),
    work("generate_slots", "review_plan"),
  ],
  final: verified,
});

/** The replies that such a machine needs: one per state, and one for what a state does not take. */
export function repliesOf(workflow: Workflow): readonly string[] {
  return [...Object.keys(workflow.states), "invalid-action"];
}

function work(state: string, review: string) {
  return {
    state,
    description: `The work of ${state} is to be handed in.`,
    review: { state: review, description: `The work of ${state} is under review.` },
  };
}
