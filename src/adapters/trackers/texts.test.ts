import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { renderDocument } from "./document.ts";
import { renderHtml } from "./html.ts";
import { renderWiki } from "./wiki-markup.ts";

/** The same text in each form: what markdown has a mark for stays, code letter by letter. */
const SAME = `## Limits

Ask @Ann about snake_case and ~~TLS 1.0~~ **TLS 1.3**, see [the page](https://example.com/a).

| Env | Limit |
| - | - |
| prod | |
| dev | 100/s |

- one
  - two
    1. three
- four

\`\`\`java
int a_b = x*y;
# [ ] not prose
  indented
\`\`\`

> **Note**
>
> careful`;

const TASKS = "- [x] agreed\n- [ ] open";
const CODE = "int a_b = x*y;\n# [ ] not prose\n  indented";

test("what Jira and Confluence render keeps tables, nested lists, code, panels, mentions, strikes and ticks", () => {
  promise("fetch.texts");
  const lists = "<ul><li>one<ul><li>two<ol><li>three</li></ol></li></ul></li><li>four</li></ul>";
  const rows =
    "<tr><th>Env</th><th>Limit</th></tr><tr><td>prod</td><td></td></tr><tr><td><p>dev</p></td><td>100/s</td></tr>";
  const jira = `<h2><a name="Limits"></a>Limits</h2><p>Ask <a href="https://j.example/ViewProfile.jspa?name=ann" class="user-hover" rel="ann">Ann</a> about snake_case and <del>TLS 1.0</del> <b>TLS 1.3</b>, see <a href="https://example.com/a" class="external-link">the page</a>.</p><div class="table-wrap"><table class="confluenceTable"><tbody>${rows}</tbody></table></div>${lists}<div class="code panel"><div class="codeContent panelContent"><pre class="code-java"><span class="code-object">int</span> a_b = x*y;\n<span># [ ] not prose</span>\n  indented\n</pre></div></div><div class="panel"><div class="panelContent"><p><b>Note</b></p><p>careful</p></div></div>`;
  expect(renderHtml(jira)).toBe(SAME);
  const confluence = `<h2>Limits</h2><p>Ask <a class="confluence-userlink user-mention" href="/u">@Ann</a> about snake_case and <span style="text-decoration: line-through;">TLS 1.0</span> <strong>TLS 1.3</strong>, see <a href="https://example.com/a">the page</a>.</p><table><tbody>${rows}</tbody></table>${lists}<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: java; gutter: false">int a_b = x*y;\n# [ ] not prose\n  indented</pre><div class="confluence-information-macro confluence-information-macro-note"><span class="aui-icon"></span><div class="confluence-information-macro-body"><p>careful</p></div></div>`;
  expect(renderHtml(confluence)).toBe(SAME);
  const tasks =
    '<ul class="inline-task-list"><li class="checked" data-inline-task-id="1"><span>agreed</span></li><li data-inline-task-id="2"><span>open</span></li></ul>';
  expect(renderHtml(tasks)).toBe(TASKS);
});

test("wiki markup, which no server has rendered, keeps the same", () => {
  promise("fetch.texts");
  const wiki = `h2. Limits\r\n\r\nAsk [~Ann] about snake_case and -TLS 1.0- *TLS 1.3*, see [the page|https://example.com/a].\n\n||Env||Limit||\n|prod| |\n|dev|100/s|\n\n* one\n** two\n**# three\n* four\n\n{code:java}\n${CODE}\n{code}\n\n{note}careful{note}`;
  expect(renderWiki(wiki)).toBe(SAME);
  expect(renderWiki("a-b c_d_e 2*3*4 \\*no\\* {{x*y}} {color:red}red{color}\n{code}\nleft open")).toBe(
    "a-b c_d_e 2\\*3\\*4 \\*no\\* `x*y` red\\\n{code}\\\nleft open",
  );
});

test("a document of the Cloud keeps the same, and names what has no text", () => {
  promise("fetch.texts");
  const text = (words: string, ...marks: object[]) => ({ type: "text", text: words, marks });
  const node = (type: string, content: object[] = [], attrs: object = {}) => ({ type, content, attrs });
  const paragraph = (...content: object[]) => node("paragraph", content);
  const cell = (type: string, ...words: string[]) =>
    node(type, [paragraph(...words.map((each) => text(each)))]);
  const item = (words: string, ...more: object[]) => node("listItem", [paragraph(text(words)), ...more]);
  const content = [
    node("heading", [text("Limits")], { level: 2 }),
    paragraph(
      text("Ask "),
      { type: "mention", attrs: { id: "5b", text: "@Ann" } },
      text(" about snake_case and "),
      text("TLS 1.0", { type: "strike" }),
      text(" "),
      text("TLS 1.3", { type: "strong" }),
      text(", see "),
      text("the page", { type: "link", attrs: { href: "https://example.com/a" } }),
      text("."),
    ),
    node("table", [
      node("tableRow", [cell("tableHeader", "Env"), cell("tableHeader", "Limit")]),
      node("tableRow", [cell("tableCell", "prod"), cell("tableCell")]),
      node("tableRow", [cell("tableCell", "dev"), cell("tableCell", "100/s")]),
    ]),
    node("bulletList", [
      item("one", node("bulletList", [item("two", node("orderedList", [item("three")]))])),
      item("four"),
    ]),
    node("codeBlock", [text(CODE)], { language: "java" }),
    node("panel", [paragraph(text("careful"))], { panelType: "note" }),
  ];
  expect(renderDocument({ type: "doc", version: 1, content })).toBe(SAME);
  const task = (state: string, words: string) => node("taskItem", [text(words)], { state });
  const rest = [
    node("taskList", [
      task("DONE", "agreed"),
      node("taskList", [task("TODO", "below")]),
      task("TODO", "open"),
    ]),
    paragraph({ type: "date", attrs: { timestamp: "1767225600000" } }, text(" "), { type: "newInline" }),
    node("mediaSingle", [{ type: "media", attrs: { type: "file", id: "1", alt: "p.png" } }]),
    { type: "extension", attrs: { extensionKey: "chart" } },
  ];
  expect(renderDocument({ type: "doc", version: 1, content: rest })).toBe(
    "- [x] agreed\n  - [ ] below\n- [ ] open\n\n2026-01-01 (not shown: newInline)\n\n(attachment: p.png)\n\n(macro: chart)",
  );
});

test("lists, code and several lines in a cell stay in its row", () => {
  promise("fetch.texts");
  const html =
    "<table><tr><td><p>a</p><p>b|c</p></td><td><ul><li>x</li><li>y<ol><li>z</li></ol></li></ul></td><td><pre>p;\nq</pre></td></tr></table>";
  expect(renderHtml(html)).toBe("| | | |\n| - | - | - |\n| a<br>b\\|c | - x<br>- y<br>1. z | `p;`<br>`q` |");
});

test("code panels become fences that are longer than any inside, without escapes", () => {
  const html = '<div class="code panel"><pre class="code-java"><span>if</span> (a_b) {\n```\n}</pre></div>';
  expect(renderHtml(html)).toBe("````java\nif (a_b) {\n```\n}\n````");
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
    "## Goal\n\none\\\n@ann\n\n- first\n- second\n\n1. step\n\n- [x] done\n\n```\na = 1\n```\n\n| x | y |\n| - | - |\n\n> note\n\nhttps://example.com",
  );
  expect(renderDocument(null)).toBe("");
});

test("a text of any length is cut, and says so", () => {
  const text = renderHtml(`<p>${"x".repeat(300_000)}</p>`);
  expect(text.length).toBeLessThan(201_000);
  expect(text).toMatch(/\(cut here: the text is longer\)$/);
});

test("marked words with blanks at their ends are words, without entities", () => {
  promise("fetch.texts");
  const same = "a **bold** c ~~s~~ [the *page*](https://x/y) : end";
  expect(
    renderHtml(
      '<p>a<b> bold </b>c<del> s </del><em> </em><a href="https://x/y">the <em>page </em></a>: end</p>',
    ),
  ).toBe(same);
  const text = (words: string, ...types: string[]) => ({
    ...{ type: "text", text: words },
    marks: types.map((type) => ({ type, ...(type === "link" && { attrs: { href: "https://x/y" } }) })),
  });
  const content = [
    text("a"),
    text(" bold ", "strong"),
    text("c"),
    text(" s ", "strike"),
    text(" ", "em"),
    text("b"),
  ];
  expect(renderDocument({ content: [{ type: "paragraph", content }] })).toBe("a **bold** c ~~s~~  b");
  expect(
    renderDocument({
      content: [{ type: "paragraph", content: [text("see "), text("it ", "link"), text("!")] }],
    }),
  ).toBe("see [it](https://x/y) !");
});

test("a table whose rows, filled up, would take gigabytes is lines instead", () => {
  promise("text.linear");
  const cells = "<td>a</td>".repeat(1_000);
  const html = `<table><tr>${cells}</tr>${"<tr><td>b</td></tr>".repeat(1_000)}</table>`;
  expect(renderHtml(html)).toMatch(/^a+b+$/);
  const row = (words: readonly string[]) => ({
    type: "tableRow",
    content: words.map((text) => ({ type: "tableCell", content: [{ type: "text", text }] })),
  });
  const rows = [
    row(Array.from({ length: 1_000 }, () => "a")),
    ...Array.from({ length: 1_000 }, () => row(["b"])),
  ];
  expect(renderDocument({ content: [{ type: "table", content: rows }] })).toMatch(
    /^a \/ a[ /a]+\\?\nb\\?\nb/,
  );
});
