import { expect, it } from "vitest";
import { openByText } from "./by-text.ts";

it("What is made of a text is made once, and of every text again when too many are kept", () => {
  const made: string[] = [];
  const of = openByText<string>(2);
  const ask = (text: string) =>
    of(text, () => {
      made.push(text);
      return text.toUpperCase();
    });
  expect(["a", "b", "a", "b"].map(ask)).toEqual(["A", "B", "A", "B"]);
  expect(made).toEqual(["a", "b"]);
  expect(["c", "c", "a"].map(ask)).toEqual(["C", "C", "A"]);
  expect(made).toEqual(["a", "b", "c", "a"]);
});
