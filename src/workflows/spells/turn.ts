import type { RunOverview } from "../../runtime/module.ts";
import type { FileKey } from "./files.ts";

export interface Turn {
  readonly awaits: RunOverview["awaits"];
  /** The next step for a person, in a few words. */
  readonly next: string;
  /** The next lawful step, for the assistant. */
  readonly verdictWords: string;
  /** The results file: once it is written, it is the developer's turn. */
  readonly results?: Extract<FileKey, "results" | "review_results">;
}

/** For the error states. */
const MISSING: Turn = {
  awaits: "human",
  next: "a file is missing: put it back, or cast accio",
  verdictWords: "A file is missing: the developer puts it back, or casts accio to deal with it.",
};

/** Who acts next, and on what: by the beginning of the state's name, longer ones first. */
const TURNS: Readonly<Record<string, Turn>> = {
  GATHER_NEEDS_CONTEXT: {
    awaits: "human",
    next: "cast accio to begin",
    verdictWords: "The developer casts accio to begin, which creates `.ai/task/context.md`: wait for it.",
  },
  GATHER_EDITING_CONTEXT: {
    awaits: "human",
    next: "describe the work in context.md, then cast accio",
    verdictWords:
      "Describe the work in `.ai/task/context.md` with the developer, until they cast accio to have a plan made from it.",
  },
  GATHER_EDITING: {
    awaits: "human",
    next: "refine plan.md, then cast accio",
    verdictWords: "Refine `.ai/task/plan.md` with the developer, until they cast accio to start a task.",
  },
  ACHIEVE_TASK_DRAFTING: {
    awaits: "human",
    next: "check task.md, then cast accio",
    verdictWords:
      "Correct `.ai/task/task.md` with the developer, until they cast accio to have it carried out.",
  },
  ACHIEVE_TASK_EXECUTED: {
    awaits: "assistant",
    next: "carry out the task and write task-results.md",
    verdictWords: "Carry out `.ai/task/task.md`, and write what you did to `.ai/task/task-results.md`.",
    results: "results",
  },
  ACHIEVE_COMPLETE: {
    awaits: "nobody",
    next: "every acceptance criterion is met",
    verdictWords: "Every acceptance criterion is met: there is nothing left to do.",
  },
  PR_GATHERING_COMMENTS: {
    awaits: "human",
    next: "look through comments.md, then cast accio",
    verdictWords:
      "Look through `.ai/task/comments.md` with the developer, until they cast accio to have a review task made of it.",
  },
  PR_REVIEW_TASK_DRAFT: {
    awaits: "human",
    next: "check review-task.md, then cast accio",
    verdictWords:
      "Correct `.ai/task/review-task.md` with the developer, until they cast accio to have it carried out.",
  },
  PR_APPLIED_PENDING_ARCHIVE: {
    awaits: "assistant",
    next: "carry out the review task and write review-task-results.md",
    verdictWords:
      "Carry out `.ai/task/review-task.md`, and write what you did to `.ai/task/review-task-results.md`.",
    results: "review_results",
  },
  PR_CONFIRM_RESTART: {
    awaits: "human",
    next: "confirm with reparo, or cancel with reverto",
    verdictWords:
      "Ask the developer whether the review starts over: they confirm with reparo, or cancel with reverto.",
  },
};

export function turnIn(state: string): Turn {
  return Object.entries(TURNS).find(([prefix]) => state.startsWith(prefix))?.[1] ?? MISSING;
}
