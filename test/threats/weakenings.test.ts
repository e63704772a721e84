import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { timesFound } from "../rig/broken-copy.ts";
import { patternOf, testTitles } from "../rig/test-titles.ts";
import { citedTest, stateOf } from "./cited.ts";
import { WEAKENINGS } from "./weakenings.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Row {
  /** The heading above its table. */
  readonly kind: string;
  readonly hole: string;
  readonly holds: string;
  readonly levels: readonly string[];
  /** The tests that it names. */
  readonly tests: readonly string[];
}

const PAGE = readFileSync(join(ROOT, "docs/security.md"), "utf8");
const KINDS = ["Programs", "Scope", "The wall", "Verdict"];
const COLUMNS = "| Threat | What holds | Level | What does not hold | Tests |";
const ROWS = KINDS.flatMap((kind) => rowsBelow(kind));
const LEVELS = tableBelow("| Level | Held by | What gets past it |", PAGE).map(([name]) => name);

function rowsBelow(kind: string): readonly Row[] {
  const [, section = ""] = PAGE.split(`\n## ${kind}\n`);
  return tableBelow(COLUMNS, section.split("\n## ")[0] ?? "").map(
    ([hole = "", holds = "", levels = "", _, tests = ""]) => ({
      kind,
      hole,
      holds,
      levels: levels.split(", "),
      tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    }),
  );
}

/** The cells of each row of the table with this line above it. */
function tableBelow(header: string, text: string): readonly (readonly string[])[] {
  const [, after = ""] = text.split(`${header}\n`);
  const lines = after.split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("| "));
  return lines.slice(0, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const ENTRIES = Object.entries(WEAKENINGS).flatMap(([hole, weakenings]) =>
  weakenings.map((each) => ({ hole, ...each })),
);

describe("the threats in docs/security.md", () => {
  it("are rows of four kinds, and no other row of the page is one", () => {
    expect([...new Set(ROWS.map(({ kind }) => kind))]).toEqual(KINDS);
    expect(PAGE.split(`\n${COLUMNS}\n`).length - 1).toBe(KINDS.length);
    expect(PAGE.split("\n").filter((line) => /^\| .* \| .* \| .* \| .*`.* \|$/.test(line)).length).toBe(
      ROWS.length,
    );
  });

  it("each say what holds, at which level, and name tests that are there", () => {
    expect(LEVELS.length).toBeGreaterThan(3);
    const unknown = ROWS.filter(({ levels }) => !levels.every((level) => LEVELS.includes(level)));
    expect(unknown).toEqual([]);
    expect(ROWS.filter(({ holds, tests }) => holds === "" || tests.length === 0)).toEqual([]);
    expect(ROWS.flatMap(({ tests }) => tests).filter((test) => !existsSync(join(ROOT, test)))).toEqual([]);
  });
});

describe("the weakenings of what docs/security.md promises", () => {
  it("are there for each of its rows, and for nothing else", () => {
    expect(ROWS.length).toBeGreaterThan(40);
    expect(ENTRIES.length).toBeGreaterThan(240);
    expect(Object.keys(WEAKENINGS).sort()).toEqual(ROWS.map(({ hole }) => hole).sort());
  });

  it("turn each test red that its row names", () => {
    // A suite that vitest does not run has weakenings of its own: test/crash/mutants.ts.
    const missing = ROWS.flatMap(({ hole, tests }) => {
      const tried = new Set(
        WEAKENINGS[hole]?.flatMap((each) => each.tests.map((test) => citedTest(test).file)),
      );
      return tests
        .filter((test) => test.endsWith(".test.ts") && !tried.has(test))
        .map((test) => `${hole}: ${test}`);
    });
    expect(missing).toEqual([]);
  });

  it("name tests that are there, and that their row names", () => {
    const titles = new Map<string, ReadonlySet<string>>();
    const titlesIn = (file: string) => {
      const known = titles.get(file) ?? testTitles(join(ROOT, file));
      titles.set(file, known);
      return [...known];
    };
    const wrong = ENTRIES.flatMap(({ hole, tests }) =>
      tests.filter((test) => {
        const { file, title } = citedTest(test);
        const isNamed = ROWS.some((row) => row.hole === hole && row.tests.includes(file));
        return !(isNamed && titlesIn(file).some((each) => patternOf(each).test(title)));
      }),
    );
    expect(wrong).toEqual([]);
    expect(ENTRIES.filter(({ tests }) => tests.length === 0)).toEqual([]);
    // A run reports the titles of tests as they ran: one with a place for a value is never among them.
    expect(ENTRIES.flatMap(({ tests }) => tests.filter((test) => /%[sdjo]/.test(test)))).toEqual([]);
  });

  it("change one place of the code each", () => {
    expect(ENTRIES.filter((entry) => timesFound(entry) !== 1)).toEqual([]);
    expect(ENTRIES.filter(({ find, replace }) => find === replace)).toEqual([]);
  });
});

describe("a test's state in what vitest reports", () => {
  const results = (...assertionResults: { status: string; failureMessages?: string[] }[]) => ({
    testResults: [
      {
        name: "/x/src/a.test.ts",
        assertionResults: assertionResults.map((each) => ({ title: "holds", ...each })),
      },
    ],
  });
  const state = (...found: Parameters<typeof results>) => stateOf(results(...found), "src/a.test.ts: holds");

  it("is red if it fails by itself, not if it takes too long", () => {
    expect(state({ status: "failed", failureMessages: ["AssertionError: no"] })).toBe("failed");
    expect(state({ status: "failed", failureMessages: ["Error: Test timed out in 5ms."] })).toBe("timed out");
    expect(state({ status: "passed" }, { status: "failed", failureMessages: ["no"] })).toBe("failed");
    expect(state({ status: "passed" })).toBe("passed");
  });

  it("is none if it is not run, or its file cannot be loaded", () => {
    expect(state({ status: "skipped" })).toBe("not run");
    expect(state()).toBe("not run");
    expect(stateOf({ testResults: [] }, "src/a.test.ts: holds")).toBe("not run");
  });
});
