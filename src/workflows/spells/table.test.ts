import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderPage } from "../../../scripts/spells-docs.ts";
import source from "../../../test/fixtures/spells-source-rows.json" with { type: "json" };
import { promise } from "../../../test/rig/promise.ts";
import { agreesWithXState } from "../../../test/rig/xstate-oracle.ts";
import { check } from "../../engine/check.ts";
import { decide } from "../../engine/decide.ts";
import type { Facts, Rule } from "../../engine/workflow.ts";
import { ACTIONS } from "./actions.ts";
import { EFFECTS } from "./effects.ts";
import { parseReplyFile, REPLY_FILES } from "./reply-file.ts";
import { REPLY_NAMES } from "./reply-names.ts";
import { SPELLS_WORKFLOW as SPELLS } from "./table.ts";

interface SourceRow {
  readonly id: string;
  readonly spell: string;
  readonly next: Readonly<Record<string, string>>;
}

const SOURCE = source as unknown as readonly SourceRow[];
const SUPERSEDED = ["L1", "GCN2", "GCN3", "GN3", "F5", "ER7b"];

/** Source states that another rule takes: "any state except …" gives way to a rule that names the state. */
const GIVEN_WAY: Readonly<Record<string, readonly string[]>> = {
  F1: ["GATHER_EDITING", "ERROR_TASK_MISSING", "ERROR_TASK_RESULTS_MISSING"],
};

const PRESENT: Facts = {
  context: "present",
  context_urls: "none",
  plan: "present",
  plan_urls: "none",
  criteria: "open",
  task: "present",
  results: "present",
  comments: "missing",
  comments_fetch: "complete",
  review_task: "missing",
  review_results: "missing",
};

function rowOf(state: string, spell: string, facts: Facts, origin: string | null = null): string {
  const position = { state, variables: { reparo_origin: origin } };
  return decide(SPELLS, position, spell, { ...PRESENT, ...facts }).rule.id;
}

test("the table is proved: one rule for each combination, all reached, no trap, each reply matched", () => {
  promise("table.shipped");
  const report = check({ workflow: SPELLS, replies: REPLY_NAMES });
  expect(report.violations).toEqual([]);
  expect(report.counts).toMatchObject({ states: 26, events: 6, pairs: 156, rules: 128, replies: 128 });
});

test("XState, run on the exported table, decides as we do", () => {
  expect(agreesWithXState(SPELLS).decisions).toBeGreaterThan(500);
});

test("112 rules are the source's, in its states, with its spells and next states", () => {
  promise("spells.rules");
  const kept = SOURCE.filter((row) => !SUPERSEDED.includes(row.id));
  expect(kept).toHaveLength(112);
  for (const { id, spell, next } of kept) {
    const rule = SPELLS.rules.find((candidate) => candidate.id === id);
    expect(rule, id).toBeDefined();
    expect(rule?.on, id).toBe(spell);
    const expected = Object.entries(next).filter(([state]) => !GIVEN_WAY[id]?.includes(state));
    expect([...(rule?.from ?? [])].sort(), id).toEqual(expected.map(([state]) => state).sort());
    for (const [state, target] of expected) expect(outcomeOf(rule as Rule, state), id).toEqual(target);
  }
});

function outcomeOf(rule: Rule, state: string): string {
  if (rule.outcome === "blocked") return "BLOCKED";
  const target = typeof rule.to === "string" ? rule.to : rule.to[state];
  const same = target === "same";
  // The source writes some stays as the state's own name: those of Accio, and of Expecto where it changes files.
  const named = ["G3", "A4", "E1b", "E2"].includes(rule.id);
  return same ? (named ? state : "SAME") : (target ?? "nowhere");
}

test("every other rule is one for a hole, numbered from H1", () => {
  promise("spells.rules");
  const ids = new Set(SOURCE.map((row) => row.id));
  const own = SPELLS.rules.map((rule) => rule.id).filter((id) => !ids.has(id));
  expect(own.sort()).toEqual(Array.from({ length: 16 }, (_, at) => `H${at + 1}`).sort());
  expect(SPELLS.rules.filter((rule) => SUPERSEDED.includes(rule.id))).toEqual([]);
});

test("the names of the replies are those in the files", () => {
  const files = readdirSync(new URL("./replies/", import.meta.url)).map((name) => `replies/${name}`);
  expect([...REPLY_FILES].sort()).toEqual(files.sort());
  const names = REPLY_FILES.flatMap((name) => [
    ...parseReplyFile(readFileSync(new URL(name, import.meta.url), "utf8")).replies.keys(),
  ]);
  expect([...REPLY_NAMES].sort()).toEqual(names.sort());
  expect(names.length).toBe(128);
});

test("docs/internals/spells.md shows the table as it is: run scripts/spells-docs.ts after a change", () => {
  const page = readFileSync(new URL("../../../docs/internals/spells.md", import.meta.url), "utf8");
  expect(renderPage(page)).toBe(page);
  for (const state of Object.keys(SPELLS.states)) expect(page.split(`| \`${state}\` |`)).toHaveLength(3);
});

test("each rule that changes something says what casting it does or why not, and only known rules act on files", () => {
  const ids = SPELLS.rules.filter((rule) => rule.outcome !== "shown").map((rule) => rule.id);
  expect(Object.keys(EFFECTS).sort()).toEqual([...ids].sort());
  const moving = SPELLS.rules.filter((rule) => rule.outcome === "moved").map((rule) => rule.id);
  expect(Object.keys(ACTIONS).filter((id) => !moving.includes(id))).toEqual([]);
});

const MISSING = "missing";
const WORLDS: readonly [string, string, Facts, string, (string | null)?][] = [
  // A missing prerequisite is reported first: context, plan, task, results.
  ["ACHIEVE_TASK_DRAFTING", "accio", { plan: MISSING, task: MISSING }, "G2b"],
  ["ACHIEVE_TASK_EXECUTED", "accio", { plan: MISSING, results: MISSING }, "G2b"],
  ["ACHIEVE_TASK_EXECUTED", "accio", { task: MISSING, results: MISSING }, "A2b"],
  ["ACHIEVE_TASK_EXECUTED", "accio", { task: MISSING }, "H3"],
  ["ACHIEVE_COMPLETE", "accio", { plan: MISSING }, "A4"],
  // Completion beats execution when there is a criterion and every one is checked.
  ["ACHIEVE_TASK_DRAFTING", "accio", { criteria: "all-checked" }, "A3"],
  ["ACHIEVE_TASK_DRAFTING", "accio", { criteria: "none" }, "A1"],
  ["ACHIEVE_TASK_DRAFTING", "accio", { criteria: "all-checked", task: MISSING }, "A3"],
  ["ACHIEVE_TASK_DRAFTING", "accio", { criteria: "none", task: MISSING }, "A1b"],
  ["GATHER_EDITING", "accio", { criteria: "all-checked" }, "G4"],
  ["GATHER_EDITING", "accio", { criteria: "none" }, "G3"],
  ["GATHER_EDITING", "accio", { criteria: "all-checked", task: MISSING }, "G3"],
  ["GATHER_EDITING", "accio", { criteria: "open", task: MISSING }, "G2"],
  // The more advanced file wins.
  ["GATHER_EDITING", "reparo", { comments: "present", review_task: "present" }, "PR3"],
  ["GATHER_EDITING", "reparo", { comments: "present" }, "PR1"],
  ["ACHIEVE_COMPLETE", "reparo", { comments: "present", review_task: "present" }, "PR4"],
  // A rule that names a state beats a general one.
  ["GATHER_NEEDS_CONTEXT", "finite", {}, "F4"],
  ["GATHER_EDITING_CONTEXT", "finite", {}, "GCN1"],
  ["GATHER_EDITING", "finite", {}, "GN1"],
  ["ERROR_TASK_MISSING", "finite", {}, "ER5"],
  ["GATHER_NEEDS_CONTEXT", "expecto", {}, "GCB2"],
  ["PR_APPLIED_PENDING_ARCHIVE_A", "expecto", {}, "PB2d"],
  // Links, processed and not.
  ["GATHER_EDITING_CONTEXT", "accio", { context_urls: "all-processed" }, "GC2a"],
  ["GATHER_EDITING_CONTEXT", "expecto", { context_urls: "all-processed" }, "E4"],
  ["GATHER_EDITING_CONTEXT", "expecto", { context_urls: "some-unprocessed" }, "E1b"],
  ["GATHER_EDITING", "expecto", { plan_urls: "none" }, "E3b"],
  // The holes.
  ["GATHER_EDITING_CONTEXT", "expecto", { context: MISSING }, "H1"],
  ["GATHER_EDITING", "expecto", { plan: MISSING }, "H2"],
  ["PR_GATHERING_COMMENTS_A", "reverto", { task: MISSING }, "H5", "ACHIEVE_TASK_DRAFTING"],
  ["PR_GATHERING_COMMENTS_A", "reverto", { task: MISSING }, "H5", "ACHIEVE_TASK_EXECUTED"],
  ["PR_GATHERING_COMMENTS_A", "reverto", { task: MISSING }, "H5", "ACHIEVE_COMPLETE"],
  [
    "PR_GATHERING_COMMENTS_A",
    "reverto",
    { task: MISSING, criteria: "all-checked" },
    "H4",
    "ACHIEVE_COMPLETE",
  ],
  ["PR_GATHERING_COMMENTS_A", "reverto", { task: MISSING, results: MISSING }, "H6", "ACHIEVE_TASK_EXECUTED"],
  ["PR_GATHERING_COMMENTS_A", "reverto", { task: MISSING, results: MISSING }, "H6", null],
  ["ERROR_TASK_MISSING", "reparo", { comments: "present" }, "H7"],
  ["ERROR_TASK_RESULTS_MISSING", "reparo", { review_task: "present" }, "H8"],
  ["ERROR_REVIEW_TASK_MISSING_G", "reparo", { comments: "present" }, "H9"],
  ["ERROR_COMMENTS_MISSING_A", "reparo", { review_task: "present" }, "H10"],
  ["ERROR_REVIEW_TASK_RESULTS_MISSING_G", "accio", {}, "H11"],
  ["PR_GATHERING_COMMENTS_G", "reparo", { comments_fetch: "incomplete" }, "H15"],
  ["PR_GATHERING_COMMENTS_G", "reparo", {}, "PB4"],
];

test.each(WORLDS)("in %s %s with %o takes %s", (state, spell, facts, row, origin = null) => {
  expect(rowOf(state, spell, facts, origin)).toBe(row);
});

test("Reparo remembers if it was cast, and a review keeps that until it is left", () => {
  const complete = { state: "ACHIEVE_COMPLETE", variables: { reparo_origin: null } };
  const started = decide(SPELLS, complete, "reparo", PRESENT).after;
  expect(started).toEqual({
    state: "PR_GATHERING_COMMENTS_A",
    variables: { reparo_origin: "ACHIEVE_COMPLETE" },
  });
  const lost = decide(SPELLS, started, "accio", PRESENT).after;
  expect(lost.state).toBe("ERROR_COMMENTS_MISSING_A");
  const again = decide(SPELLS, lost, "reparo", { ...PRESENT, comments: "present" }).after;
  expect(again.state).toBe("PR_CONFIRM_RESTART_COMMENTS_A");
  expect(again.variables).toEqual({ reparo_origin: "ACHIEVE_COMPLETE" });
  const left = decide(SPELLS, again, "reverto", PRESENT).after;
  expect(left).toEqual({ state: "ACHIEVE_TASK_EXECUTED", variables: { reparo_origin: null } });
  // The task that was prepared last is there, too, where all is done.
  for (const results of ["present", "missing"]) {
    const back = decide(SPELLS, again, "reverto", { ...PRESENT, results, criteria: "all-checked" }).after;
    expect(back).toEqual({ state: "ACHIEVE_COMPLETE", variables: { reparo_origin: null } });
  }
});
