/**
 * Writes docs/workflows-gallery.md from the templates themselves: `node scripts/gallery-docs.ts`. A test holds the page up
 * to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { renderMermaid } from "../src/engine/diagram.ts";
import { parseTemplate } from "../src/workflows/custom/gallery.ts";
import { parseWorkflow } from "../src/workflows/custom/parse.ts";
import { TEMPLATES } from "../src/workflows/custom/template-names.ts";

const ROOT = resolve(import.meta.dirname, "..");

const INTRODUCTION = `# A gallery of workflows

Ten workflows to begin with. Each is proved, and a test walks it to its end along every path. Take one, and change it to your
own: [own-workflows.md](own-workflows.md) explains the file.

\`\`\`sh
pawl workflow new shipping --template release   # writes shipping.yaml, the replies in shipping/, and a line in pawl.yaml
pawl check shipping                             # proves it
pawl workflow try shipping --events submit,approve,tagged
\`\`\`

\`pawl workflow try NAME\` walks a workflow without a run: it asks you at each state what happens, shows the reply, and writes
nothing. With \`--events\` it walks by itself: each event moves the workflow on where the facts allow it, and \`--fact NAME=VALUE\`
says what a fact is.

Commands such as \`npm test\` are examples: put your own in their place. Pawl starts them only after \`pawl trust\`.`;

export async function renderGallery(): Promise<string> {
  const pages = TEMPLATES.map((name) => {
    const text = readFileSync(resolve(ROOT, "src/workflows/custom/templates", `${name}.md`), "utf8");
    const { about, files, title } = parseTemplate(text);
    const { definition } = parseWorkflow(name, `${name}.yaml`, files[`${name}.yaml`] ?? "");
    return [
      `## ${title}`,
      about,
      `\`pawl workflow new NAME --template ${name}\``,
      `\`\`\`mermaid\n${renderMermaid(definition.table).trimEnd()}\n\`\`\``,
      `<details><summary>${name}.yaml</summary>\n\n\`\`\`yaml\n${files[`${name}.yaml`]?.trimEnd()}\n\`\`\`\n\n</details>`,
    ].join("\n\n");
  });
  return `${[INTRODUCTION, ...pages].join("\n\n")}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(`${ROOT}/docs/workflows-gallery.md`, await renderGallery());
}
