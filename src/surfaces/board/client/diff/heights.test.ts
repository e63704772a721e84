import fc from "fast-check";
import { expect, it } from "vitest";
import { openHeights } from "./heights.ts";

it("Finds the row at any distance, whatever was measured in between", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 90 }))),
      fc.nat(6_000),
      (estimates, measured, distance) => {
        const real = [...estimates];
        const heights = openHeights(estimates);
        for (const [row, height] of measured.filter(([at]) => at < real.length)) {
          heights.top(row);
          expect(heights.measure(row, height)).toBe(real[row] !== height);
          real[row] = height;
        }
        const tops = real.map((_, at) => real.slice(0, at).reduce((sum, height) => sum + height, 0));
        const last = tops.findLastIndex((top) => top <= distance);
        expect(heights.at(distance)).toBe(last);
        expect(tops.map((_, row) => heights.top(row))).toEqual(tops);
      },
    ),
  );
});
