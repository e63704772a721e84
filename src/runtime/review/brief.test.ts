import { expect, test } from "vitest";
import { NO_FACTS } from "../../../test/rig/review-facts.ts";
import { briefLines, briefOf, fileMarks, restOfArtifact, restOfClaims, valueLines } from "./brief.ts";
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

test("changes that are not known ask once more, except if there is no repository", () => {
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
  for (const text of [
    "npm test passes",
    "All checks are green.",
    "The check passed",
    "The whole test suite succeeded",
    "The suite is clean",
    "999 passed",
    "12/12 passing, all green",
    "The lint run\nis bad, the build is green",
    "At first the tests did not pass. Now everything passes.",
  ])
    expect(said(text)).toEqual([{ title: "Testing notes", text, differs: "test failed (exit 1)" }]);
  for (const text of [
    "2 tests do not pass",
    "The tests don't pass",
    "Not all tests pass",
    "The tests didn’t pass",
    "The checks cannot pass",
    "The suite fails to pass",
    "I ran the tests.",
    "Tests: 996 passed, 3 failed",
    "996 passed and 3 failed",
    "I ran the tests; it is green outside",
    "The build failed",
    "The attests pass",
    "The tests ran through passages",
  ])
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

test("what was asked last time is dealt with if the file changed or was put back", () => {
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
    ["bad", "empty (`make it` ran no test)"],
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
    ["bad", "e2e ran no test"],
    ["warn", "unit ran no test"],
  ]);
  expect(against).toEqual(["e2e ran no test"]);
  const notes = [{ by: "claude", text: "All 12 tests pass" }] as unknown as ReviewFacts["notes"];
  expect(briefOf(of({ checks, notes })).said[0]?.differs).toBe("unit ran no test, e2e ran no test");
});

test("what the agent says stands in its order, with what was found instead, and one chip for all that differs", () => {
  const choices = [{ field: "risks", words: ["none"] }] as unknown as ReviewFacts["choices"];
  const about: Partial<ReviewFacts> = {
    choices,
    checks: [check("test", "failed"), check("lint", "failed", 2)],
    artifact: {
      ...{ name: "implementation", sha256: "" },
      value: { summary: "All tests pass", risks: "none", empty: " \n", count: 3, _other_words: "w" },
    },
    claims: [
      { about: "git", claim: "clean", found: "dirty", verdict: "differs" },
      { about: "files", claim: "2", found: "2", verdict: "agrees" },
      { about: "diff", found: "9 files", verdict: "differs" },
    ],
    notes: [{ by: "claude", text: "Done" }],
  };
  const brief = briefOf(of(about));
  expect(brief.said).toEqual([
    { title: "Summary", text: "All tests pass", differs: "test failed, lint failed (exit 2)" },
    { title: "Other words", text: "w", differs: null },
    { title: "git", text: "clean", differs: "dirty" },
    { title: "claude", text: "Done", differs: null },
  ]);
  expect(brief.chips).toEqual([
    { tone: "bad", words: "test failed", place: "checks" },
    { tone: "bad", words: "lint failed (exit 2)", place: "checks" },
    { tone: "bad", words: "the agent says otherwise", place: "said" },
    { tone: "bad", words: "git differs from what was reported", place: "claims" },
    { tone: "bad", words: "diff differs from what was reported", place: "claims" },
  ]);
  expect(briefOf(of({ ...about, artifact: null })).chips.map(({ words }) => words)).not.toContain(
    "the agent says otherwise",
  );
  expect(briefOf(of({ artifact: { name: "x", value: ["All tests pass"], sha256: "" } })).said).toEqual([]);
});

test("nothing to speak of gives no chips", () => {
  expect(briefOf(of({ changes: changes([]) })).chips).toEqual([]);
});

test("a claim about the files is not said again beside a list of files that shows it", () => {
  const claims = ["diff", "process files", "git"].map((about) => ({
    ...{ about, found: "f", verdict: "differs" as const },
  }));
  const about = (facts: Partial<ReviewFacts>) => {
    const review = of({ claims, ...facts });
    const chips = briefOf(review).chips.filter(({ place }) => place === "claims");
    return [chips.map(({ words }) => words.split(" differs")[0]), restOfClaims(review).map((c) => c.about)];
  };
  const all = ["diff", "process files", "git"];
  expect(about({ changes: changes([file("a")]) })).toEqual([["git"], ["git"]]);
  expect(about({ changes: changes([]) })).toEqual([all, all]);
  expect(about({})).toEqual([all, all]);
  expect(about({ changes: { kind: "unavailable", reason: "" } })).toEqual([all, all]);
});

test("claims are left if neither the files nor the agent's words show them", () => {
  const claims = [
    { about: "git", claim: "clean", found: "dirty", verdict: "differs" },
    { about: "test", claim: "passed", found: "passed", verdict: "agrees" },
    { about: "lint", found: "failed", verdict: "differs" },
  ] as const;
  expect(restOfClaims(of({ claims })).map(({ about }) => about)).toEqual(["test", "lint"]);
});

test("checks that are not known, planned files that are as before and each kind of process file have a chip", () => {
  const facts = of({
    checks: [check("test", "unknown"), check("lint", "failed"), check("lint", "failed")],
    changes: changes(
      [
        file("b.test.ts", { group: "process", item: "tests" }),
        file("a.test.ts", { group: "process", item: "tests", weakens: "it.skip" }),
        file("c.test.ts", { group: "process", item: "tests" }),
        file(".env", { group: "process", item: "config" }),
        file("c.ts", { isOutside: true }),
      ],
      { untouched: ["x.ts", "y.ts"] },
    ),
  });
  expect(briefOf(facts).chips).toEqual([
    { tone: "bad", words: "lint failed", place: "checks" },
    { tone: "bad", words: "tests weakened", place: "file a.test.ts" },
    { tone: "open", words: "test was not run", place: "checks" },
    { tone: "open", words: "1 outside the plan", place: "file c.ts" },
    { tone: "open", words: "2 planned, not changed", place: "changes" },
    { tone: "warn", words: "config changed", place: "file .env" },
  ]);
  const unknown = (reason: string) => briefOf(of({ changes: { kind: "unavailable", reason } })).chips;
  expect(unknown(NO_REPOSITORY)).toMatchObject([{ tone: "warn", place: "changes" }]);
  expect(unknown("git failed")).toMatchObject([{ tone: "open", place: "changes" }]);
});

test.each<[string, Partial<ReviewFile>, readonly string[]]>([
  ["a plain one", {}, []],
  ["a renamed one", { was: "a.ts" }, ["was a.ts"]],
  ["an item of the plan", { group: "plan", item: "S-1" }, ["S-1"]],
  ["one that needs no reading", { group: "folded", item: "S-1", folded: "image" }, ["folded: image"]],
  ["tests that are not planned", { item: "tests", isOutside: true }, ["tests", "outside the plan"]],
  ["one in the list of those outside", { group: "outside-plan", isOutside: true }, []],
  ["a link, weakened", { leads: "to /etc", weakens: "|| true" }, ["to /etc", "weakened: || true"]],
])("a file is marked by what a reader should know: %s", (_, about, marks) => {
  expect(fileMarks(file("x.ts", about))).toEqual(marks);
});

test("a point is dealt with by what became of its place", () => {
  const round = {
    time: "",
    stage: "human",
    by: null,
    strength: null,
    points: [],
    artifact: null,
    work: null,
  };
  const at = { file: "a.ts", line: null };
  const points = (["changed", "same", "unknown"] as const).map((since) => ({ text: since, at, since }));
  const history = [
    { ...round, approved: false, notes: " \n" },
    { ...round, stage: "ai", approved: true, notes: "" },
  ];
  const last = (about: Partial<ReviewFacts>) => briefOf(of({ history, points, ...about })).last;
  // Nobody knows what changed since: the point itself says.
  expect(last({}).map(({ became, is }) => [is, became])).toEqual([
    ["dealt", "changed"],
    ["open", "as before"],
    ["unknown", "look yourself"],
  ]);
  // A field of what was handed in is no file.
  const field = [{ text: "Why?", at: { field: "risks" }, since: "changed" as const }];
  const since = [file("a.ts", { was: "old.ts" })];
  const git = { changes: changes(since, { lastJudged: "77aa", since }) };
  expect(last({ ...git, points: field })).toEqual([
    { text: "field risks: Why?", is: "dealt", became: "changed" },
  ]);
  // An approval, or an AI's rejection, asks for nothing.
  expect(last({ history: [{ ...round, approved: true, notes: "Fine" }] })).toEqual([]);
  expect(last({ history: [{ ...round, stage: "ai", approved: false, notes: "No" }] })).toEqual([]);
  const named = (notes: string) =>
    last({ ...git, points: [], history: [{ ...round, approved: false, notes }] }).map(({ became }) => became);
  expect(named(" a.ts: why?")).toEqual(["a.ts changed"]);
  expect(named("Not my-a.ts but a.ts")).toEqual(["a.ts changed"]);
  expect(named("old.ts")).toEqual(["old.ts changed"]);
  for (const notes of ["xa.ts", "a.tsx", "my-a.ts", "a.ts-old", "b"])
    expect(named(notes)).toEqual(["look yourself"]);
  const brief = briefOf(of({ history: [{ ...round, approved: false, notes: " Say why \n" }] }));
  expect(brief.last).toEqual([{ text: "Say why", is: "unknown", became: "look yourself" }]);
  // What has no hash cannot be known to be the same.
  expect(briefOf(of({ points, history, artifact: null })).chips).toEqual([
    { tone: "bad", words: "1 of 3 requests as before", place: "last" },
  ]);
});

test("notes that name many files follow eight of them", () => {
  const files = Array.from({ length: 9 }, (_, at) => file(`f${at}.ts`));
  const round = {
    time: "",
    stage: "human",
    by: null,
    strength: null,
    points: [],
    artifact: null,
    work: null,
  };
  const notes = files.map(({ path }) => path).join(" ");
  const { last } = briefOf(
    of({
      history: [{ ...round, approved: false, notes }],
      changes: changes(files, { lastJudged: "77aa", since: files }),
    }),
  );
  expect(last[0]?.became.split(", ")).toHaveLength(8);
});

test.each([
  ["words of four letters, by their beginning", "limits requests", "limited request", true],
  ["one word alone", "limits requests", "limited", false],
  ["shorter words", "get the key", "get the key", false],
  ["words that every text has", "before other there", "before other there", false],
  ["a number", "after 10 s", "10 s", true],
  ["a digit", "after 5 s", "5 s", false],
  ["a number of a name", "answers 429", "test-429", true],
  ["a number within a word", "a2b3c answers", "2b3 answers", false],
  ["a name in code", "sets a_b", "a_b", true],
  ["a route", "on /api", "on /api", true],
  ["a route within a path", "on /api", "on x/api", false],
  ["a path's parts", "limit-route", "limit/route", true],
  ["words of any case and script", "Größe ÄNDERN", "größe ändern", true],
  ["signs", "+++", "+++", false],
])("a criterion is named by %s", (_, criterion, words, isNamed) => {
  const { criteria } = briefOf(
    of({ criteria: [{ text: criterion, check: null }], deeds: [{ id: "S-1", words }] }),
  );
  expect(criteria[0]?.speaks).toEqual(isNamed ? ["plan S-1"] : []);
});

test("a criterion is named by four things, of files by tests alone, and by a sentence that nothing contradicts", () => {
  const speaks = (about: Partial<ReviewFacts>) =>
    briefOf(of({ criteria: [{ text: "answers 429", check: null }], ...about })).criteria[0]?.speaks;
  const tests = (path: string) => file(path, { group: "process", item: "tests" });
  const files = [tests("a-429.test.js"), file("b-429.js"), tests("c.test.js"), tests("d-429.test.js")];
  const deeds = ["S-1", "S-2", "S-3"].map((id) => ({ id, words: "429" }));
  const said = (summary: string) => ({ name: "x", value: { summary }, sha256: "" });
  expect(speaks({ changes: changes(files) })).toEqual(["a-429.test.js", "d-429.test.js"]);
  expect(speaks({ deeds, changes: changes(files) })).toEqual([
    ...["plan S-1", "plan S-2", "plan S-3", "a-429.test.js"],
  ]);
  const quote = (summary: string) => speaks({ artifact: said(summary) });
  expect(quote("Ready!  It answers 429.\n\n Other words")).toEqual(['the agent: "It answers 429."']);
  expect(quote("Ready\nIt is 429")).toEqual(['the agent: "It is 429"']);
  expect(quote(` 429 ${"x".repeat(200)}`)).toEqual([`the agent: "429 ${"x".repeat(156)}"`]);
  const failed = [check("test", "failed", 1)];
  expect(speaks({ checks: failed, artifact: said("All tests pass with 429") })).toEqual([]);
});

test.each([
  ["none", [], { files: 0, toRead: 0 }, "none changed against main"],
  ["one", ["a.ts"], { files: 1, toRead: 1 }, "1 file: 1 to read (3 min)"],
  [
    "one of each kind",
    ["a", "image", "lock file"],
    { files: 3, toRead: 1 },
    "2 folded (1 image, 1 lock file)",
  ],
  [
    "lock files",
    ["lock file", "lock file", "moved 2 dirs"],
    { files: 3, toRead: 0 },
    "(2 lock files, 1 moved 2 dirs)",
  ],
])("the line of the files has %s", (_, reasons, size, words) => {
  const files = reasons.map((folded) => file(folded, { folded: folded.startsWith("a") ? null : folded }));
  const line = briefOf(of({ changes: changes(files), size: { lines: 1, minutes: 3, ...size } })).files;
  expect(line).toMatch(new RegExp(`${words.replace(/[()]/g, "\\$&")}$`));
});

test("its lines show every part with its tone, and what contradicts the agent under its words", () => {
  expect(
    briefLines({
      chips: (["bad", "open", "warn", "good"] as const).map((tone) => ({ tone, words: tone, place: "" })),
      criteria: [{ text: "c", check: { tone: "warn", words: "no check" }, speaks: ["S-1", "x.ts"] }],
      said: [
        { title: "Summary", text: "fine", differs: "test failed" },
        { title: "Notes", text: "more", differs: null },
      ],
      last: (["dealt", "open", "unknown"] as const).map((is) => ({ text: is, is, became: "b" })),
      files: "3 files",
      against: [],
    }),
  ).toEqual([
    { head: "", tone: "bad", text: "x bad" },
    { head: "", tone: "open", text: "! open" },
    { head: "", tone: "warn", text: "! warn" },
    { head: "", tone: "good", text: "v good" },
    { head: "TASK", tone: null, text: "c (no check; named by S-1, x.ts)" },
    { head: "AGENT", tone: null, text: "Summary: fine" },
    { head: "", tone: "bad", text: "DIFFERS: test failed" },
    { head: "", tone: null, text: "Notes: more" },
    { head: "LAST", tone: "good", text: "dealt (b)" },
    { head: "", tone: "bad", text: "open (b)" },
    { head: "", tone: "open", text: "unknown (b)" },
    { head: "FILES", tone: null, text: "3 files" },
  ]);
});

test.each<[string, unknown, readonly string[]]>([
  ["a text, without its empty end", " a\nb\n\n", [" a", "b"]],
  ["a number", 3, ["3"]],
  ["nothing", null, ["null"]],
  ["a field without a value", { a_b: null }, ["A b: null"]],
  ["a field with one entry", { a: ["x"] }, ["A:", "  - x"]],
  ["lists in a list", [["a", "b"]], ["- - a", "  - b"]],
  ["what lies deep, as JSON", [[[[[[{ a: 1 }]]]]]], ['- - - - - - {"a":1}']],
])("a value is shown to a person: %s", (_, value, lines) => {
  expect(valueLines(value)).toEqual(lines);
});

test.each<[string, unknown, unknown]>([
  ["none", undefined, null],
  ["a list", ["a"], ["a"]],
  ["a text", "a", "a"],
  ["texts alone", { a: "b" }, null],
  ["items of the plan", { done: ["S-1"] }, null],
  ["items of no plan", { done: ["S-1", "S-2"] }, { done: ["S-1", "S-2"] }],
  ["an empty list", { done: [] }, { done: [] }],
  ["a decision in full", { risks: ["a", "b"] }, null],
  ["a decision of another field", { other: ["a", "b"] }, { other: ["a", "b"] }],
  ["half of a decision", { risks: ["a"] }, { risks: ["a"] }],
  ["more than a decision", { risks: ["a", "b", "c"] }, { risks: ["a", "b", "c"] }],
  ["another decision", { risks: ["a", "c"] }, { risks: ["a", "c"] }],
  ["no list for a decision", { risks: 2 }, { risks: 2 }],
])("what was handed in is shown where nothing else shows it: %s", (_, value, rest) => {
  const artifact = value === undefined ? null : { name: "x", value, sha256: "" };
  const choices = [
    { field: "effort", words: [] },
    { field: "risks", words: ["a", "b"] },
  ] as unknown as ReviewFacts["choices"];
  const deeds = [{ id: "S-1", words: "" }];
  expect(restOfArtifact({ artifact, choices, deeds })).toEqual(rest);
});
