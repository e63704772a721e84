/**
 * Renders Markdown for a screen: bold headings, hanging list indents, code set apart, tables that fit. Line
 * breaks within a paragraph stay, because Pawl's own texts rely on them.
 */
import type { Blockquote, Code, List, RootContent } from "mdast";
import { toPawlError } from "../../../core/error.ts";
import { parseBlocks } from "../../../core/text/markdown.ts";
import { paintStates } from "./state-colour.ts";
import { parseTable, renderTable } from "./table.ts";
import type { Paint, Terminal } from "./terminal.ts";
import { wrapHanging, wrapPainted } from "./text-width.ts";

interface Page {
  readonly source: string;
  readonly columns: number;
  readonly paint: Paint;
}

/** Returns a text that is too long for the parser unchanged. */
export function renderMarkdown(
  source: string,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  let blocks: readonly RootContent[];
  try {
    blocks = parseBlocks(source, "the text").children;
  } catch (thrown) {
    if (toPawlError(thrown).code !== "text-too-long") throw thrown;
    return source;
  }
  return `${paintStates(renderBlocks(blocks, { source, columns, paint }).join("\n"), paint)}\n`;
}

/** The blocks' lines, with an empty line where the source has one and after a heading. */
function renderBlocks(blocks: readonly RootContent[], page: Page): string[] {
  return blocks.flatMap((block, at) => {
    const before = blocks[at - 1];
    const isApart =
      before && (before.type === "heading" || lineOf(before, "end") + 1 < lineOf(block, "start"));
    return [...(isApart ? [""] : []), ...renderBlock(block, page)];
  });
}

function lineOf({ position }: RootContent, edge: "start" | "end"): number {
  return position?.[edge].line ?? 0;
}

function renderBlock(block: RootContent, page: Page): string[] {
  const { columns, paint } = page;
  switch (block.type) {
    case "heading":
      return wrapPainted(heading(withoutMarks(textOf(block, page)), block.depth, page), columns);
    case "paragraph":
      return renderParagraph(textOf(block, page), page);
    case "list":
      return renderList(block, page);
    case "blockquote":
      return renderQuote(block, page);
    case "code":
      return renderCode(block);
    case "thematicBreak":
      return [paint.dim("─".repeat(Math.min(columns, 40)))];
    default:
      return sourceOf(block, page).split("\n");
  }
}

/** Without the hashes around a heading. From its end, since `/\s+#+\s*$/` takes quadratic time. */
function withoutMarks(words: string): string {
  const text = words.replace(/^#+\s*/, "").trimEnd();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const before = text.slice(0, end);
  return before === "" || before.trimEnd() !== before ? before.trimEnd() : text;
}

function heading(text: string, depth: number, page: Page): string {
  const shown = renderInline(text.replace(/\n[=-]+\s*$/, ""), page);
  return depth === 1 ? page.paint.bold(page.paint.underline(shown)) : page.paint.bold(shown);
}

function renderParagraph(text: string, page: Page): string[] {
  const table = parseTable(text);
  if (table) return renderTable(table, page.columns, (cell) => renderInline(cell, page), page.paint);
  return text.split("\n").flatMap((line) => wrapHanging(renderInline(line, page), page.columns));
}

function renderList({ children, ordered, start, spread }: List, page: Page): string[] {
  const isTight = spread !== true && children.every((item) => item.spread !== true);
  return children.flatMap((item, at) => {
    const mark = ordered === true ? `${(start ?? 1) + at}. ` : "• ";
    const inner = { ...page, columns: page.columns - mark.length };
    const lines = renderBlocks(item.children, inner);
    const shown = (lines.length === 0 ? [""] : lines).map((line, row) =>
      row === 0 ? `${page.paint.dim(mark)}${line}` : line && `${" ".repeat(mark.length)}${line}`,
    );
    return at === 0 || isTight ? shown : ["", ...shown];
  });
}

function renderQuote({ children }: Blockquote, page: Page): string[] {
  const bar = page.paint.dim("│");
  const lines = renderBlocks(children, { ...page, columns: page.columns - 2 });
  return lines.map((line) => (line === "" ? bar : `${bar} ${line}`));
}

function renderCode({ value }: Code): string[] {
  return value.split("\n").map((line) => line && `    ${line}`);
}

/** The block's text without its marks; the parser leaves inline marks as text. */
function textOf(block: Extract<RootContent, { type: "heading" | "paragraph" }>, page: Page): string {
  return block.children.map((each) => ("value" in each ? each.value : sourceOf(each, page))).join("");
}

function sourceOf({ position }: Pick<RootContent, "position">, { source }: Page): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

/**
 * Code, bold text, links; a backslash before punctuation. Lengths are bounded, so that no text takes long.
 */
const INLINE =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|\[([^[\]\n]{1,200})\]\((https?:[^()\s]{1,1000})\)|\\([!-/:-@[-`{-~])/g;

function renderInline(line: string, { paint }: Page): string {
  return line.replace(INLINE, (whole, code, bold, label, url, escaped) => {
    // Without colour, only its marks distinguish code.
    if (code !== undefined) return paint.cyan(code) === code ? whole : paint.cyan(code);
    if (bold !== undefined) return paint.bold(bold);
    if (url !== undefined) return label === url ? paint.underline(url) : `${label} (${paint.underline(url)})`;
    return escaped;
  });
}
