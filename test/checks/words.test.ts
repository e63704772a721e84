/** The words of the glossary: names that were given up do not come back. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { belowOf, shownCommand } from "../../src/core/command-groups.ts";
import { phaseOf } from "../../src/runtime/reports/state-words.ts";
import { waitingIn } from "../../src/runtime/review/queue.ts";
import type { RunOverview } from "../../src/runtime/transaction/transaction.ts";
import { paintOf } from "../../src/surfaces/cli/terminal/terminal.ts";
import { rowsOf } from "../../src/surfaces/cli/watch/rows.ts";
import { renderStatus } from "../../src/surfaces/cli/work/status.ts";
import { promise } from "../rig/promise.ts";

const SRC = resolve(import.meta.dirname, "../../src");
const FILES = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

/** What is given up, and what is said in its place. */
const RETIRED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Position|(?:initial|starting|check)Positions?)\b/, "configuration"],
  [/\b(?:keptNames|keptAtFirst)\b|\bkept facts?\b/i, "variable"],
  [/\bobserved facts?\b/i, "input"],
  [/\b(?:Refusal|refuse\(workflow)\b/, "guard"],
  [
    /\b(?:Bell|openBell|Patience|openPatience|patiently|Errand|errand(?:Prompt|Text|Of))\b/,
    "signal, retry policy, purpose",
  ],
  [
    /\b(?:MergeTrains|openPlaces|Worked|AnyAdvance|attemptOnce|commitCame)\b/,
    "queue, slots, cache entry, transaction",
  ],
  [/\bgone on with\b|\bgoes on with\b/, "resumed"],
  [/expected a text\b/, "expected a string"],
  [
    /\bNo run yet\b|\bmore not (?:begun|started)\b|\bwaiting for (?:you|an agent)\b/,
    "runtime/reports/state-words.ts",
  ],
];

it.each(RETIRED)("%s is not said in src: it is called %s", (word, instead) => {
  expect(FILES.length).toBeGreaterThan(400);
  const found = FILES.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, at) => (word.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(found, instead).toEqual([]);
});

/** Whatever shows a run's state, with the name by which it is imported. */
const SHOWS_STATES = [
  "surfaces/cli/work/status.ts",
  "surfaces/cli/work/review.ts",
  "surfaces/cli/watch/rows.ts",
  "surfaces/cli/watch/screen.ts",
  "surfaces/board/client/pages/inbox.tsx",
  "surfaces/board/client/pages/runs.tsx",
  "surfaces/board/client/pages/tasks.tsx",
];

it.each(SHOWS_STATES)("%s has its words for states from the one list", (name) => {
  const text = readFileSync(join(SRC, name), "utf8");
  expect(text).toMatch(/import \{[^}]+\} from "[./]+\/runtime\/reports\/state-words\.ts";/);
  expect(text).not.toMatch(/>\{(?:task|item|entry)\.state\}|text=\{(?:task|item|entry)\.state\}/);
});

it("states are said in the same words in status, in watch and by phase", () => {
  promise("cli.readable");
  const run = (more: Partial<RunOverview>): RunOverview => ({
    ...{ run: "a:1", title: "T", state: "in_review", awaits: "human", next: "decide it" },
    ...{ since: "2026-01-31T10:00:00.000Z", ...more },
  });
  const paint = paintOf(false);
  const now = new Date("2026-01-31T10:00:05.000Z");
  const shown = (each: RunOverview) => {
    const workflow = { name: "a", title: "A", summary: "s", runs: [each] };
    const row = rowsOf(waitingIn(each), [workflow])[0];
    return { row, status: renderStatus([workflow], "/p", { columns: 80, paint }, now) };
  };
  const rows = [
    [run({}), "yours", "review", "    in review\n    waits for you: decide it"],
    [run({ state: "waiting_for_human" }), "yours", "review", "    waits for you: decide it"],
    [run({ awaits: "assistant" }), "working", "in review", "    in review\n    waits for the assistant: "],
    [
      run({ awaits: "agent", state: "working" }),
      "working",
      "working",
      "    working\n    waits for an agent: ",
    ],
    [
      run({ awaits: "nobody", state: "target_red" }),
      "waiting",
      "waits for its target",
      "    waits for its target: ",
    ],
    [run({ awaits: "nobody", next: "nothing" }), "done", "in review", "    in review\n"],
    [run({ awaits: "nobody", since: null }), "open", null, "1 not begun"],
  ] as const;
  for (const [each, phase, state, status] of rows) {
    const own = each.awaits === "human" ? { ...each, waitsFor: "gate" as const } : each;
    expect(phaseOf(own)).toBe(phase);
    const found = shown(own);
    expect(found.status).toContain(status);
    expect(found.status).not.toMatch(/[a-z]_[a-z]/);
    expect(found.row?.state ?? null).toBe(state);
    if (found.row) expect(found.row.section).toBe(phase);
  }
});

/** Called by programs, which need no group: the guard's hooks, and an assistant's shell. */
const BY_PROGRAMS: readonly string[] = ["guard", "call"];

it("texts name commands as the help shows them", () => {
  const called = new Set(
    FILES.flatMap(({ text }) => text.match(/(?<![\w/.$-])pawl [a-z]+(?: [a-z]+)?/g) ?? []),
  );
  expect(called.size).toBeGreaterThan(50);
  const old = [...called].filter((line) => {
    const [, first = "", second] = line.split(" ");
    const isShown = shownCommand(first) === first || BY_PROGRAMS.includes(first);
    return !isShown && (second === undefined || belowOf(first)[second] === undefined);
  });
  expect(old, "see core/command-groups.ts").toEqual([]);
});
