/** What the board's other pages show: a shop's project in the middle of a working day. */
import type * as Wire from "../../../src/surfaces/board/wire.ts";
import { ago, NOW, REVIEW } from "./review.ts";

export const MACHINE: Wire.Machine = {
  name: "alfred.implement_task",
  title: "Implement a task",
  states: [
    { name: "implement", description: "The agent works.", isFinal: false },
    { name: "ai_review", description: "The assistant looks at it.", isFinal: false },
    { name: "human_review", description: "A person decides.", isFinal: false },
    { name: "rework", description: "The agent works on what was asked for.", isFinal: false },
    { name: "implemented", description: "It goes on to the tests.", isFinal: true },
    { name: "abandoned", description: "It was given up.", isFinal: true },
  ],
  edges: [
    { from: "implement", to: "ai_review", labels: ["submit_work"] },
    { from: "ai_review", to: "human_review", labels: ["ai_approve", "pass_to_human"] },
    { from: "ai_review", to: "rework", labels: ["request_revision"] },
    { from: "human_review", to: "implemented", labels: ["human_approve"] },
    { from: "human_review", to: "rework", labels: ["human_reject"] },
    { from: "rework", to: "ai_review", labels: ["submit_work"] },
    { from: "rework", to: "abandoned", labels: ["abandon"] },
    { from: "implement", to: "abandoned", labels: ["abandon"] },
  ],
};

const item = (run: string, title: string, about: Partial<Wire.InboxItem>): Wire.InboxItem => ({
  project: "shop",
  run,
  title,
  kind: "gate",
  state: "human_review",
  next: "approve or reject the implementation",
  command: `pawl review ${run}`,
  since: ago(47),
  minutes: 8,
  ...about,
});

export const INBOX: Wire.Inbox = {
  items: [
    item(REVIEW.run, REVIEW.title, {}),
    item("bloom:checkout-tax", "Charge tax by the address of delivery", {
      kind: "question",
      question: "q-1",
      state: "asks",
      next: "Are prices in the catalogue with or without tax?",
      command: "pawl answer checkout-tax",
      since: ago(22),
      minutes: 1,
    }),
    item("alfred:SHOP-151", "Move invoices to the new printer", {
      next: "approve or reject the plan",
      state: "human_review",
      since: ago(18),
      minutes: 3,
    }),
    item("bloom:search-index", "Index products by their synonyms", {
      kind: "blocked",
      state: "blocked",
      next: "The merge conflicts in src/search/index.ts",
      command: "pawl task reset search-index",
      since: ago(14),
      minutes: null,
    }),
    item("spells:feature/gift-cards", "Gift cards", {
      project: "site",
      kind: "failed",
      state: "checks",
      next: "The check `e2e` fails on the branch",
      command: "pawl check",
      since: ago(9),
      minutes: 2,
    }),
  ],
};

const entry = (run: string, title: string, about: Partial<Wire.RunEntry> = {}): Wire.RunEntry => ({
  run,
  title,
  isBegun: true,
  isGate: about.awaits === "human",
  state: "implement",
  awaits: "agent",
  next: "the agent hands in its work",
  since: ago(30),
  problem: null,
  ...about,
});

export const RUNS: Wire.Runs = {
  workflows: [
    {
      name: "alfred",
      title: "Alfred",
      problem: null,
      runs: [
        entry(REVIEW.run, REVIEW.title, {
          state: "human_review",
          awaits: "human",
          next: "approve or reject",
          since: ago(47),
        }),
        entry("alfred:SHOP-151", "Move invoices to the new printer", {
          state: "human_review",
          awaits: "human",
        }),
        entry("alfred:SHOP-149", "Show the stock of each branch", { awaits: "assistant", state: "plan" }),
        entry("alfred:SHOP-120", "Round prices half to even", {
          state: "done",
          awaits: "nobody",
          next: "nothing: it is over",
          since: ago(4_000),
        }),
      ],
    },
    {
      name: "bloom",
      title: "Bloom",
      problem: null,
      runs: [
        entry("bloom:checkout-tax", "Charge tax by the address of delivery", {
          state: "asks",
          awaits: "human",
        }),
        entry("bloom:search-index", "Index products by their synonyms", {
          problem: {
            code: "state-unreadable",
            message: ".pawl/bloom/search-index.json is not JSON: line 4",
            fix: "Mend the file, or pawl repair",
          },
        }),
        entry("bloom:mail-queue", "Send mails from a queue", { state: "step 2 of 5" }),
      ],
    },
  ],
};

export const RUN: Wire.RunPage = {
  task: null,
  entry: RUNS.workflows[0]?.runs[0] ?? entry("alfred:SHOP-142", ""),
  machine: MACHINE,
  at: "human_review",
  moves: [
    {
      event: "human_approve",
      description: "The work is good.",
      by: "a person",
      leads: ["to implemented"],
      refused: null,
    },
    {
      event: "human_reject",
      description: "The work needs another round.",
      by: "a person",
      leads: ["to rework"],
      refused: null,
    },
    {
      event: "submit_work",
      description: "",
      leads: [],
      by: "the assistant",
      refused: "The work is being judged: it was handed in 47 minutes ago.",
    },
    {
      event: "abandon",
      description: "",
      leads: [],
      by: "a person",
      refused: "A run is abandoned while it is worked on, not while it is judged.",
    },
  ],
  story: "# SHOP-142\n\n- 09:12 began\n- 09:18 the plan was handed in\n- 09:31 Ines approved the plan\n",
  timeline: [
    { time: ago(220), words: "The plan was handed in.", by: "mcp", usd: 0.61, duration_ms: 371_000 },
    {
      time: ago(205),
      words: "Approved: the plan.",
      by: "Ines Varga, terminal",
      usd: null,
      duration_ms: null,
    },
    {
      time: ago(184),
      words: "The implementation was handed in.",
      by: "mcp",
      usd: 1.94,
      duration_ms: 1_020_000,
    },
    {
      time: ago(96),
      words: "Rejected, with 2 points: Nearly there. The window must not depend on the day.",
      by: "Ines Varga, terminal",
      usd: null,
      duration_ms: null,
    },
    {
      time: ago(47),
      words: "The implementation was handed in again.",
      by: "mcp",
      usd: 0.87,
      duration_ms: 640_000,
    },
  ],
};

/** A run of an own workflow whose agent's order waits for a person. */
export const HELD: Wire.RunPage = {
  ...RUN,
  entry: entry("review:terms", "Review terms", {
    ...{ state: "writing", awaits: "human", isGate: false, since: ago(12) },
    next: "the agent writer cannot go on: its answer was refused twice; `pawl cast review:terms` lets it try again",
    order: {
      why: "unclear",
      words:
        "The agent writer cannot go on: its answer was refused twice: There is no JSON object in your last message. `verdict` is not one of good, bad",
    },
  }),
};

type Card = Wire.Tasks["tasks"][number];

const task = (id: string, title: string, about: Partial<Card>): Card => ({
  id,
  run: `bloom:${id}`,
  title,
  column: "open",
  state: "todo",
  dependsOn: [],
  agent: null,
  step: null,
  since: null,
  usd: null,
  tail: [],
  parent: null,
  lastRun: null,
  agentRun: null,
  reason: null,
  questions: [],
  awaitsVerdict: about.column === "waiting" && about.questions === undefined,
  failed: null,
  ...about,
});

export const TASKS: Wire.Tasks = {
  accounts: [
    {
      ...{ agent: "claude", account: "3f2a91c0", state: "limited", resets_at: "2026-03-01T15:02:00.000Z" },
      ...{ source: "event", until: "2026-03-01T15:02:30.000Z", words: "claude rests until 15:02" },
    },
    {
      ...{ agent: "codex", account: "91cc0e2f", state: "open", resets_at: "2026-03-01T16:40:00.000Z" },
      ...{ source: "quota", until: null, words: "codex is open, with 59 % of its 5_hour quota until 16:40" },
    },
  ],
  tasks: [
    task("checkout-tax", "Charge tax by the address of delivery", {
      column: "waiting",
      state: "asks",
      since: ago(22),
      usd: 1.1,
      questions: [
        {
          id: "q-1",
          text: "Are prices in the catalogue with or without tax?\nThe importer says with, the invoice adds it again.",
          since: ago(22),
        },
      ],
    }),
    task("gift-cards", "Sell gift cards", {
      column: "waiting",
      state: "waiting_for_human",
      since: ago(3),
      usd: 0.92,
      reason: "Its work is to be approved before it is merged.",
    }),
    task("search-index", "Index products by their synonyms", {
      column: "blocked",
      state: "blocked",
      reason: "The merge conflicts in src/search/index.ts.",
      failed: { command: "npm test", exit: 1, tail: " FAIL test/search.test.ts\n 1 failed | 41 passed" },
      since: ago(14),
      usd: 2.37,
    }),
    task("mail-queue", "Send mails from a queue", {
      column: "working",
      state: "in progress",
      agent: "claude",
      step: { title: "Write the worker", index: 2, of: 5 },
      since: ago(6),
      usd: 0.84,
      tail: [
        "Reading src/mail/send.ts",
        "The retry belongs into the queue, not into the sender, which then only knows how to send one mail.",
        "$ npm test -- mail",
        " ✓ 14 tests passed",
      ],
    }),
    task("stock-view", "Show the stock of each branch", {
      column: "working",
      state: "in progress",
      agent: "codex",
      step: { title: "Implement", index: 3, of: 4 },
      since: ago(19),
      usd: 1.52,
      tail: ["$ npx tsc --noEmit"],
    }),
    task("invoice-pdf", "Print invoices as PDF/A", { dependsOn: ["checkout-tax"] }),
    task("invoice-mail", "Mail invoices", { dependsOn: ["invoice-pdf", "mail-queue"] }),
    task("synonym-editor", "Edit synonyms in the back office", { dependsOn: ["search-index"] }),
    task("round-prices", "Round prices half to even", {
      column: "done",
      state: "done",
      since: ago(400),
      usd: 0.44,
    }),
    task("clock-port", "One clock for all", { column: "done", state: "done", since: ago(800), usd: 0.91 }),
  ],
  overlaps: [
    { tasks: ["invoice-pdf", "checkout-tax"], files: ["src/invoice/total.ts", "src/invoice/lines.ts"] },
  ],
  problem: null,
};

export const WORKFLOWS: Wire.WorkflowsPage = {
  workflows: [
    {
      name: "alfred",
      title: "Alfred",
      summary: "One task through gates: start, plan, implement, review, test, finalize.",
      problem: null,
      tables: [
        {
          machine: MACHINE,
          proof: {
            holds: true,
            words: [
              "Exactly one rule applies in each of 212 configurations, for every event and fact.",
              "Every state and every rule is reached.",
              "No state is a trap.",
            ],
          },
          events: ["submit_work", "ai_approve", "human_approve", "human_reject", "abandon"],
          facts: { tree_is_clean: ["yes", "no"], review_stage: ["ai", "human"] },
        },
        {
          machine: { ...MACHINE, name: "alfred.plan_task", title: "Plan a task" },
          proof: {
            holds: false,
            words: ["In `rework`, on `abandon`, with tree_is_clean = no: no rule applies."],
          },
          events: ["submit_work"],
          facts: {},
        },
      ],
    },
    {
      name: "own",
      title: "Release",
      summary: "Our own way to a release.",
      problem: {
        code: "workflow-file",
        message: "workflows/release.yaml, line 12: `when` names the fact `greeen`, which is not declared.",
        fix: "Declare it under facts:, or correct the name.",
      },
      tables: [],
    },
  ],
};

export const COST: Wire.CostPage = {
  rows: ["SHOP-142", "SHOP-149", "SHOP-151", "checkout-tax", "mail-queue", "search-index"].flatMap(
    (name, at) =>
      (["first try", "retry", "rework", "conflict"] as const).slice(0, 1 + (at % 4)).map((cause, step) => ({
        day: new Date(NOW - (at + step) * 86_400_000).toISOString().slice(0, 10),
        task: name,
        agent: at % 2 ? "codex" : "claude",
        cause,
        usd: 1.7 / (step + 1) + at * 0.13,
        tokens: 410_000 / (step + 1),
        minutes: 14 / (step + 1) + at,
        runs: 1,
        withoutUsd: 0,
        withoutTokens: 0,
        accepted: step === 0 || cause === "rework",
      })),
  ),
};
