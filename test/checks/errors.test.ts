import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../src/core/error.ts";
import { promise } from "../rig/promise.ts";

const PAGE = readFileSync(resolve(import.meta.dirname, "../../docs/errors.md"), "utf8");
const SECTIONS = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")).trim(), section] as const),
);

describe("docs/errors.md", () => {
  it("has a heading for every code, and no other", () => {
    promise("errors.documented");
    expect([...SECTIONS.keys()]).toEqual([...ERROR_CODES].sort());
  });

  it("says of every code what it means, and how it is mended", () => {
    for (const [code, section] of SECTIONS) {
      expect(section.split("**Fix.**")[0]?.trim().length, code).toBeGreaterThan(code.length + 20);
      expect(section, code).toMatch(/\*\*Fix\.\*\* \S/);
    }
  });
});
