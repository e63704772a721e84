import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

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

  it("names for every promise tests that are there", () => {
    const missing = Object.entries(REQUIREMENTS).flatMap(([id, { tests }]) =>
      tests.length === 0
        ? [`${id}: no test`]
        : tests.filter((test) => !isThere(test)).map((test) => `${id}: ${test}`),
    );
    expect(missing).toEqual([]);
  });

  it("finds a test that is not there", () => {
    expect(isThere("src/core/id.test.ts: does what no test says")).toBe(false);
    expect(isThere("src/core/none.test.ts: ids")).toBe(false);
  });
});

function isThere(cited: string): boolean {
  const [, file = "", title = ""] = /^([^:]+): (.+)$/s.exec(cited) ?? [];
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, "utf8").includes(title);
}
