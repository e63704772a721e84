import type { Fact } from "../../engine/workflow.ts";

const file = (name: string): Fact => ({
  description: `Whether .ai/task/${name} exists`,
  values: ["missing", "present"],
});

const links = (name: string): Fact => ({
  description: `Which Atlassian links in .ai/task/${name} are not yet listed in .atlassian-refs`,
  values: ["none", "all-processed", "some-unprocessed"],
});

/** The states outside a review in which Reparo can be cast, so Reverto may lead back to them. */
export const REPARO_ORIGINS = [
  "GATHER_EDITING",
  "ACHIEVE_TASK_DRAFTING",
  "ACHIEVE_TASK_EXECUTED",
  "ACHIEVE_COMPLETE",
  "ERROR_TASK_MISSING",
  "ERROR_TASK_RESULTS_MISSING",
] as const;

/** The facts in the table's conditions. All but the last come from the files; the run keeps the last. */
export const FACTS: Readonly<Record<string, Fact>> = {
  context: file("context.md"),
  context_urls: links("context.md"),
  plan: file("plan.md"),
  plan_urls: links("plan.md"),
  criteria: {
    description: "The acceptance criteria in .ai/task/plan.md",
    values: ["none", "open", "all-checked"],
  },
  task: file("task.md"),
  results: file("task-results.md"),
  comments: file("comments.md"),
  comments_fetch: {
    description: "Whether .ai/task/comments.md says that comments are still missing in it",
    values: ["complete", "incomplete"],
  },
  review_task: file("review-task.md"),
  review_results: file("review-task-results.md"),
  reparo_origin: {
    description: "The state in which Reparo was cast when the running review began",
    values: [null, ...REPARO_ORIGINS],
    initial: null,
  },
};
