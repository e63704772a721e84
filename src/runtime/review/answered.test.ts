import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { answered, fieldIn } from "./answered.ts";

const POINTS = [
  { text: "a", at: { file: "src/a.ts", line: 3 } },
  { text: "b", at: { file: "src/b.ts", line: null } },
  { text: "c", at: { field: "risks" } },
  { text: "d", at: { field: "slots.0.spec" } },
  { text: "e", at: { field: "slots.1.spec" } },
  { text: "f", at: { field: "toString" } },
  { text: "g" },
];
const sinceOf = (facts: Parameters<typeof answered>[1]) =>
  answered(POINTS, facts).map(({ since, text }) => `${text} ${since}`);

test("a point is answered if what it points to has changed, and unknown if it points to nothing", () => {
  promise("review.answered");
  const before = { risks: "none", slots: [{ spec: "x" }] };
  const now = { risks: "none", slots: [{ spec: "y" }, { spec: "new" }] };
  expect(sinceOf({ changed: [{ path: "src/a.ts", added: 1, deleted: 0 }], before, now })).toEqual([
    "a changed",
    "b same",
    "c same",
    "d changed",
    "e changed",
    "f unknown",
    "g unknown",
  ]);
});

test("nothing is said to be answered if what was judged is not known", () => {
  const all = POINTS.map(({ text }) => `${text} unknown`);
  expect(sinceOf({ changed: null, before: null, now: { risks: "new" } })).toEqual(all);
});

test("a field is found by its path, and only if the value has it itself", () => {
  expect(fieldIn({ a: [{ b: null }] }, "a.0.b")).toBeNull();
  for (const path of ["", "a.b", "constructor", "a.length.x", "__proto__"])
    expect(fieldIn({ a: [] }, path)).toBeUndefined();
});

test("what is in another file, or in a list of nothing, answers nothing", () => {
  const one = (
    at: { readonly file: string; readonly line: null } | { readonly field: string },
    facts: object,
  ) => answered([{ text: "a", at }], { changed: null, before: null, now: null, ...facts })[0]?.since;
  const changed = ["src/a.ts", "src/b.ts"].map((path) => ({ path, added: 1, deleted: 0 }));
  expect(one({ file: "src/b.ts", line: null }, { changed })).toBe("changed");
  expect(one({ field: "a" }, { before: { a: 1 }, now: null })).toBe("unknown");
  // What was taken away has changed, and so has what is new.
  expect(one({ field: "a" }, { before: { a: 1 }, now: {} })).toBe("changed");
  expect(one({ field: "a" }, { before: {}, now: { a: 1 } })).toBe("changed");
  expect(one({ field: "a.b" }, { before: { a: null }, now: { a: "text" } })).toBe("unknown");
});
