import { expect, it } from "vitest";
import { masked } from "./masked.ts";

const mask = (text: string) => text.replaceAll("hunter22", "[redacted]");

it("masks the texts of lists and plain objects at any depth, and their names", () => {
  const given = { a: ["x hunter22", 3, null], b: { "hunter22!": { c: "hunter22" } }, d: undefined };
  expect(masked(given, mask)).toEqual({
    a: ["x [redacted]", 3, null],
    b: { "[redacted]!": { c: "[redacted]" } },
    d: undefined,
  });
});

it("gives back the very value if nothing is secret, and what is no plain object", () => {
  const inner = { b: [1, "two"] };
  const given = { a: inner, when: new Date(0), of: new Map([["a", "hunter22"]]) };
  expect(masked(given, mask)).toBe(given);
  const mixed = masked({ ...given, c: "hunter22" }, mask);
  expect(mixed.a).toBe(inner);
  expect(mixed.when).toBe(given.when);
  expect(masked("hunter22", undefined)).toBe("hunter22");
});
