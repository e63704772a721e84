/** What trackers and people write as text: the converters to markdown, and the readers of task lists. */

import { renderDocument } from "../../../src/adapters/trackers/document.ts";
import { renderHtml } from "../../../src/adapters/trackers/html.ts";
import { renderWiki } from "../../../src/adapters/trackers/wiki-markup.ts";
import { attempt } from "../../../src/core/attempt.ts";
import { observeChecklist } from "../../../src/workflows/custom/observe.ts";
import { parseAtlassianUrls } from "../../../src/workflows/spells/atlassian.ts";
import { parseCriteria } from "../../../src/workflows/spells/criteria.ts";
import type { Target } from "../target.ts";

export const texts: Target = {
  name: "texts",
  seeds: [
    '<h2>a</h2><p>b <a href="https://x/y" class="user-hover">c</a></p><table><tr><th>d</th></tr><tr><td><ul><li>e</li></ul></td></tr></table>',
    '<ul class="inline-task-list"><li class="checked"><span>a</span></li></ul><pre class="code-java">b\n</pre><div class="panel"><p>c</p></div>',
    '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">java</ac:parameter><ac:plain-text-body><![CDATA[a]]></ac:plain-text-body></ac:structured-macro>',
    "h1. a\n# b\n## c\n||d||e||\n|f|[g|https://x]|\n{code:java}\nh\n{code}\n*i* -j- {{k}} {panel:title=l}m{panel}\n",
    '{"type":"doc","content":[{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"DONE"},"content":[{"type":"text","text":"a","marks":[{"type":"strike"}]}]}]},{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[{"type":"paragraph","content":[{"type":"mention","attrs":{"text":"@b"}}]}]}]}]},{"type":"codeBlock","attrs":{"language":"ts"},"content":[{"type":"text","text":"c"}]},{"type":"panel","attrs":{"panelType":"note"},"content":[]}]}',
    "---\na: b\n---\n- [ ] c\n  - [x] d\n1. [~] e\n> - [] f\n```\n- [ ] g\n```\nhttps://a.atlassian.net/browse/A-1\n",
  ],
  run(bytes) {
    const text = Buffer.from(bytes).toString("utf8");
    renderHtml(text);
    renderWiki(text);
    const document: unknown = attempt(() => JSON.parse(text), null);
    if (document !== null) renderDocument(document);
    observeChecklist(text, "x");
    parseCriteria(text);
    parseAtlassianUrls(text);
  },
};
