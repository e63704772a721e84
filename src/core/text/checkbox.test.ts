import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { mayHoldCheckbox, parseCheckbox, renderOddBoxes } from "./checkbox.ts";
import { parseTaskItems } from "./markdown.ts";

it.each([
  "- []",
  "- [  ]",
  "- [~]",
  "- [-]",
  "- [ x ]",
  "- [x ]",
  "- [xx]",
  "- [/]",
  "- [>]",
  "- [?]",
  "- [!]",
  "- [.]",
  "- [o]",
  "- [V]",
  "- [✓]",
  "- [✔️]",
  "- [х]",
  "- [済]",
  "- [\u3000]",
  "- ［ ］",
  "- [todo]",
  "- [WIP]",
  "- [in progress]",
  "- [done]",
  "- \\[ \\]",
  "- \\[x\\]",
  "- ☐",
  "- ☑",
  "- **[ ]**",
  "1. []",
  "12) [~]",
  "> - [-]",
  "  - [  ]",
  "-[ ]",
  "*[x]y",
  "[ ]",
  "## [ ]",
  "- [x]y",
  "1.1. [ ]",
  "2.3.4 []",
  "1.) [ ]",
  "(1) [ ]",
  "a) [ ]",
  "• [ ]",
  "– [ ]",
])("a box that is not exactly checked is not done: %s", (box) => {
  promise("text.boxes");
  const [done, open, ...more] = parseTaskItems(`- [x] done\n\n${box} open\n`, "the plan");
  expect(done).toMatchObject({ text: "done", checked: true, isOdd: false });
  expect(open).toMatchObject({ checked: false });
  expect(mayHoldCheckbox(box)).toBe(true);
  expect(more).toEqual([]);
});

it.each(["- [x] a", "* [X] a", "1. [x] a", "> - [x]\ta", "- [x]  a", "- [ ] a\n- [x] a"])(
  "a checked box is done: %s",
  (text) => {
    expect(parseTaskItems(text, "the plan").at(-1)).toMatchObject({ checked: true, isOdd: false });
  },
);

it.each([
  "- [a link](https://example.org)",
  "- [x](https://example.org)",
  "- [x]: https://example.org",
  "- [1] a source",
  "- [^1] a footnote",
  "- [P] parallel",
  "- [US1] a story",
  "- [docs] read them",
  "---\nitems:\n  - [ ] a\n---\n",
  "```\n- [ ] a\n```",
  "- a\n  ~~~\n  - [ ] b\n  ~~~",
  "<!--\n- [ ] a\n-->",
  "    - [ ] a",
  "- [ ]",
  "a [ ] b",
])("what is no box, code and front matter hold none: %s", (text) => {
  promise("text.boxes");
  expect(parseTaskItems(text, "the plan")).toEqual([]);
});

it("two rules around a list are no front matter", () => {
  expect(parseTaskItems("---\n- [ ] a\n---\n", "the plan")).toHaveLength(1);
});

it("keeps a text of several lines, and one that begins below its box", () => {
  expect(
    parseTaskItems("- [ ] a\n  b\n- [ ]\n  c\n- [\n  ] d\n", "the plan").map(({ text }) => text),
  ).toEqual(["a\nb", "c", "d"]);
});

it("distinguishes a star from the text, also as formatters write it", () => {
  for (const box of ["[ ]*", "[ ]\\*"])
    expect(parseCheckbox(`${box} 1.2 a`)).toEqual({
      mark: "",
      isPlain: true,
      isStarred: true,
      text: "1.2 a",
    });
});

it("names at most five odd boxes, each short", () => {
  expect(renderOddBoxes([], "a.md")).toBe("");
  const said = renderOddBoxes(["[~] `a`", ..."bcdefg"], "a.md");
  expect(said).toContain("`[~] 'a'`, `b`");
  expect(said).toContain("`e` and 2 more.");
});
