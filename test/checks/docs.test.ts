/**
 * The documentation, read: every file that a page shows is one that would be taken; every link is followed, every command
 * that is named exists. `docs-run.story.test.ts` runs it.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { z } from "zod";
import { renderReference } from "../../scripts/cli-reference.ts";
import { AGENT_VARIABLES } from "../../src/adapters/agents/ancestry.ts";
import { ALFRED_FILE, PAWL_FILE } from "../../src/config/config-schema.ts";
import { belowOf, resolveCommand } from "../../src/core/command-groups.ts";
import { COMMANDS } from "../../src/surfaces/cli/line/commands.ts";
import { SHOWN } from "../../src/surfaces/mcp/answer.ts";
import { tasksFile } from "../../src/tasks-file/schema.ts";
import { EXTENDING_FILE, WORKFLOW_FILE } from "../../src/workflows/custom/definition/schema.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { blocksOf, NOT_RUN, blocksIn as of, PAGES, ROOT, textOf } from "../rig/docs.ts";
import { promise } from "../rig/promise.ts";

const LANGUAGES = ["sh", "yaml", "json", "ts", "js", "markdown", "mermaid", "text"];
const SCHEMAS: readonly z.ZodType[] = [
  PAWL_FILE,
  ALFRED_FILE,
  tasksFile,
  WORKFLOW_FILE,
  WORKFLOW_FILE.shape.rows,
  EXTENDING_FILE,
];

describe("the documentation", () => {
  it("is seen: the test has pages and blocks before it, and knows their languages", () => {
    expect(PAGES.length).toBeGreaterThan(20);
    expect(PAGES.flatMap((page) => of(page, "sh")).length).toBeGreaterThan(12);
    const languages = new Set(PAGES.flatMap((page) => blocksOf(page).map(({ language }) => language)));
    expect([...languages].filter((language) => !LANGUAGES.includes(language))).toEqual([]);
    const fences = PAGES.map((page) => textOf(page).match(/^```/gm)?.length ?? 0);
    expect(PAGES.map((page) => 2 * blocksOf(page).length)).toEqual(fences);
  });

  it("leaves out no more blocks than those that cannot be run", () => {
    const left = PAGES.flatMap((page) =>
      blocksOf(page).flatMap(({ mark, said }) => (mark === "not run" && said.length > 20 ? [page] : [])),
    );
    expect(left.sort()).toEqual([...NOT_RUN].sort());
  });

  it.each(PAGES)("has no link in %s that leads nowhere", (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!(?:https?|cursor|vscode):)([^)\s]+)\)/g)].map(
      ([, to = ""]) => to,
    );
    expect(links.filter((to) => !leadsSomewhere(page, to))).toEqual([]);
  });

  it("lists each client whose shown part is known, with what it shows", () => {
    const parts = { data: "the structured content", text: "the text", both: "both" };
    const rows = SHOWN.map(({ client, from, to, shows }) => {
      const versions = from === to ? to : `${from} to ${to}`;
      return `| \`${client}\` | ${versions} | ${parts[shows]} |`;
    });
    const [, table = ""] = /shows its model \|\n.*\n((?:\|.*\n)+)/i.exec(textOf("docs/clients.md")) ?? [];
    expect(table.trim().split("\n")).toEqual(rows);
  });

  it("names no command that there is not", async () => {
    const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
    const names = [...COMMANDS, ...modules.flatMap(({ verbs }) => verbs)].map(({ name }) => name);
    const known = new Set(names.flatMap((name) => [name, name.split(" ")[0] ?? name]));
    const wrong = PAGES.flatMap((page) =>
      [...textOf(page).matchAll(/`(?:npx )?(?:pawl|bloom) ([a-z]+)( [a-z-]+)?[^`]*`/g)].flatMap(
        ([whole, above = "", below = ""]) => {
          const [first = "", second = ""] = resolveCommand([above, below.trim()]).words;
          const hasSeconds = names.some((name) => name.startsWith(`${first} `)) && !names.includes(first);
          const isGroup = below === "" && Object.keys(belowOf(first)).length > 0;
          return isGroup || known.has(hasSeconds ? `${first} ${second}`.trim() : first)
            ? []
            : [`${page}: ${whole}`];
        },
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the marks of an agent's process", () => {
  it("are all on the page on agents", () => {
    expect(AGENT_VARIABLES.length).toBeGreaterThan(15);
    expect(AGENT_VARIABLES.filter((name) => !textOf("docs/agents.md").includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the container's recipe", () => {
  it("has the project and nothing else in it", () => {
    const [recipe] = of("docs/security.md", "sh").filter(({ body }) => body.startsWith("docker run"));
    const words = (recipe?.body ?? "").replaceAll("\\\n", " ").split(/\s+/);
    expect(words.filter((_, at) => words[at - 1] === "-v")).toEqual(['"$PWD:$PWD"']);
    expect(words).toEqual(expect.arrayContaining(["--init", "--cap-drop", "no-new-privileges"]));
  });
});

describe("the glossary", () => {
  const rows = [
    ...textOf("docs/concepts.md").matchAll(/^\| \*\*(.+?)\*\*(?: \(`(\w+)`\))? \| (.+) \|$/gm),
  ].map(([, term = "", otherName, meaning = ""]) => ({ term, otherName, meaning }));
  const terms = rows.map(({ term }) => term);
  const [begins = ""] = textOf("docs/concepts.md").split(/^## /m);

  it("has each word that the program's help uses for a thing of Pawl's, or another page explains it", async () => {
    const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
    const named = [...COMMANDS, ...modules.flatMap(({ verbs }) => verbs)].flatMap((spec) => [
      ...spec.arguments.map(({ name }) => name),
      ...spec.options.flatMap(({ flags }) => [...flags.matchAll(/[<[](\w+)/g)].map(([, name = ""]) => name)),
    ]);
    // Words of every day, which mean what they mean.
    const plain = [
      "action",
      "address",
      "dir",
      "file",
      "format",
      "json",
      "n",
      "name",
      "names",
      "number",
      "path",
      "reason",
      "shell",
      "source",
      "text",
      "time",
      "type",
    ];
    const elsewhere = {
      id: "docs/concepts.md",
      journal: "docs/internals/commit.md",
      key: "docs/verify.md",
      labels: "docs/several-machines.md",
      branch: "docs/team.md",
      range: "docs/internals/verify.md",
    };
    const known = [...terms, ...rows.map(({ otherName }) => otherName), ...Object.keys(elsewhere), ...plain];
    expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
    for (const [word, page] of Object.entries(elsewhere)) {
      const bold = [...textOf(page).matchAll(/\*\*([^*\n]+)\*\*/g)].map(([, words = ""]) => words);
      expect(
        bold.some((words) => new RegExp(`\\b${word}`, "i").test(words)),
        `${page}: ${word}`,
      ).toBe(true);
      expect(named).toContain(word);
      expect(terms).not.toContain(word);
    }
    const pages = [...begins.matchAll(/^- \[(\w+)\]\(\w+\.md\)/gm)].map(([, title]) => title);
    expect(pages.sort()).toEqual(modules.map(({ title }) => title).sort());
  });

  it.each(["Bloom", "Alfred", "Spells"])(
    "needs few words to begin with %s, and its first pages no more",
    (title) => {
      promise("first-hour.words");
      const most = title === "Spells" ? 6 : 8;
      const [, listed = ""] = new RegExp(`^- \\[${title}\\].*: (.+)\\.$`, "m").exec(begins) ?? [];
      const own = listed.split(", ");
      expect(own.length).toBeLessThanOrEqual(most);
      expect(own.filter((word) => !terms.slice(0, terms.indexOf("workflow")).includes(word))).toEqual([]);
      const page = `docs/${title.toLowerCase()}.md`;
      const learned = [
        new RegExp(`^\\*\\*\\[${title}\\].+?(?=^(?:\\*\\*\\[|You can write))`, "ms").exec(
          textOf("README.md"),
        ),
        new RegExp(`^## ${title}:.+?(?=^## )`, "ms").exec(textOf("docs/quickstart.md")),
        /^.+?(?=^## (?:Keys of a task|The task.s file|The files)$)/ms.exec(textOf(page)),
      ].map((found) => found?.[0] ?? "");
      expect(learned.filter((text) => text.length < 200)).toEqual([]);
      const text = learned
        .join("\n")
        .replace(/^```.*?^```$/gms, "")
        .replace(/`[^`]*`/g, "");
      // As everybody uses them.
      const plain = ["run", "state", "commit", "client", "project", "workflow", "step"];
      const used = terms.filter((term) => new RegExp(`\\b${term}s?\\b`, "i").test(text));
      expect(used.filter((word) => !own.includes(word) && !plain.includes(word))).toEqual([]);
    },
  );

  it("explains each word once, in a sentence or two, and none that nothing else says", () => {
    expect(textOf("docs/concepts.md").match(/^\| \*\*/gm)?.length).toBe(rows.length);
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms.length).toBeGreaterThan(30);
    expect(terms.length).toBeLessThanOrEqual(40);
    const sentences = (text: string) => text.match(/[.?!](?= [A-Z`*[]|$)/g)?.length ?? 0;
    expect(rows.filter(({ meaning }) => ![1, 2].includes(sentences(meaning)))).toEqual([]);
    const elsewhere = PAGES.filter((page) => page !== "docs/concepts.md")
      .map(textOf)
      .join("\n")
      .toLowerCase();
    const stem = (term: string) => term.toLowerCase().replace(/(ion|y|e)$/, "");
    expect(terms.filter((term) => !elsewhere.includes(stem(term)))).toEqual([]);
  });
});

describe("every block of", () => {
  it.each(NOT_RUN)("%s that is not run is a shell's all the same", (page) => {
    for (const { body } of of(page, "sh"))
      expect(() => execFileSync("sh", ["-n", "-c", body], { stdio: "pipe" })).not.toThrow();
  });

  const shown = PAGES.filter((page) => of(page, "yaml", "json", "markdown").length > 0);

  it.each(shown)("%s that shows a file shows one that would be taken", (page) => {
    for (const { body } of of(page, "json")) expect(() => JSON.parse(body)).not.toThrow();
    for (const { body, line } of of(page, "yaml"))
      expect(
        SCHEMAS.some((schema) => schema.safeParse(parse(body)).success),
        `${page}:${line}`,
      ).toBe(true);
    for (const { mark, line } of of(page, "markdown")) expect(mark, `${page}:${line}`).toBe("file");
  });
});

describe("the commands' page", () => {
  it("is what the program's own help says", async () => {
    const page = await renderReference();
    expect(page.match(/^- `pawl /gm)?.length).toBeGreaterThan(60);
    expect(page).toBe(textOf("docs/cli.md"));
  });
});

/** To a file that is there, and to a heading that it has. */
function leadsSomewhere(page: string, to: string): boolean {
  const [path = "", heading] = to.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  if (heading === undefined) return true;
  const headings = [...textOf(target).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
  return headings.includes(heading);
}
