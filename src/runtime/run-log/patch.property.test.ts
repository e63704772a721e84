import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonical } from "../../core/json.ts";
import { diff, type Json, patched } from "./patch.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

/** A value, and one that was made of it by small edits, as a run's document is. */
const edited = fc
  .tuple(
    fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 6 }),
    fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 2 }),
    fc.array(json, { maxLength: 8 }),
    fc.array(json, { maxLength: 3 }),
    fc.nat(8),
  )
  .map(([base, over, list, added, drop]) => {
    const before: Json = { ...base, list, within: { ...base } };
    const after: Json = { ...base, ...over, list: [...list.slice(drop), ...added], within: { ...over } };
    return [before, after] as const;
  });

describe("A patch", () => {
  it("makes the second of any two values of the first", () => {
    fc.assert(
      fc.property(fc.oneof(edited, fc.tuple(json, json)), ([before, after]) => {
        expect(canonical(patched(before, diff(before, after)))).toBe(canonical(after));
      }),
      { numRuns: 2000, examples: [[[{}, JSON.parse('{"__proto__": []}')]]] },
    );
  });

  it("of a document that grew holds what is new alone", () => {
    const history = Array.from({ length: 200 }, (_, at) => ({ at, words: "what was done" }));
    const before = { state: "a", context: { kept: "x".repeat(1000) }, history };
    const after = { ...before, state: "b", history: [...history.slice(1), { at: 200, words: "new" }] };
    expect(diff(before, after)).toEqual({
      set: { state: "b" },
      in: { history: { drop: 1, add: [{ at: 200, words: "new" }] } },
    });
  });

  it("is refused by what is of another kind than it was made for", () => {
    expect(() => patched([], { set: { a: 1 } })).toThrow(TypeError);
    expect(() => patched({}, { drop: 0, add: [] })).toThrow(TypeError);
  });
});
