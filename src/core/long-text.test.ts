import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameText, type LongText, longText, wholeOf } from "./long-text.ts";

const pieces = fc.array(fc.constantFrom("", "a", "b", "ab", "\n"), { maxLength: 6 });

describe("A text in pieces", () => {
  it("is its pieces in order, whichever versions came before it and were asked for", () => {
    const version = fc.tuple(pieces, fc.boolean());
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 6 }), (versions) => {
        let text: LongText | null = null;
        for (const [own, isAsked] of versions) {
          text = longText(own, text);
          if (isAsked) expect(wholeOf(text)).toBe(own.join(""));
        }
        expect(text?.whole).toBe(versions.at(-1)?.[0].join(""));
      }),
    );
  });

  it("is the same as another wherever the whole is, however both are cut", () => {
    let same = 0;
    fc.assert(
      fc.property(pieces, pieces, (one, other) => {
        const isSame = one.join("") === other.join("");
        if (isSame) same += 1;
        expect(isSameText(longText(one), longText(other))).toBe(isSame);
        expect(isSameText(longText(one), other.join(""))).toBe(isSame);
        expect(isSameText(one.join(""), longText(other))).toBe(isSame);
        expect(isSameText(longText(one), null)).toBe(false);
      }),
      { numRuns: 1000 },
    );
    expect(same).toBeGreaterThan(5);
    expect(isSameText(null, null)).toBe(true);
  });
});
