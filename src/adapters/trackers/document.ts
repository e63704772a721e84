/**
 * Converts Atlassian's document format, by its public JSON schema, to markdown. Nodes without text are named
 * in brackets.
 */
import type { ListItem } from "mdast";
import {
  type Block,
  cellOf,
  code,
  cut,
  type Inline,
  item,
  list,
  MAX_DEPTH,
  mention,
  panel,
  paragraph,
  renderTree,
  table,
  text,
} from "./tree.ts";

interface Node {
  readonly type?: string;
  readonly text?: string;
  readonly content?: readonly Node[];
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly marks?: readonly { readonly type?: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
}

export function renderDocument(document: unknown): string {
  if (typeof document === "string") return cut(document);
  return renderTree(blocks((document as Node | null)?.content ?? [], 0));
}

const BLOCKS =
  /^(?:paragraph|heading|codeBlock|bulletList|orderedList|taskList|decisionList|listItem|taskItem|blockTaskItem|decisionItem|panel|table|tableRow|rule|blockquote|expand|nestedExpand|layoutSection|layoutColumn|mediaSingle|mediaGroup|media|caption|blockCard|embedCard|extension|bodiedExtension|multiBodiedExtension|extensionFrame|syncBlock|bodiedSyncBlock)$/;

/** Text beside blocks, which a document should not have, becomes a paragraph. */
function blocks(nodes: readonly Node[], depth: number): Block[] {
  if (depth > MAX_DEPTH) return [paragraph([text("(not shown: it nests too deep)")])];
  const blocks: Block[] = [];
  let line: Node[] = [];
  const end = () => {
    if (line.length > 0) blocks.push(paragraph(line.flatMap((node) => inline(node, depth))));
    line = [];
  };
  for (const node of nodes) {
    if (BLOCKS.test(node.type ?? "") || node.content?.some(({ type }) => BLOCKS.test(type ?? ""))) {
      end();
      blocks.push(...block(node, depth + 1));
    } else line.push(node);
  }
  end();
  return blocks;
}

function block(node: Node, depth: number): readonly Block[] {
  const inner = node.content ?? [];
  const words = (key: string) => wordsIn(node, key);
  switch (node.type) {
    case "paragraph":
    case "caption":
      return [paragraph(inner.flatMap((child) => inline(child, depth)))];
    case "heading":
      return [
        {
          type: "heading",
          depth: Math.min(6, Math.max(1, Number(node.attrs?.level) || 1)) as 1,
          children: inner.flatMap((child) => inline(child, depth)),
        },
      ];
    case "codeBlock":
      return [code(inner.map((child) => child.text ?? "").join(""), words("language"))];
    case "bulletList":
    case "decisionList":
    case "taskList":
      return [list(items(inner, depth))];
    case "orderedList":
      return [list(items(inner, depth), true, Number(node.attrs?.order ?? 1) || 1)];
    case "blockquote":
      return [panel("", blocks(inner, depth))];
    case "panel":
      return [panel(capital(words("panelType")), blocks(inner, depth))];
    case "expand":
    case "nestedExpand":
      return [panel(words("title"), blocks(inner, depth))];
    case "rule":
      return [{ type: "thematicBreak" }];
    case "table":
      return [table(inner.map((row) => (row.content ?? []).flatMap((cell) => cells(cell, depth))))];
    case "blockCard":
    case "embedCard":
      return [paragraph(inline(node, depth))];
    case "media":
      return [paragraph([text(attachment(node))])];
    case "extension":
    case "syncBlock":
      return [paragraph([text(`(macro: ${words("extensionKey") || node.type})`)])];
    default:
      return blocks(inner, depth);
  }
}

/** A cell over several columns is followed by empty ones. */
function cells(cell: Node, depth: number): readonly (readonly Inline[])[] {
  const span = Math.min(50, Number(cell.attrs?.colspan ?? 1) || 1);
  return [cellOf(blocks(cell.content ?? [], depth)), ...Array.from({ length: span - 1 }, () => [])];
}

/** A list of tasks has its inner lists beside their items. */
function items(nodes: readonly Node[], depth: number): readonly ListItem[] {
  const found: ListItem[] = [];
  for (const node of nodes) {
    const last = found.at(-1);
    const inner = blocks(node.content ?? [], depth);
    if (node.type === "taskList" && last) last.children.push(list(items(node.content ?? [], depth + 1)));
    else if (node.type === "taskItem" || node.type === "blockTaskItem")
      found.push(item(inner, node.attrs?.state === "DONE"));
    else found.push(item(inner));
  }
  return found;
}

function inline(node: Node, depth: number): readonly Inline[] {
  const words = (key: string) => wordsIn(node, key);
  switch (node.type) {
    case "text":
      return [marked(node)];
    case "hardBreak":
      return [{ type: "break" }];
    case "mention":
      return [mention(words("text") || words("id") || "somebody")];
    case "emoji":
      return [text(words("text") || words("shortName"))];
    case "date":
      return [text(dateOf(node.attrs?.timestamp))];
    case "status":
      return [text(words("text"))];
    case "inlineCard":
    case "blockCard":
    case "embedCard": {
      const url = words("url");
      return url === "" ? [text("(not shown: a card)")] : [text(url)];
    }
    case "mediaInline":
      return [text(attachment(node))];
    case "placeholder":
      return [];
    case "inlineExtension":
      return [text(words("text") || `(macro: ${words("extensionKey")})`)];
    default:
      if (node.content && depth <= MAX_DEPTH)
        return node.content.flatMap((child) => inline(child, depth + 1));
      return [text(node.text ?? `(not shown: ${node.type ?? "something"})`)];
  }
}

function marked({ marks = [], text: value = "" }: Node): Inline {
  const has = (type: string) => marks.some((mark) => mark.type === type);
  let inline: Inline = has("code") ? { type: "inlineCode", value } : text(value);
  if (has("em")) inline = { type: "emphasis", children: [inline] };
  if (has("strong")) inline = { type: "strong", children: [inline] };
  if (has("strike")) inline = { type: "delete", children: [inline] };
  const href = marks.find(({ type }) => type === "link")?.attrs?.href;
  if (typeof href !== "string" || href === value) return inline;
  return { type: "link", url: href, children: [inline as never] };
}

function wordsIn({ attrs }: Node, key: string): string {
  const value = attrs?.[key];
  return typeof value === "string" ? value : "";
}

function attachment(node: Node): string {
  const name = wordsIn(node, "alt") || wordsIn(node, "url") || wordsIn(node, "id");
  return `(attachment${name === "" ? "" : `: ${name}`})`;
}

/** Milliseconds, as a day in UTC. */
function dateOf(timestamp: unknown): string {
  const moment = new Date(Number(timestamp));
  return Number.isNaN(moment.getTime()) ? "(a date)" : moment.toISOString().slice(0, 10);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
