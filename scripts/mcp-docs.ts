// Writes docs/internals/mcp-tools.md, the reference of every tool, prompt and resource, from what the workflows declare:
// `node scripts/mcp-docs.ts`. A test holds that it is up to date.
import { writeFileSync } from "node:fs";
import { z } from "zod";
import type { Tool, WorkflowModule } from "../src/runtime/module.ts";
import { WORKFLOWS } from "../src/workflows/index.ts";

export const PAGE = new URL("../docs/internals/mcp-tools.md", import.meta.url);

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The whole page. */
export async function renderToolReference(): Promise<string> {
  const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  const shown = new Set<Tool>();
  const sections: string[] = [];
  for (const module of modules) sections.push(await renderModule(module, shown));
  return `${[
    "# MCP tools",
    "",
    "What `pawl mcp` serves, by workflow; written by `node scripts/mcp-docs.ts`. How it is served is told in",
    "[The MCP server](mcp.md).",
    "",
    sections.join("\n\n"),
  ].join("\n")}\n`;
}

async function renderModule({ mcp, summary, title }: WorkflowModule, shown: Set<Tool>): Promise<string> {
  const [tools = [], prompts = [], resources = []] = await Promise.all([
    mcp?.tools(),
    mcp?.prompts?.(),
    mcp?.resources?.(),
  ]);
  const parts = [`## ${title}`, summary];
  for (const tool of tools) {
    parts.push(
      shown.has(tool)
        ? `### \`${tool.name}\`\n\nThe same tool as above, of this workflow's runs too.`
        : renderTool(tool),
    );
    shown.add(tool);
  }
  if (prompts.length > 0) {
    const rows = prompts.map(
      ({ name, title, description, arguments: given }) =>
        `| \`${name}\` | ${cell(title)} | ${cell(description)} | ${given.map((one) => `\`${one.name}\`${one.required ? "" : " (optional)"}`).join(", ") || "–"} |`,
    );
    parts.push(
      ["| Prompt | Title | Description | Arguments |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    );
  }
  if (resources.length > 0) {
    const rows = resources.map(
      ({ uri, title, description }) => `| \`${uri}\` | ${cell(title)} | ${cell(description)} |`,
    );
    parts.push(["| Resource | Title | Description |", "| --- | --- | --- |", ...rows].join("\n"));
  }
  return parts.join("\n\n");
}

function renderTool(tool: Tool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.input, { io: "input" }) as Schema;
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${cell(typeOf(schema))} | ${required.includes(name) ? "yes" : "no"} | ${cell(schema.description ?? "")} |`,
  );
  const hints = [tool.readOnly ? "changes nothing" : "", tool.idempotent ? "may be repeated" : ""].filter(
    Boolean,
  );
  return [
    `### \`${tool.name}\``,
    "",
    `**${tool.title}.** ${tool.description}${hints.length > 0 ? ` *(${hints.join(", ")})*` : ""}`,
    "",
    rows.length === 0
      ? "No arguments."
      : ["| Argument | Type | Required | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ].join("\n");
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${schema.items ? typeOf(schema.items) : "anything"}`;
  if (schema.type === undefined) return "anything";
  return [schema.type].flat().join(" or ");
}

/** A text within a table. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

if (import.meta.main) writeFileSync(PAGE, await renderToolReference());
