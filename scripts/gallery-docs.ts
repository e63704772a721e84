/**
 * Writes docs/workflows-gallery.md from the templates themselves: `node scripts/gallery-docs.ts`. A test holds the page up
 * to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseTemplate } from "../src/workflows/custom/gallery.ts";
import { TEMPLATES } from "../src/workflows/custom/template-names.ts";

const ROOT = resolve(import.meta.dirname, "..");

const INTRODUCTION = `# A gallery of workflows

Sixteen workflows to begin with. Each is proved, and a test walks it along every path. Change one to your own:
[own-workflows.md](own-workflows.md) explains the file.

\`\`\`sh
pawl workflow new shipping --template release   # writes shipping.yaml, the replies in shipping/, and a line in pawl.yaml
pawl check shipping                             # proves it
pawl workflow try shipping --events submit,approve,tagged
\`\`\`

\`pawl workflow try NAME\` walks one without a run: it asks at each state what happens, shows the reply, and writes
nothing. With \`--events\` it walks by itself where the facts allow it; \`--fact NAME=VALUE\` says what a fact is.

\`pawl workflow diagram NAME\` draws it; \`/ reviewer\` at an arrow is the agent that it starts.

Commands such as \`npm test\`, agents and budgets are examples: put in your own. Pawl starts commands only after \`pawl trust\`.`;

export async function renderGallery(): Promise<string> {
  const rows = TEMPLATES.map((name) => {
    const text = readFileSync(resolve(ROOT, "src/workflows/custom/templates", `${name}.md`), "utf8");
    const { about } = parseTemplate(text);
    const [first = ""] = about.split(/(?<=[.:])\s/);
    return `| \`${name}\` | ${first.replace(/\s+/g, " ").replace(/:$/, ".")} |`;
  });
  const table = ["| Template | What it is for |", "| --- | --- |", ...rows].join("\n");
  return `${[INTRODUCTION, table].join("\n\n")}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(`${ROOT}/docs/workflows-gallery.md`, await renderGallery());
}
