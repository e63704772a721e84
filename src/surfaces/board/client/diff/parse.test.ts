import { describe, expect, it } from "vitest";
import { LENGTH } from "../../../../../test/rig/awkward.ts";
import { changedPart, lineToName, parseDiff, partners, splitRows, unifiedRows } from "./parse.ts";

const PATCH = `diff --git a/x.ts b/x.ts
index 1..2 100644
--- a/x.ts
+++ b/x.ts
@@ -1,4 +1,4 @@ function one()
 first
-second line
-third
+second lines
 fourth
+--- not a header
\\ No newline at end of file
`;

describe("a unified diff", () => {
  it("becomes lines with their numbers before and after", () => {
    expect(parseDiff(PATCH).map(({ after, before, kind, text }) => [kind, before, after, text])).toEqual([
      ["hunk", null, null, "function one()"],
      ["same", 1, 1, "first"],
      ["removed", 2, null, "second line"],
      ["removed", 3, null, "third"],
      ["added", null, 2, "second lines"],
      ["same", 4, 3, "fourth"],
      ["added", null, 4, "--- not a header"],
      ["note", null, null, "No newline at end of file"],
    ]);
  });

  it("stands side by side with what came in its place", () => {
    const sides = splitRows(parseDiff(PATCH)).map(({ left, right }) => [
      left?.text ?? null,
      right?.text ?? null,
    ]);
    expect(sides).toContainEqual(["second line", "second lines"]);
    expect(sides).toContainEqual(["third", null]);
    expect(sides).toContainEqual([null, "--- not a header"]);
    expect(unifiedRows(parseDiff(PATCH))).toHaveLength(8);
  });

  it("shows what differs within a line, if most of it stayed", () => {
    const lines = parseDiff(PATCH);
    const removed = lines.find(({ text }) => text === "second line");
    expect(removed && partners(lines).get(removed)?.text).toBe("second lines");
    expect(changedPart("const limit = 10;", "const limit = 20;")).toEqual([14, 16]);
    const [by, inWindow] = ["/** Counts by address. */", "/** Counts by customer, in windows. */"];
    expect(by.slice(...(changedPart(by, inWindow) ?? []))).toBe("address");
    expect(inWindow.slice(...(changedPart(inWindow, by) ?? []))).toBe("customer, in windows");
    expect(changedPart("abc", "xyz")).toBeNull();
    expect(changedPart("same", "same")).toBeNull();
  });

  it("marks no half of a character that takes two code units", () => {
    const [before, after] = ["a long line with 😀", "a long line with 😁"];
    expect(before.slice(...(changedPart(before, after) ?? []))).toBe("😀");
    const [one, other] = ["\u{20400} at the end of a line", "\u{20000} at the end of a line"];
    expect(one.slice(...(changedPart(one, other) ?? []))).toBe("\u{20400}");
    // Both end in the same low surrogate.
    const [left, right] = ["🐀 at the end of a line", "😀 at the end of a line"];
    expect(left.slice(...(changedPart(left, right) ?? []))).toBe("🐀");
  });

  it("names for a removed line the line of the file where it was", () => {
    const lines = parseDiff(PATCH);
    expect(lines.map((line) => (line.kind === "removed" ? lineToName(lines, line) : null))).toContain(1);
    const first = parseDiff("@@ -1,2 +1 @@\n-gone\n stays\n");
    expect(first[1] && lineToName(first, first[1])).toBe(1);
  });

  it.each(["-", "+", " ", "@", "\\", "\r", "\u202e"])("of a megabyte of %j is read line by line", (each) => {
    const lines = parseDiff(`@@ -1 +1 @@\n${`${each}\n`.repeat(LENGTH / 2)}`);
    expect(splitRows(lines).length).toBeLessThanOrEqual(LENGTH / 2 + 1);
    expect(unifiedRows(parseDiff(`@@ -1 +1 @@\n${each.repeat(LENGTH)}`)).length).toBeLessThanOrEqual(2);
  });
});
