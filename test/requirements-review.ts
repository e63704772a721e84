import type { Requirement } from "./requirements.ts";

const DIFF = "src/adapters/git/diff.test.ts";
const E2E = "test/e2e/review.slow.test.ts";
const RUNTIME = "src/runtime/review";

/** Reviews: what a person needs to decide, wherever they see it. */
export const REVIEW: Readonly<Record<string, Requirement>> = {
  "review.waiting": {
    says: "What waits for a person is one list: gates, agents' questions, blocked tasks and failed checks, the oldest and cheapest first.",
    source: "board, Browser",
    tests: [
      `${RUNTIME}/queue.test.ts: each open question of an agent waits, once, though its run goes on`,
      `${RUNTIME}/queue.test.ts: what waits longer by days comes first, and within a day what takes less time`,
      `${RUNTIME}/load.test.ts: gives the minutes of what waits, a few reviews at a time; one that fails leaves them unknown`,
    ],
  },
  "review.differences": {
    says: "The differences are shown as they are, in the order in which they matter, whatever the repository's attributes and configuration say; what a limit leaves out is said.",
    source: "board, The review model",
    tests: [
      `${DIFF}: are shown though attributes call the files binary or name a program to show them`,
      `${DIFF}: leave out what exceeds the limits, in whole lines, and say so`,
      `${DIFF}: of one path are that path's alone, whatever its name means to git or to a shell`,
      `${RUNTIME}/load.test.ts: are those of its files, in their order, without the project's own`,
    ],
  },
  "review.model": {
    says: "A review shows what is asked and where each verdict leads, claims beside what was found, the decisions, the changes in the order in which they matter, checks, cost and history; what is not known is said to be so.",
    source: "board, The review model",
    tests: [
      `${E2E}: shows the decisions of a strategy before any code, and which of them changed after a rejection`,
      `${E2E}: shows the work in the order in which it matters, with claims, checks, cost and the review's size`,
      `${E2E}: waits for no check that runs, and starts none`,
    ],
  },
  "review.answered": {
    says: "After a rejection, the next review shows what is new since then, and for each point whether it was answered, by what is there and not by a claim.",
    source: "board, The review model",
    tests: [
      `${E2E}: says after a rejection what is new since then, and which points were answered, by what is there`,
      `${RUNTIME}/answered.test.ts: a point is answered where what it points to has changed, and unknown where it points to nothing`,
    ],
  },
  "review.version": {
    says: "A verdict on another version than the present one is refused before anybody is asked: two people, or two windows, never decide on different things.",
    source: "board, Browser",
    tests: [
      `${E2E}: refuses a verdict on what is no longer there, before anybody is asked`,
      `${E2E}: shows what the loop saw and spent, and after a rejection what is new; another version is refused`,
      `${E2E}: shows where the events of the state lead and what was only claimed; another version is refused`,
    ],
  },
  "review.cost-by-step": {
    says: "A person sees what the work has cost so far, by step, as far as it is known; what is not known is never shown as nothing.",
    source: "board, The review model",
    tests: [
      `${E2E}: says what each step has cost so far, in the review, in the list of runs and beside the total`,
      "src/workflows/bloom/costs.test.ts: is summed by step, in the order of the steps, and then by what else its agent ran for",
      "src/workflows/bloom/costs.test.ts: is not known where its agent does not report it, and never taken for nothing",
    ],
  },
  "review.other-repository": {
    says: "The work of a task in another repository of the project is reviewed like work in the project's own: its differences, in their order, and what is new since the last verdict.",
    source: "board, The review model",
    tests: [
      `${E2E}: is of another repository where the task works in one: its differences, in their order, and what is new since the last verdict`,
    ],
  },
  "review.terminal": {
    says: "The command `pawl review` lists what waits for a person, or shows one review in order; `pawl reject --at` adds points, verdicts print a receipt, and `pawl status` shows first what waits.",
    source: "board, Terminal",
    tests: [
      `${E2E}: lists what waits, then shows one review in order, and reject and --since walk to the next round`,
      `${E2E}: shows a difference of 20,000 lines in part, says how much is left out, and all of it by its path`,
      `${E2E}: puts the runs that wait for me first in pawl status`,
      `${RUNTIME}/receipt.test.ts: a receipt says who decided what, when, on which hashes, and how much that is worth`,
      `${RUNTIME}/receipt.test.ts: a receipt names the signed record, and not its signature`,
    ],
  },
  "review.cleaned": {
    says: "Nothing that agents or files say moves the cursor, imitates a line of Pawl's own or floods the terminal.",
    source: "board, Terminal",
    tests: [
      `${E2E}: keeps to its lines and headings at %i columns, and moves no cursor`,
      `${E2E}: is cut where its texts are megabytes`,
    ],
  },
};
