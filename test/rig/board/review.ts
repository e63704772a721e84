/** A review as rich as they come: differences, decisions, a failed check, a round before, files of every group. */
import { briefOf } from "../../../src/runtime/review/brief.ts";
import type { Review, ReviewFacts, ReviewFile } from "../../../src/runtime/review/model.ts";

export const NOW = Date.now();
export const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const HASH = "3f9a2c81d04be6675a1c90ef2b7d8846a5c3e1f09b2d7c64e8f01a35bd927c10";

export const VERSION = "9c1f4e2a77b0d3586e";

function file(
  path: string,
  group: ReviewFile["group"],
  item: string | null,
  about: Partial<ReviewFile> = {},
): ReviewFile {
  const isOutside = group === "outside-plan";
  return { path, added: 24, deleted: 7, group, item, isNew: true, isOutside, folded: null, ...about };
}

export const FILES: readonly ReviewFile[] = [
  file("test/rate-limit.test.ts", "process", "tests", { added: 58, deleted: 0 }),
  file("src/http/rate-limit.ts", "plan", "S-01", { added: 61, deleted: 18 }),
  file("src/http/server.ts", "plan", "S-01", { added: 9, deleted: 2, isNew: false }),
  file("src/store/window.ts", "plan", "S-02", { added: 34, deleted: 0 }),
  file("src/http/legacy-headers.ts", "outside-plan", null, { added: 3, deleted: 41 }),
  file("docs/limits.png", "folded", null, {
    ...{ added: null, deleted: null, folded: "image" },
    image: { before: null, after: 20_481 },
  }),
  file("package-lock.json", "folded", "lock files", {
    ...{ added: 12, deleted: 4, isNew: false, folded: "lock file", isOutside: true },
  }),
];

const FACTS: ReviewFacts = {
  run: "alfred:SHOP-142",
  title: "Limit requests per customer, not per address",
  gate: "alfred.implement_task",
  subject: "the implementation",
  version: VERSION,
  since: ago(47),
  round: 2,
  question: "Does this work do what the plan says, and may it go on to the tests?",
  leads: {
    approve: "The tests are written and run next; nobody is asked again until they pass.",
    reject: "The agent gets your words and points, works on, and hands in a third round.",
  },
  facts: ["The plan was approved by Ines on Tuesday.", "One file is changed that no item of the plan names."],
  criteria: [
    {
      text: "A customer gets 429 after 100 requests in a minute",
      check: { command: "npm test -- limits", state: "passed" },
    },
    { text: "What is left can be read from `GET /limits`", check: null },
    { text: "Requests without a key count by address", check: null },
  ],
  deeds: [
    { id: "S-01", words: "Count requests by customer: 429 after 100 in a minute" },
    { id: "S-02", words: "Keep the window in the store" },
  ],
  claims: [
    {
      about: "git",
      claim: "7 files changed",
      found: "7 files changed, and the tree is clean",
      verdict: "agrees",
    },
    {
      about: "check test",
      claim: "All 212 tests pass",
      found: "1 of 214 tests fails: the window is reset at midnight",
      verdict: "differs",
    },
    {
      about: "files",
      claim: "src/http/rate-limit.ts is complete",
      found: "not looked at: it is not a claim about a check",
      verdict: "unknown",
    },
    { about: "check types", found: "it has run for 12 seconds", verdict: "running" },
  ],
  choices: [
    {
      kind: "strategy",
      field: "strategy",
      title: "Strategy",
      words: [
        "A sliding window per customer, held in the store; the address is only used for requests without a key.",
      ],
      since: "same",
    },
    {
      kind: "interface",
      field: "public_interfaces",
      title: "Public interfaces",
      words: ["`GET /limits` returns what is left.", "429 carries `Retry-After` in seconds."],
      since: "new",
    },
    {
      kind: "dependency",
      field: "dependencies",
      title: "Dependencies",
      words: ["None is added."],
      since: "same",
    },
    {
      kind: "risk",
      field: "risk_analysis",
      title: "Risks",
      words: ["Clocks of two servers may differ by a second: the window is then that much longer."],
      since: "changed",
    },
  ],
  artifact: {
    name: "implementation",
    value: {
      summary: "Requests are counted by customer key. All tests pass.",
      items: [
        { id: "S-01", done: true, files: ["src/http/rate-limit.ts", "src/http/server.ts"] },
        { id: "S-02", done: true, files: ["src/store/window.ts"] },
      ],
      open: null,
    },
    sha256: HASH,
  },
  changes: {
    kind: "changes",
    repo: null,
    base: "main",
    from: "4b1d",
    to: "9a0e",
    files: FILES,
    untouched: [],
    lastJudged: "77aa",
    since: FILES.filter(({ isNew }) => isNew !== false),
  },
  checks: [
    {
      name: "test",
      command: "npm test",
      state: "failed",
      exit: 1,
      duration_ms: 48_213,
      tail: "\u001b[31m FAIL \u001b[0m test/rate-limit.test.ts > resets after the window\n\nAssertionError: expected 3 to be 0\n  - Expected: 0\n  + Received: 3\n\n Tests  1 failed | 213 passed (214)\n",
      log: ".pawl/logs/SHOP-142/test.log",
      on: "9a0e51c2b7d4",
    },
    {
      name: "lint",
      command: "npx biome ci .",
      state: "passed",
      exit: 0,
      duration_ms: 1_904,
      tail: "Checked 412 files in 1.7s. No fixes applied.",
      log: null,
      on: "9a0e51c2b7d4",
    },
    {
      name: "types",
      command: "npx tsc --noEmit",
      state: "running",
      exit: null,
      duration_ms: null,
      tail: "",
      log: null,
      on: null,
    },
  ],
  cost: {
    usd: 3.42,
    tokens: 1_284_000,
    minutes: 34,
    tries: 2,
    steps: [
      { name: "plan_task", usd: 0.61, tokens: 201_000, minutes: 6, tries: 1 },
      { name: "implement_task", usd: 2.81, tokens: 1_083_000, minutes: 28, tries: 2 },
    ],
  },
  size: { files: 7, toRead: 5, lines: 273, minutes: 8 },
  history: [
    {
      time: ago(180),
      approved: true,
      stage: "ai",
      by: null,
      strength: "relayed",
      notes: "The implementation follows the plan.",
      points: [],
      artifact: HASH,
      work: "77aa",
    },
    {
      time: ago(96),
      approved: false,
      stage: "human",
      by: "Ines Varga",
      strength: "terminal",
      notes: "Nearly there. The window must not depend on the day.",
      points: [
        { text: "This is reset at midnight.", at: { file: "src/http/rate-limit.ts", line: 27 } },
        { text: "What happens to a customer with two keys?", at: { field: "risk_analysis" } },
      ],
      artifact: HASH,
      work: "77aa",
    },
  ],
  points: [
    {
      text: "This is reset at midnight.",
      at: { file: "src/http/rate-limit.ts", line: 27 },
      since: "changed",
    },
    { text: "What happens to a customer with two keys?", at: { field: "risk_analysis" }, since: "same" },
  ],
  notes: [
    {
      by: "the agent that implemented it",
      text: "I moved the counting into the store, so that two servers share it.\nThe legacy headers were unused, so I removed them.",
    },
  ],
  level: "terminal",
};

/** With a claim of its own summary that the failed check contradicts, and two requests of the round before. */
export const REVIEW: Review = { ...FACTS, brief: briefOf(FACTS) };
