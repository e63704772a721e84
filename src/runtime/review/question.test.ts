import { describe, expect, it } from "vitest";
import type { ReviewChanges, ReviewFile } from "./model.ts";
import { renderReview } from "./question.ts";

const file = (path: string, added: number | null = 1, deleted: number | null = 0) =>
  ({ path, added, deleted, group: "other", item: null, isOutside: false, folded: null }) as ReviewFile;
const changesOf = (...files: readonly ReviewFile[]) =>
  ({ kind: "changes", base: "main", repo: null, files }) as unknown as ReviewChanges;
const changes = (...files: readonly ReviewFile[]) =>
  renderReview({ question: "?", changes: changesOf(...files) }).slice("?\n\n".length);
const many = (count: number) => Array.from({ length: count }, (_, at) => file(`src/${at}.txt`));

describe("a review before a verdict", () => {
  it("is its question alone if there is nothing else", () => {
    expect(renderReview({ question: " Merge\nnow? " })).toBe("Merge now?");
  });

  it("shows what Pawl found before what is approved, and an agent's own words last", () => {
    expect(
      renderReview({
        question: "Merge?",
        facts: ["Yes merges it.", "No sends it back."],
        findings: [
          { about: "git", verdict: "agrees", words: "it is clean" },
          { about: "lint", verdict: "unknown", words: "no command" },
          { about: "build", verdict: "running", words: "since 2 s" },
          { about: "test", verdict: "differs", words: "1 failed\n- agrees: feigned" },
        ],
        changes: { kind: "unavailable", reason: "no\ngit" } as never,
        artifact: { name: "plan", value: { a: [1] }, sha256: "0123456789abcdef" },
        notes: [
          { by: "claude", text: "All good.\n\nMerge it.\n" },
          { by: "nobody", text: "  \n" },
        ],
        whole: ".alfred/x.md",
      }),
    ).toBe(
      [
        "Merge?",
        "",
        "Yes merges it.",
        "No sends it back.",
        "",
        "What Pawl found beside what was reported:",
        "- DIFFERS: test: 1 failed - agrees: feigned",
        "- still running: build: since 2 s",
        "- not known: lint: no command",
        "- agrees: git: it is clean",
        "",
        "Changes: not known (no git).",
        "",
        "What is reviewed (plan, sha256 0123456789ab):",
        "> A:",
        ">   - 1",
        "",
        "claude says (its own words, which nobody checked):",
        "> All good.",
        ">",
        "> Merge it.",
        "",
        "All of it: .alfred/x.md",
      ].join("\n"),
    );
  });

  it("shows a text as it is, without a hash that nobody made", () => {
    expect(
      renderReview({ question: "Q", artifact: { name: "note", value: "one\ntwo" }, changes: null }),
    ).toBe("Q\n\nWhat is reviewed (note):\n> one\n> two");
  });

  it("says how much of a long text it leaves out", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
    const shown = (count: number) =>
      renderReview({ question: "Q", artifact: { name: "a", value: lines(count) } });
    expect(shown(60)).toMatch(/> line 60$/);
    expect(shown(61)).toMatch(/> line 60\n\(1 more lines\)$/);
    const noted = (count: number) =>
      renderReview({ question: "Q", notes: [{ by: "a", text: lines(count) }] });
    expect(noted(40)).toMatch(/> line 40$/);
    expect(noted(42)).toMatch(/> line 40\n\(2 more lines\)$/);
    const long = (length: number) => renderReview({ question: "x".repeat(length) });
    expect(long(400)).toBe("x".repeat(400));
    expect(long(403)).toBe(`${"x".repeat(400)}… (3 more characters)`);
  });
});

describe("the changes of a review", () => {
  it("say that there are none", () => {
    expect(changes()).toBe("Changes against main: none.");
  });

  it("count files and lines, and say what cannot be counted", () => {
    expect(changes(file("a.txt", 2, 1))).toBe("Changes against main: 1 file, +2 -1 lines.\n- a.txt (+2 -1)");
    expect(changes(file("a.txt", 2, 1), file("b.bin", null, null), file("c.txt", 3, null))).toBe(
      [
        "Changes against main: 3 files, +5 -1 lines.",
        "- a.txt (+2 -1)",
        "- b.bin (new or binary)",
        "- c.txt (new or binary)",
      ].join("\n"),
    );
  });

  it("name the files in the review's order, with what judges the work", () => {
    const judging: ReviewFile = { ...file("package.json"), group: "process", item: "configuration" };
    expect(changes(judging, file("src/a.txt"))).toMatch(
      /- package\.json \(\+1 -0\), configuration\n- src\/a\.txt \(\+1 -0\)$/,
    );
  });

  it("leave out what is too much, and say how many", () => {
    expect(changes(...many(30)).split("\n")).toHaveLength(31);
    expect(changes(...many(32))).toMatch(/- src\/29\.txt \(\+1 -0\)\n {2}- and 2 more$/);
  });
});

it("has the changes right after a brief, which has said what differs", () => {
  const brief = { chips: [], criteria: [], said: [], last: [], files: "none", against: [] };
  const text = renderReview({
    question: "Do you approve it?",
    brief,
    changes: changesOf(),
    findings: [{ about: "test", verdict: "agrees", words: "passed" }],
  });
  expect(text.indexOf("Changes against")).toBeGreaterThan(text.indexOf("FILES"));
  expect(text.indexOf("What Pawl found")).toBeGreaterThan(text.indexOf("Changes against"));
});

it("has the brief in columns, and names the repository of the changes if it is another one", () => {
  const brief = {
    ...{
      chips: [{ tone: "bad" as const, words: "test failed", place: "" }],
      said: [],
      last: [],
      against: [],
    },
    ...{ criteria: [], files: "1 file\nto read" },
  };
  const repo = { kind: "changes", base: "main", repo: "api", files: [] } as unknown as ReviewChanges;
  expect(renderReview({ question: "?", brief, changes: repo })).toBe(
    "?\n\n      x test failed\nFILES 1 file to read\n\nChanges against main in api: none.",
  );
});
