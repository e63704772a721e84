import { expect, test } from "vitest";
import { renderDocument, renderHtml } from "./markdown.ts";

test("code panels become fences that are longer than any inside, without escapes", () => {
  const html = '<div class="code panel"><pre class="code-java"><span>if</span> (a_b) {\n```\n}</pre></div>';
  expect(renderHtml(html)).toBe("````\nif (a_b) {\n```\n}\n````");
});

test("scripts and styles are left out", () => {
  expect(renderHtml("<p>kept</p><script>gone()</script><style>p{}</style>")).toBe("kept");
});

test("a document that no server rendered keeps its headings, lists, tasks, code and tables", () => {
  const text = (words: string) => ({ type: "text", text: words });
  const paragraph = (words: string) => ({ type: "paragraph", content: [text(words)] });
  const item = (words: string) => ({ type: "listItem", content: [paragraph(words)] });
  const cell = (words: string) => ({ type: "tableCell", content: [paragraph(words)] });
  const content = [
    { type: "heading", attrs: { level: 2 }, content: [text("Goal")] },
    {
      type: "paragraph",
      content: [text("one"), { type: "hardBreak" }, { type: "mention", attrs: { text: "@ann" } }],
    },
    { type: "bulletList", content: [item("first"), item("second")] },
    { type: "orderedList", content: [item("step")] },
    { type: "taskList", content: [{ type: "taskItem", attrs: { state: "DONE" }, content: [text("done")] }] },
    { type: "codeBlock", content: [text("a = 1")] },
    { type: "table", content: [{ type: "tableRow", content: [cell("x"), cell("y")] }] },
    { type: "panel", content: [paragraph("note")] },
    { type: "inlineCard", attrs: { url: "https://example.com" } },
  ];
  expect(renderDocument({ type: "doc", version: 1, content })).toBe(
    "## Goal\n\none\n@ann\n\n- first\n- second\n\n1. step\n\n- [x] done\n\n```\na = 1\n```\n\n| x | y |\n\nnote\n\nhttps://example.com",
  );
  expect(renderDocument(null)).toBe("");
});

test("a text of any length is cut, and says so", () => {
  const text = renderHtml(`<p>${"x".repeat(300_000)}</p>`);
  expect(text.length).toBeLessThan(201_000);
  expect(text).toMatch(/\(cut here: the text is longer\)$/);
});
