import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameText, type LongText, longText, textWith, wholeOf } from "./long-text.ts";

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

  it("is what other pieces make of it, however many of them there were before and whichever were asked for", () => {
    const change = fc.tuple(
      fc.dictionary(fc.constantFrom("0", "1", "4"), fc.string(), { maxKeys: 2 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        let expected = ["one", "", "two\n", "three", "four"];
        let text = longText(expected);
        for (const [changed, isAsked] of changes) {
          const places = Object.entries(changed).map(([at, piece]) => [Number(at), piece] as const);
          expected = expected.map((piece, at) => changed[at] ?? piece);
          text = textWith(text, new Map(places));
          expect(text.pieces).toEqual(expected);
          if (isAsked) expect(text.whole).toBe(expected.join(""));
        }
        expect(text.whole).toBe(expected.join(""));
      }),
    );
  });

  it("is put together right after hundreds of changes, and after pieces were added", () => {
    const pieces = Array.from({ length: 50 }, (_, at) => `piece ${at}\n`);
    let text = longText(pieces);
    for (let n = 0; n < 250; n++) {
      pieces[(n * 7) % 50] = `piece ${"x".repeat(n % 9)}\n`;
      text = textWith(text, new Map([[(n * 7) % 50, pieces[(n * 7) % 50] as string]]));
      expect(text.whole).toBe(pieces.join(""));
    }
    expect(longText([...pieces, "more"], text).whole).toBe(`${pieces.join("")}more`);
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
