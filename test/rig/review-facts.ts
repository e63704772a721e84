import type { ReviewFacts } from "../../src/runtime/review/model.ts";

/** A review about nothing, for what a test does not speak of. */
export const NO_FACTS = {
  ...{ checks: [], choices: [], claims: [], history: [], notes: [], points: [], facts: [] },
  ...{ artifact: null, changes: null },
  size: { files: 0, toRead: 0, lines: 0, minutes: 1 },
} as unknown as ReviewFacts;
