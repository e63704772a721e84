import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseBlocks, parseTaskItems } from "./markdown.ts";

it.each([
  ["quotations on a line", ">".repeat(40_000)],
  ["quotations with blanks", "> ".repeat(1_000)],
  ["lists on a line", "- ".repeat(1_000)],
  ["numbers on a line", "1. ".repeat(1_000)],
  ["both", "> - ".repeat(200)],
  ["tasks on a line", "- [ ] x\n".repeat(3) + "- ".repeat(101)],
  ["some on each of many lines", "- - - a\n".repeat(2_000)],
  ["items further and further in", Array.from({ length: 900 }, (_, at) => `${" ".repeat(at)}- a`).join("\n")],
])("a text that nests deeper than anybody writes is refused at once, by its line: %s", (_, text) => {
  promise("text.linear");
  for (const parse of [parseBlocks, parseTaskItems])
    expect(() => parse(text, "the plan")).toThrow(
      /^the plan nests too deep on line \d+: expected at most 100 /,
    );
});

it("what people nest is read", () => {
  const text = `${"> ".repeat(20)}a\n\n- a\n  - b\n    - c\n      1. d\n\n${"- a\n".repeat(500)}\n* * * * *\n`;
  expect(parseBlocks(text, "the plan").children.length).toBe(3);
  expect(parseTaskItems("- [ ] a\n  - [x] b\n> > - [ ] c\n", "the plan").map(({ text }) => text)).toEqual([
    "a",
    "b",
    "c",
  ]);
});
