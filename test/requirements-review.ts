import type { Requirement } from "./requirements.ts";

/** Reviews: what a person needs to decide, wherever they see it. */
export const REVIEW = {
  "review.waiting": {
    says: "What waits for a person is one list: gates, agents' questions, blocked tasks and failed checks, the oldest and cheapest first.",
    source: "board, Browser",
  },
  "review.differences": {
    says: "The differences are shown as they are, in the order in which they matter, whatever the repository's attributes and configuration say; what a limit leaves out is said.",
    source: "board, The review model",
  },
  "review.model": {
    says: "A review shows what is asked and where each verdict leads, claims beside what was found, the decisions, the changes in the order in which they matter, checks, cost and history; what is not known is said to be so.",
    source: "board, The review model",
  },
  "review.answered": {
    says: "After a rejection, the next review shows what is new since then, and for each point whether it was answered, by what is there and not by a claim.",
    source: "board, The review model",
  },
  "review.same-again": {
    says: "Where an agent hands in exactly the files that a person rejected, that person is not asked again: the task is blocked and says so. A hint reaches the agent in any case, and what a person hands in is asked about.",
    source: "board, The review model",
  },
  "review.version": {
    says: "A verdict on another version than the present one is refused before anybody is asked: two people, or two windows, never decide on different things.",
    source: "board, Browser",
  },
  "review.cost-by-step": {
    says: "A person sees what the work has cost so far, by step, as far as it is known; what is not known is never shown as nothing.",
    source: "board, The review model",
  },
  "review.other-repository": {
    says: "The work of a task in another repository of the project is reviewed like work in the project's own: its differences, in their order, and what is new since the last verdict.",
    source: "board, The review model",
  },
  "review.terminal": {
    says: "The command `pawl review` lists what waits for a person, or shows one review in order; `pawl reject --at` adds points, verdicts print a receipt, and `pawl status` shows first what waits.",
    source: "board, Terminal",
  },
  "review.cleaned": {
    says: "Nothing that agents or files say moves the cursor, imitates a line of Pawl's own or floods the terminal.",
    source: "board, Terminal",
  },
} satisfies Record<string, Requirement>;
