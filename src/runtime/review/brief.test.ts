import { expect, test } from "vitest";
import { NO_FACTS } from "../../../test/rig/review-facts.ts";
import { briefLines, briefOf, restOfArtifact, restOfClaims, valueLines } from "./brief.ts";
import type { ReviewFacts, ReviewFile } from "./model.ts";
import { NO_REPOSITORY } from "./work-changes.ts";

const file = (path: string, about: Partial<ReviewFile> = {}): ReviewFile => ({
  ...{ path, added: 1, deleted: 1, group: "other", item: null, isNew: null },
  ...{ isOutside: false, folded: null, ...about },
});

const of = (about: Partial<ReviewFacts>): ReviewFacts => ({ ...NO_FACTS, ...about });
const changes = (files: readonly ReviewFile[], about: object = {}): ReviewFacts["changes"] => ({
  ...{ kind: "changes", repo: null, base: "main", from: "a", to: "b" },
  ...{ files, untouched: [], lastJudged: null, since: [] },
  ...about,
});
const check = (
  name: string,
  state: "passed" | "failed" | "running" | "unknown",
  exit: number | null = null,
) => ({
  ...{ name, state, exit, command: name, duration_ms: null, tail: "", log: null, on: null },
});

test("a failed check, weakened CI and files outside the plan stand first, and ask once more", () => {
  const facts = of({
    checks: [check("lint", "passed", 0), check("test", "failed", 1), check("types", "running")],
    claims: [
      { about: "diff", found: "9 files", verdict: "differs" },
      { about: "git", claim: "clean", found: "dirty", verdict: "differs" },
    ],
    changes: changes([
      file("ci.yml", { group: "process", item: "CI", isOutside: true, weakens: "npm test || true" }),
      file("a.test.ts", { group: "process", item: "tests" }),
      file("x.ts", { isOutside: true }),
    ]),
  });
  const { against, chips } = briefOf(facts);
  expect(chips.map(({ place, tone, words }) => [tone, words, place])).toEqual([
    ["bad", "test failed (exit 1)", "checks"],
    ["bad", "git differs from what was reported", "claims"],
    ["bad", "CI weakened", "file ci.yml"],
    ["open", "types is still running", "checks"],
    ["open", "2 outside the plan", "file ci.yml"],
    ["warn", "tests changed", "file a.test.ts"],
    ["good", "lint passed", "checks"],
  ]);
  expect(against).toEqual(chips.slice(0, 5).map(({ words }) => words));
  expect(restOfClaims(facts)).toEqual([]);
});

test("changes that are not known ask once more, except where there is no repository", () => {
  const against = (reason: string) => briefOf(of({ changes: { kind: "unavailable", reason } })).against;
  expect(against("git failed")).toEqual(["the changes are not known"]);
  expect(against(NO_REPOSITORY)).toEqual([]);
});

test("the agent's words stand beside the check that contradicts them, in each spelling of success", () => {
  const said = (text: string, state: "failed" | "passed" = "failed") =>
    briefOf(
      of({
        checks: [check("test", state, 1)],
        artifact: { name: "implementation", value: { testing_notes: text }, sha256: "" },
      }),
    ).said;
  for (const text of ["npm test passes", "All checks are green.", "The whole test suite succeeded"])
    expect(said(text)).toEqual([{ title: "Testing notes", text, differs: "test failed (exit 1)" }]);
  for (const text of ["2 tests do not pass", "I ran the tests.", "The build failed"])
    expect(said(text)[0]?.differs).toBeNull();
  expect(said("npm test passes", "passed")[0]?.differs).toBeNull();
});

test("a criterion is named by what shares its numbers and names, and none is invented", () => {
  const { criteria } = briefOf(
    of({
      criteria: [
        { text: "429 after ten requests", check: null },
        { text: "configurable by `PRICE_LIMIT`", check: null },
        { text: "other routes are not limited", check: null },
      ],
      deeds: [{ id: "S-1", words: "429 with Retry-After on /price only" }],
      artifact: { name: "x", value: { summary: "Ready. `PRICE_LIMIT` sets it." }, sha256: "" },
      changes: changes([file("test/requests-429.test.js", { group: "process", item: "tests" })]),
    }),
  );
  expect(criteria.map(({ speaks }) => speaks)).toEqual([
    ["plan S-1", "test/requests-429.test.js"],
    ['the agent: "`PRICE_LIMIT` sets it."'],
    [],
  ]);
  expect(criteria.map(({ check }) => check.words)).toEqual([
    "no check",
    "no check",
    "no check: read it yourself",
  ]);
});

test("what is handed in again to the letter deals with nothing, and git need not be there to see it", () => {
  const round = { time: "", stage: "human", by: null, strength: null, points: [], work: null };
  const artifact = { name: "plan", value: { strategy: "as it was" }, sha256: "5ea1" };
  const lastOf = (sha256: string, about: Partial<ReviewFacts>) => {
    const history = [{ ...round, approved: false, notes: "Name the risk.", artifact: sha256 }];
    const points = [{ text: "Say how", since: "unknown" as const }];
    const { against, last } = briefOf(of({ artifact, history, points, ...about }));
    return [...last.map(({ became }) => became), ...against];
  };
  const again = "the same was handed in again";
  const noGit = { kind: "unavailable", reason: NO_REPOSITORY } as const;
  const same = [again, again, "2 of 2 requests as before"];
  expect(lastOf("5ea1", {})).toEqual(same);
  expect(lastOf("5ea1", { changes: noGit })).toEqual(same);
  expect(lastOf("5ea1", { changes: changes([], { lastJudged: "77aa" }) })).toEqual(same);
  const unknown = ["look yourself", "look yourself"];
  expect(lastOf("0ther", {})).toEqual(unknown);
  // The words are the same, and the files are not; or nobody knows whether they are.
  const since = [file("src/limit.js")];
  expect(lastOf("5ea1", { changes: changes(since, { lastJudged: "77aa", since }) })).toEqual(unknown);
  expect(lastOf("5ea1", { changes: changes([]) })).toEqual(unknown);
});

test("what was asked last time is dealt with where the file changed or was put back", () => {
  const round = {
    time: "",
    stage: "human",
    by: null,
    strength: null,
    points: [],
    artifact: null,
    work: null,
  };
  const { chips, last } = briefOf(
    of({
      history: [{ ...round, approved: false, notes: "Take `|| true` out of ci.yml, and table.js too." }],
      points: [
        { text: "Why 10?", at: { file: "src/limit.js", line: 2 }, since: "changed" },
        { text: "Name the unit", since: "unknown" },
      ],
      changes: changes([file("src/limit.js"), file("src/table.js")], {
        lastJudged: "77aa",
        since: [file("src/limit.js"), file(".github/ci.yml")],
      }),
    }),
  );
  expect(last).toEqual([
    { text: "src/limit.js:2: Why 10?", is: "dealt", became: "limit.js changed" },
    { text: "Name the unit", is: "unknown", became: "look yourself" },
    {
      ...{ text: "Take `|| true` out of ci.yml, and table.js too.", is: "open" },
      became: "ci.yml put back, table.js as before",
    },
  ]);
  expect(chips.map(({ words }) => words)).toEqual(["1 of 3 requests as before"]);
});

test("the files are counted once, with what is folded and why", () => {
  const files = [
    file("a.ts"),
    file("b.png", { folded: "image" }),
    file("c.png", { folded: "image" }),
    file("d.js", { folded: "generated: minified" }),
    file("e.js", { folded: "1,502 lines" }),
  ];
  const size = { files: 5, toRead: 1, lines: 9, minutes: 3 };
  expect(briefOf(of({ changes: changes(files), size })).files).toBe(
    "5 files: 1 to read (3 min), 4 folded (2 images, 1 generated, 1 long)",
  );
});

test("a value is labels and texts, without JSON and names of fields", () => {
  expect(
    valueLines({ testing_notes: "one\ntwo", slots: [{ slot_id: "S-1", done: true }], none: [] }),
  ).toEqual(["Testing notes:", "  one", "  two", "Slots:", "  - Slot id: S-1", "    Done: true"]);
  const artifact = { name: "x", value: { summary: "said", risks: ["a"], slots: [1] }, sha256: "" };
  const choices = [{ field: "risks", words: ["a"] }] as unknown as ReviewFacts["choices"];
  expect(restOfArtifact({ artifact, choices })).toEqual({ slots: [1] });
});

test("its lines name each kind once", () => {
  const criteria = ["one", "two"].map((text) => ({ text, check: null }));
  const brief = briefOf(of({ criteria, checks: [check("test", "failed", 1)] }));
  expect(briefLines(brief).map(({ head, text }) => [head, text])).toEqual([
    ["", "x test failed (exit 1)"],
    ["TASK", "one (no check: read it yourself)"],
    ["", "two (no check: read it yourself)"],
  ]);
});

test("each criterion stands with how its check ended, and one that is not shown to be met asks once more", () => {
  const criterion = (state: "passed" | "failed" | "empty" | "not-run") => ({
    text: state,
    check: { command: "make\n it", state },
  });
  const brief = briefOf(of({ criteria: (["passed", "failed", "empty", "not-run"] as const).map(criterion) }));
  expect(briefLines(brief).map(({ text, tone }) => [tone, text])).toEqual([
    ["bad", "x 3 of 4 checked criteria not shown to be met"],
    ["good", "passed (`make it` passed)"],
    ["bad", "failed (`make it` failed)"],
    ["bad", "empty (`make it` looked at nothing)"],
    ["open", "not-run (`make it` was not run on this work)"],
  ]);
  expect(brief.against).toEqual(["3 of 4 checked criteria not shown to be met"]);
  const against = (states: readonly ("passed" | "not-run")[]) =>
    briefOf(of({ criteria: states.map(criterion) })).chips;
  expect(against(["passed", "not-run"])).toMatchObject([
    { tone: "open", words: "1 of 2 checked criteria not shown to be met" },
  ]);
  expect(against(["passed"])).toEqual([]);
});

test("a check that ran no test is named, and asks once more only if it failed", () => {
  const checks = [
    { ...check("unit", "passed", 0), empty: true as const },
    { ...check("e2e", "failed", 5), empty: true as const },
  ];
  const { against, chips } = briefOf(of({ checks }));
  expect(chips.map(({ tone, words }) => [tone, words])).toEqual([
    ["bad", "e2e looked at nothing"],
    ["warn", "unit looked at nothing"],
  ]);
  expect(against).toEqual(["e2e looked at nothing"]);
});
