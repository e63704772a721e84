import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { renderDiff } from "./diff.ts";

it("shows the lines that are added, between three lines on both sides", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n";
  expect(renderDiff("a.yaml", before, before.replace("5\n", "5\nnew\n"))).toBe(
    "--- a.yaml\n+++ a.yaml\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8",
  );
  expect(renderDiff("a.yaml", null, "x\n")).toBe("--- /dev/null\n+++ a.yaml\n@@ -0,0 +1,1 @@\n+x");
  expect(renderDiff("a.yaml", before, before)).toBe("");
});

it("shows each stretch that differs, however far apart they are", () => {
  const lines = Array.from({ length: 3000 }, (_, at) => `line ${at}`);
  const after = lines.with(100, "x").with(1500, "y").toSpliced(2900, 1);
  const diff = renderDiff("a.yaml", `${lines.join("\n")}\n`, `${after.join("\n")}\n`).split("\n");
  expect(diff).toHaveLength(2 + 9 + 9 + 8);
  expect(diff.filter((line) => /^[-+](?![-+])|^@@/.test(line))).toEqual([
    ...["@@ -98,7 +98,7 @@", "-line 100", "+x", "@@ -1498,7 +1498,7 @@", "-line 1500", "+y"],
    ...["@@ -2898,7 +2898,6 @@", "-line 2900"],
  ]);
});

it("is what git applies", () => {
  promise("bloom.plan");
  const line = fc.constantFrom("a", "b", "  c: d", "-", "+ e", "");
  const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join("\n")}\n`);
  const folder = mkdtempSync(join(tmpdir(), "pawl-diff-"));
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = renderDiff("f", before, after);
        if (before === after) return diff === "";
        writeFileSync(join(folder, "f"), before);
        execFileSync("git", ["apply", "-p0", "--whitespace=nowarn", "-"], {
          cwd: folder,
          input: `${diff}\n`,
        });
        return readFileSync(join(folder, "f"), "utf8") === after;
      }),
      { numRuns: 25 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
