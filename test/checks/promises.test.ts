import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "../requirements.ts";
import { citations, citationsIn, notShown, shown } from "../rig/promises.ts";

describe("the list of what Pawl promises", () => {
  it("has entries, each with a sentence and a source", () => {
    const entries = Object.values(REQUIREMENTS);
    expect(entries.length).toBeGreaterThan(250);
    for (const { says, source } of entries) {
      expect(says).toMatch(/^[A-Za-z0-9].*\.$/);
      expect(source).not.toBe("");
    }
  });

  it("names a heading or a threat of the page on security if that page promises it", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/security.md"), "utf8");
    const named = Object.values(REQUIREMENTS).flatMap(
      ({ source }) => /^docs\/security\.md, (.+)$/.exec(source)?.[1] ?? [],
    );
    expect(named.length).toBeGreaterThan(30);
    expect(
      named.filter((name) => !page.includes(`\n## ${name}\n`) && !page.includes(`\n| ${name} | `)),
    ).toEqual([]);
  });

  it("has no promise that no test cites, and no test cites another", () => {
    const cited = new Set(citations().map(({ id }) => id));
    expect([...cited].sort()).toEqual(Object.keys(REQUIREMENTS).sort());
  });
});

describe("a promise that tests cite", () => {
  const text =
    'it("one", () => {\n  promise("a.b");\n});\nit("two", () => {\n  promise("a.b", "c.d");\n});\n';
  const cited = citationsIn("src/x.test.ts", text);
  const run = (...tests: readonly [status: string, ...promises: string[]][]) => ({
    testResults: [
      {
        name: "/somewhere/src/x.test.ts",
        assertionResults: tests.map(([status, ...promises]) => ({
          title: "one",
          status,
          meta: { promises },
        })),
      },
    ],
  });

  it("is counted by its tests", () => {
    expect(cited).toEqual([
      { id: "a.b", file: "src/x.test.ts", tests: 2 },
      { id: "c.d", file: "src/x.test.ts", tests: 1 },
    ]);
  });

  it("is shown by tests that passed, each of them", () => {
    const whole = run(["passed", "a.b"], ["passed", "a.b", "c.d"]);
    expect(notShown(cited, whole)).toEqual([]);
    expect([...shown(whole)]).toEqual(["a.b", "c.d"]);
  });

  it("is not shown by a test that was skipped or failed", () => {
    expect(notShown(cited, run(["passed", "a.b", "c.d"], ["skipped"])).map(({ id }) => id)).toEqual(["a.b"]);
    expect(notShown(cited, run(["failed", "a.b"], ["passed", "a.b", "c.d"])).map(({ id }) => id)).toEqual([
      "a.b",
    ]);
    expect([...shown(run(["failed", "a.b"]))]).toEqual([]);
  });

  it("is not asked for in a file that did not run", () => {
    expect(notShown(cited, { testResults: [] })).toEqual([]);
  });
});
