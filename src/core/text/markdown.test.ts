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

it("a box is read wherever a person sees one, and code that has no end hides none", () => {
  promise("text.boxes");
  const itemsIn = (text: string) =>
    parseTaskItems(text, "the plan").map(({ checked, text: words }) => `${checked ? "x" : " "} ${words}`);
  expect(
    itemsIn("| Task | Done |\n| - | - |\n| a | [ ] |\n| [x] b | later |\n| c | [x] | [ ] |\n| d | e |\n"),
  ).toEqual(["  a", "x b, later", "  c"]);
  expect(itemsIn("<details>\n- [ ] a\n<!-- - [ ] b\n- [ ] c -->\n</details>\n\n- [x] d\n")).toEqual([
    "  a\n\n</details>",
    "x d",
  ]);
  expect(itemsIn("- [x] a\n\n```\n- [ ] b\n")).toEqual(["x a", "  b"]);
  expect(itemsIn("- [x] a\n  ~~~sh\n  - [ ] b\n\n```\n- [ ] c\n```\n")).toEqual(["x a", "  b", "  c"]);
  // These have an end.
  expect(
    itemsIn("- ```\n  - [ ] a\n  ```\n- [x] b\n\n````\n```\n- [ ] c\n````\n> ```\n> - [ ] d\n> ```\n"),
  ).toEqual(["x b"]);
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
