// Writes the generated parts of docs/internals/spells.md from the table: `node scripts/spells-docs.ts`. A test holds that they
// are up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { check } from "../src/engine/check.ts";
import { renderMermaid } from "../src/engine/diagram.ts";
import { renderBoxes } from "../src/engine/lookup.ts";
import { SPELLS } from "../src/workflows/spells/events.ts";
import { REPLY_NAMES } from "../src/workflows/spells/reply-names.ts";
import { SPELLS_WORKFLOW as TABLE } from "../src/workflows/spells/table.ts";

const PAGE = new URL("../docs/internals/spells.md", import.meta.url);

const PARTS: Readonly<Record<string, () => string>> = {
  proof() {
    const { counts } = check({ workflow: TABLE, replies: REPLY_NAMES });
    return `${counts.states} states × ${counts.events} spells = ${counts.pairs} pairs, ${counts.rules} rules, each with its reply. For each of ${counts.combinations} combinations of inputs, over ${counts.configurations} configurations, exactly one rule applies; every state and rule is reached, and no run is trapped.`;
  },
  states() {
    const rows = Object.entries(TABLE.states).map(
      ([name, { description }]) => `| \`${name}\` | ${description} |`,
    );
    return ["| State | Meaning |", "| --- | --- |", ...rows].join("\n");
  },
  pairs() {
    const spells = SPELLS.filter((spell) => spell !== "lumos");
    const rows = Object.keys(TABLE.states).map(
      (state) => `| \`${state}\` | ${spells.map((spell) => cell(state, spell)).join(" | ")} |`,
    );
    return [
      `| State | ${spells.map((spell) => `${spell.charAt(0).toUpperCase()}${spell.slice(1)}`).join(" | ")} |`,
      `| --- |${" --- |".repeat(spells.length)}`,
      ...rows,
    ].join("\n");
  },
  conditions() {
    const rows = TABLE.rules.filter((rule) => rule.when !== undefined);
    return [
      "| Row | Spell | Applies where |",
      "| --- | --- | --- |",
      ...rows.map(
        (row) => `| ${row.id} | ${row.on} | ${renderBoxes(row.when ?? []).replaceAll("|", "\\|")} |`,
      ),
    ].join("\n");
  },
  diagram: () => `\`\`\`mermaid\n${renderMermaid(TABLE)}\`\`\``,
};

const MARKS: Readonly<Record<string, string>> = { blocked: "–", "no-effect": "·" };

function cell(state: string, spell: string): string {
  const rows = TABLE.rules.filter((rule) => rule.on === spell && rule.from.includes(state));
  return rows
    .map(({ id, to, outcome }) => {
      const target = typeof to === "string" ? to : to[state];
      const place = target === "same" ? "" : ` ${target}`;
      return `${MARKS[outcome] ?? "→"} ${id}${place}`;
    })
    .join("<br>");
}

/** The page with its generated parts as they should be. */
export function renderPage(page: string): string {
  return page.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, start: string, name: string, end: string) => `${start}\n${PARTS[name]?.() ?? ""}\n\n${end}`,
  );
}

if (import.meta.main) writeFileSync(PAGE, renderPage(readFileSync(PAGE, "utf8")));
