import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { paintOf } from "./terminal.ts";
import { widthOf } from "./text-width.ts";

const render = (text: string, columns = 40) => renderMarkdown(text, { columns, paint: paintOf(false) });
const painted = (text: string) => renderMarkdown(text, { columns: 40, paint: paintOf(true) });
const LONG = "one two three four five six seven eight nine ten";

describe("Markdown on a screen", () => {
  it("shows headings without their marks, in bold", () => {
    expect(render("# Title\n\n## Part `x` ##\ntext")).toBe("Title\n\nPart `x`\n\ntext\n");
    expect(painted("## Part")).toBe("\u001b[1mPart\u001b[22m\n");
  });

  it("wraps a paragraph and keeps its line breaks", () => {
    expect(render(`${LONG}\nend`)).toBe("one two three four five six seven eight\nnine ten\nend\n");
  });

  it("hangs a list's lines under their text, at each depth", () => {
    promise("cli.readable");
    expect(render(`- ${LONG}\n  1. ${LONG}\n- last`, 30)).toBe(
      [
        "• one two three four five six",
        "  seven eight nine ten",
        "  1. one two three four five",
        "     six seven eight nine ten",
        "• last",
        "",
      ].join("\n"),
    );
  });

  it("counts an ordered list from its own first number, and keeps the boxes of a task list", () => {
    expect(render("3. a\n4. b\n\ntext\n\n- [ ] open\n- [x] done")).toBe(
      "3. a\n4. b\n\ntext\n\n• [ ] open\n• [x] done\n",
    );
  });

  it("leaves code as it is, also in a list and beyond the width", () => {
    const code = `${LONG} **x**`;
    expect(render(`- a\n\n  \`\`\`js\n  ${code}\n  \`\`\``, 20)).toBe(`• a\n\n      ${code}\n`);
  });

  it("puts a bar before each line of a quotation", () => {
    expect(render(`> ${LONG}\n>\n> end`, 30)).toBe(
      "│ one two three four five six\n│ seven eight nine ten\n│\n│ end\n",
    );
  });

  it("shows a link's address after its label, and a bare one once", () => {
    expect(render("[docs](https://x.test/a) [https://x.test](https://x.test)", 80)).toBe(
      "docs (https://x.test/a) https://x.test\n",
    );
  });

  it("hangs what does not fit under a column, and puts no line between blocks that the source has together", () => {
    expect(render("Evidence:\nfailed (3)  npm test and what it said after that\n- a", 30)).toBe(
      "Evidence:\nfailed (3)  npm test and what\n            it said after that\n• a\n",
    );
  });

  it("paints code, bold text and states, and takes an escape's backslash away", () => {
    expect(painted("`a` **b** \\*c\nblocked  x")).toBe(
      "\u001b[36ma\u001b[39m \u001b[1mb\u001b[22m *c\n\u001b[31mblocked\u001b[39m  x\n",
    );
  });

  it.each([20, 40, 60, 80])("draws a table within %i columns, in whole words if they fit", (columns) => {
    promise("cli.readable");
    const table = `| name | what it does | 漢字 |\n|---|:--|--:|\n| \`a\\|b\` | ${LONG} | 漢字漢字漢字 |\n`;
    const lines = render(table, columns).trimEnd().split("\n");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(/^name {2}/);
    expect(render(table, columns)).toContain("`a|b`".slice(0, 4));
    expect(render(table, 80)).toContain(`\`a|b\`  ${LONG}  漢字漢字漢字`);
  });

  it("shows a text that is too long for the parser as it is", () => {
    const text = "# x\n".repeat(20_000);
    expect(render(text)).toBe(text);
  });
});
