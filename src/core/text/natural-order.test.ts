import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { naturalOrder } from "./natural-order.ts";

describe("the natural order", () => {
  it("counts digits as numbers", () => {
    const ids = [
      "TS-10",
      "TS-2",
      "TS-1",
      "TS",
      "A-3",
      "TS-2b",
      "TS-02",
      "TS-9007199254740993",
      "TS-9007199254740992",
    ];
    expect([...ids].sort(naturalOrder)).toEqual([
      "A-3",
      "TS",
      "TS-1",
      "TS-02",
      "TS-2",
      "TS-2b",
      "TS-10",
      "TS-9007199254740992",
      "TS-9007199254740993",
    ]);
  });

  it("is an order: no text is before itself, and none is both before and after another", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "0", "1", "9", "-") });
    fc.assert(
      fc.property(text, text, text, (one, other, third) => {
        expect(Math.sign(naturalOrder(one, other))).toBe(-Math.sign(naturalOrder(other, one)) || 0);
        expect(naturalOrder(one, other) === 0).toBe(one === other);
        if (naturalOrder(one, other) < 0 && naturalOrder(other, third) < 0) {
          expect(naturalOrder(one, third)).toBeLessThan(0);
        }
      }),
    );
  });
});
