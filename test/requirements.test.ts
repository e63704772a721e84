import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";
import { notShown } from "./rig/promises.ts";
import { literals, testTitles } from "./rig/test-titles.ts";

const ROOT = join(import.meta.dirname, "..");

describe("the list of what Pawl promises", () => {
  it("has entries, each with a sentence and a source", () => {
    const entries = Object.values(REQUIREMENTS);
    expect(entries.length).toBeGreaterThan(30);
    for (const { says, source } of entries) {
      expect(says).toMatch(/^[A-Za-z0-9].*\.$/);
      expect(source).not.toBe("");
    }
  });

  it("names for every promise tests by their whole titles", () => {
    const missing = Object.entries(REQUIREMENTS).flatMap(([id, { tests }]) =>
      tests.length === 0
        ? [`${id}: no test`]
        : tests.filter((test) => !isThere(test)).map((test) => `${id}: ${test}`),
    );
    expect(missing).toEqual([]);
  });

  it("takes neither a part of a title, nor a group of tests, nor a test that never runs", () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-titles-"));
    try {
      const file = join(folder, "x.test.ts");
      const rows = 'it.each([["by its row", 1]])("%s", () => {});';
      writeFileSync(
        file,
        `describe("group", () => { it("whole title", () => {}); it.skip("skipped", () => {}); ${rows} });
describe.skip("off", () => { it("within", () => {}); });
it.skipIf(false)(\`with \${file}\`, () => {});`,
      );
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title is written so
      expect([...testTitles(file)]).toEqual(["whole title", "by its row", "with ${file}"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is held against a run's results: a test that was skipped or failed shows nothing", () => {
    const promises = { "a.b": { says: "It does.", source: "x", tests: ["x.test.ts: of %s, it does"] } };
    const ran = (status: string) => ({
      testResults: [
        { name: "/somewhere/x.test.ts", assertionResults: [{ title: "of (one), it does", status }] },
      ],
    });
    expect(notShown(promises, ran("passed"))).toEqual([]);
    expect(notShown(promises, ran("skipped"))).toEqual(["a.b: x.test.ts: of %s, it does"]);
    expect(notShown(promises, { testResults: [] })).toHaveLength(1);
  });
});

const known = new Map<string, ReadonlySet<string>>();

/** Many promises cite one file: it is parsed once. */
function titlesIn(file: string): ReadonlySet<string> {
  const path = join(ROOT, file);
  const titles = known.get(path) ?? readTitles(path);
  known.set(path, titles);
  return titles;
}

/** Of a suite that is data, its names are literals. */
function readTitles(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set();
  return path.endsWith(".test.ts") ? testTitles(path) : literals(path);
}

function isThere(cited: string): boolean {
  const [, file = "", title = ""] = /^([^:]+): (.+)$/s.exec(cited) ?? [];
  return titlesIn(file).has(title);
}
