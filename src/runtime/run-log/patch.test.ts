import { expect, test } from "vitest";
import { diff, type Json, type Patch, patched } from "./patch.ts";

test.each<[string, Json, Json, Patch]>([
  ["nothing in a state that is the same", { a: 1 }, { a: 1 }, {}],
  [
    "a value that is new, one that changed, and one that is gone",
    { a: 1, b: 1 },
    { a: 2, c: 3 },
    { set: { a: 2, c: 3 }, gone: ["b"] },
  ],
  [
    "what changed within three objects",
    { a: { b: { c: 1, d: 1 } } },
    { a: { b: { c: 2, d: 1 } } },
    { in: { a: { in: { b: { set: { c: 2 } } } } } },
  ],
  [
    "what lies deeper, whole",
    { a: { b: { c: { d: 1, e: 1 } } } },
    { a: { b: { c: { d: 2, e: 1 } } } },
    { in: { a: { in: { b: { set: { c: { d: 2, e: 1 } } } } } } },
  ],
  ["what a list got at its end", [1, 2], [1, 2, 3], { drop: 0, add: [3] }],
  ["what it lost at its beginning", [1, 2, 3], [2, 3, 4], { drop: 1, add: [4] }],
  ["a list that lost all", [1, 2], [], { drop: 2, add: [] }],
  ["a list that begins", [], [1], { drop: 0, add: [1] }],
  ["a list that is another one, whole", [1, 2], [3], { all: [3] }],
  ["a list that lost its end, whole", [1, 2], [1], { all: [1] }],
  ["another kind of value, whole", { a: 1 }, [1], { all: [1] }],
  ["null beside what is not there", { a: null }, { b: null }, { set: { b: null }, gone: ["a"] }],
])("a patch holds %s", (_, before, after, patch) => {
  expect(diff(before, after)).toEqual(patch);
  expect(patched(before, patch)).toEqual(after);
});

test("a patch fits what it was made of alone", () => {
  expect(() => patched({ a: 1 }, { drop: 0, add: [] })).toThrow(TypeError);
  expect(() => patched([1], { set: { a: 1 } })).toThrow(TypeError);
});
