import { expect, it } from "vitest";
import {
  fields,
  lineOf,
  listOf,
  number,
  optional,
  readState,
  text,
  unreadableStateError,
} from "./state-json.ts";

const unreadable = unreadableStateError("x.json", "the state", "Or begin anew.");
const state = fields({ name: text, steps: listOf(fields({ name: text, at: optional(number) })) });
const read = (json: string) => () => readState(json, state, unreadable);

const STEPS = `{
  "name": "steps",
  "steps": [
    {
      "name": "one",
      "at": 1
    },
    {
      "name": "two",
      "at": "2"
    }
  ]
}
`;

it("names the line of the very item of a list, and not of the first that has the key", () => {
  expect(read(STEPS)).toThrow(
    'x.json, line 10: the state cannot be read: steps.1.at: expected a number, found "2". It was left unchanged.',
  );
  expect(lineOf(STEPS, ["steps", "0", "at"])).toBe(6);
  expect(lineOf(STEPS, ["steps", "1"])).toBe(8);
  expect(lineOf(STEPS, ["steps", "7", "at"])).toBe(3);
});

it("takes no key within a value for the key of that name, and of two the one that counts", () => {
  expect(lineOf('{"a": "\\"b\\": 1",\n"b": 2}', ["b"])).toBe(2);
  expect(lineOf('{"a": 1,\n"a": 2}', ["a"])).toBe(2);
});

it.each([
  ["", 1, "the file is empty"],
  [" \n", 1, "the file is empty"],
  ['{\n "name": ', 2, "value expected"],
  ['{\n "name": "a"\n "steps": []}', 3, "comma expected"],
  ["{\n// why\n}", 2, "invalid comment token"],
  ['{"name": "a",\n "steps": [],}', 2, "property name expected"],
  ["[".repeat(1_000_000), 1, "it is not valid JSON"],
  ["[]", 1, "expected an object, found []"],
])("says of %.40j what is wrong in its line", (json, line, problem) => {
  expect(read(json)).toThrow(`x.json, line ${line}: the state cannot be read: `);
  expect(read(json)).toThrow(problem);
});

it("reads what JSON.parse reads, however deep, with the keys that it does not know", () => {
  const more = `{"name": "a", "steps": [], "mine": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(read(`\uFEFF${more}`)()).toMatchObject({ name: "a", steps: [] });
  expect(read(more.replace('"a"', "1"))).toThrow("name: expected a string, found 1");
});
