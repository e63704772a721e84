import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./json-text.ts";

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
