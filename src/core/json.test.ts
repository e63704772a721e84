import fc from "fast-check";
import { expect, test } from "vitest";
import { canonical, isObject, jsonText } from "./json.ts";

/** As it was first written: every object is copied. */
function copied(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

const KEY = fc.oneof(fc.constantFrom("a", "b", "10", "9", "", "__proto__", "é", "\u{1f600}"), fc.string());
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 0, -0, Number.NaN, "", "text", undefined),
    fc.double(),
    fc.string(),
    fc.date({ noInvalidDate: true }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(KEY, tie("value"), { maxKeys: 5 }),
    fc.dictionary(KEY, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

test("a value's canonical text is the JSON of it with all keys sorted", () => {
  expect(canonical({ b: [{ d: 1, c: 2 }], a: { z: null, y: undefined } })).toBe(
    '{"a":{"z":null},"b":[{"c":2,"d":1}]}',
  );
  fc.assert(
    fc.property(VALUE, (value) => {
      expect(canonical(value)).toBe(copied(value));
    }),
    { numRuns: 2_000 },
  );
});

test("equal values have equal texts, in whatever order their keys came, and are not changed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = JSON.stringify(value);
      const backwards = JSON.parse(before, (_, each) =>
        isObject(each) ? Object.fromEntries(Object.entries(each).reverse()) : each,
      );
      expect(canonical(backwards)).toBe(canonical(value));
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});

test("lists of plain values take one line, everything else one line each", () => {
  expect(jsonText({ a: [], b: ["x", 1, null], c: [{ d: {} }], e: undefined })).toBe(
    '{\n  "a": [],\n  "b": ["x", 1, null],\n  "c": [\n    {\n      "d": {}\n    }\n  ]\n}',
  );
});

test("what it writes is read again as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
