import type { Requirement } from "./requirements.ts";

const DIFF = "src/adapters/git/diff.test.ts";
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
};
