import { describe, expect, it } from "vitest";
import { wrapProse } from "./prose.ts";

const LONG = "one two three four five six";

describe("Prose at a width", () => {
  it.each([
    ["a paragraph", LONG, "one two three four\nfive six"],
    ["a list's item, under its own text", `- ${LONG}`, "- one two three four\n  five six"],
    ["a number's item", `  2. ${LONG}`, "  2. one two three\n     four five six"],
    ["an item with a box", `- [ ] ${LONG}`, "- [ ] one two three\n      four five six"],
    ["an indented paragraph", `   ${LONG}`, "   one two three\n   four five six"],
  ])("breaks %s between words", (_, text, expected) => {
    expect(wrapProse(text, 20)).toBe(expected);
  });

  it.each([
    ["what fits", "one  two\n\n  - three"],
    ["a fence, with another one in it", `\`\`\`\`md\n${LONG}\n\`\`\`\n${LONG}\n\`\`\`\`\nend`],
    ["a fence in a list", `- x\n  ~~~\n  ${LONG}\n  ~~~`],
    ["code by its indent", `    ${LONG}`],
    ["a table", `| ${LONG} |`],
    ["a word that is longer than the line", "https://example.com/a/long/address"],
  ])("leaves %s as it is", (_, text) => {
    expect(wrapProse(text, 20)).toBe(text);
  });

  it("goes on breaking after a fence", () => {
    expect(wrapProse(`\`\`\`\nx\n\`\`\`\n${LONG}`, 20)).toMatch(/four\nfive six$/);
  });
});
