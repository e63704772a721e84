import { expect, test } from "vitest";
import { coloursOf } from "./colours.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -3,2 +3,3 @@ export
 const one = "1"; // first
-let two = 2;
+const two = 2;
+const three = 3;
`;

/** A busy machine takes longer. */
const NO_LIMITS = { line: 0, whole: Number.POSITIVE_INFINITY };

test("lines of a difference get the classes of their parts, at their numbers in the file", async () => {
  const { before = [], after = [] } = (await coloursOf("src/a.ts", PATCH, NO_LIMITS)) ?? {};
  expect([before.length, after.length]).toEqual([4, 5]);
  expect(after.slice(0, 2)).toEqual([[], []]);
  expect(after[2]?.map(([, name]) => name)).toEqual(["keyword", "", "keyword", "", "string", "", "comment"]);
  const text = 'const one = "1"; // first';
  expect(after[2]?.reduce((sum, [length]) => sum + length, 0)).toBe(text.length);
  expect(before[3]?.[0]).toEqual([3, "keyword"]);
});

test.each([
  ["an unknown language", "a.unknown", PATCH],
  ["no end of a name", "Makefile", PATCH],
  ["a name of the object's prototype", "a.constructor", PATCH],
  ["nothing", "a.ts", ""],
  ["a patch beyond the limit", "a.ts", `${PATCH}+${"x".repeat(300_000)}`],
])("%s has no colours", async (_, path, patch) => {
  expect(await coloursOf(path, patch)).toBeNull();
});

test.each([
  ["json", "{}"],
  ["yaml", "a: 1"],
  ["py", "def a(): pass"],
  ["go", "func a() {}"],
  ["rs", "fn a() {}"],
  ["tsx", "const a = <b />;"],
  ["md", "# a"],
  ["sh", "if true; then echo a; fi"],
  ["css", "a { color: red }"],
  ["html", "<a>b</a>"],
])("%s is coloured, and an awkward line of it is passed over", async (end, line) => {
  const awkward = ["(".repeat(5000), "`${".repeat(2000), "\u0000\u202e\ud800"]
    .map((each) => `+${each}`)
    .join("\n");
  const found = await coloursOf(`a.${end}`, `@@ -0,0 +1,4 @@\n+${line}\n${awkward}\n`, NO_LIMITS);
  expect(found?.after).toHaveLength(4);
  expect(found?.after[0]?.length).toBeGreaterThan(0);
});
