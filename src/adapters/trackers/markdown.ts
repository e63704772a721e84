import TurndownService from "turndown";
import { fenceFor } from "../../core/fence.ts";

/** The longest text that is accepted. A longer one is cut, and says so. */
const MAX_LENGTH = 200_000;

const turndown = new TurndownService({
  headingStyle: "atx",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
});
turndown.remove(["script", "style"]);
// Both products render code as `pre` without an inner `code`, with a span for each word.
turndown.addRule("code-panel", {
  filter: "pre",
  replacement: (_content, node) => {
    const { textContent } = node as { readonly textContent?: string | null };
    const text = (textContent ?? "").replace(/\n$/, "");
    const fence = fenceFor(text);
    return `\n\n${fence}\n${text}\n${fence}\n\n`;
  },
});

/** The longest HTML that is read. */
const MAX_HTML = 2 * MAX_LENGTH;
/** Deeper than any page. The converter's time is quadratic in the depth. */
const DEEPEST = 200;
const WITHOUT_END = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i;

/** Converts a server's HTML to markdown; only its text if it nests too deep. */
export function renderHtml(html: string): string {
  const part = html.slice(0, MAX_HTML);
  const text = isDeep(part) ? part.replace(/<[^<>]*>/g, " ") : turndown.turndown(part);
  return cut(text, html.length > MAX_HTML);
}

function isDeep(html: string): boolean {
  let depth = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    const next = html.slice(at + 1, at + 8);
    if (next.startsWith("/")) depth = Math.max(0, depth - 1);
    else if (/^[a-z]/i.test(next) && !WITHOUT_END.test(next)) depth++;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** A node of Atlassian's document format. */
interface Node {
  readonly type?: string;
  readonly text?: string;
  readonly content?: readonly Node[];
  readonly attrs?: Readonly<Record<string, unknown>>;
}

/** Converts a document in Atlassian's format to plain markdown, for servers that do not render it. */
export function renderDocument(document: unknown): string {
  if (typeof document === "string") return cut(document);
  return cut(blocks((document as Node | null)?.content ?? []));
}

function blocks(nodes: readonly Node[]): string {
  return nodes.map(block).filter(Boolean).join("\n\n");
}

function block(node: Node): string {
  const inner = node.content ?? [];
  switch (node.type) {
    case "heading":
      return `${"#".repeat(Number(node.attrs?.level ?? 1))} ${inline(inner)}`;
    case "codeBlock":
      return `\`\`\`\n${inline(inner)}\n\`\`\``;
    case "bulletList":
    case "taskList":
    case "decisionList":
      return inner.map((item) => listItem("-", item)).join("\n");
    case "orderedList":
      return inner.map((item, at) => listItem(`${at + 1}.`, item)).join("\n");
    case "rule":
      return "---";
    case "tableRow":
      return `| ${inner.map((cell) => blocks(cell.content ?? []).replace(/\s+/g, " ")).join(" | ")} |`;
    case "table":
      return inner.map(block).join("\n");
    default:
      return inner.some((child) => isBlock(child)) ? blocks(inner) : inline(node.content ? inner : [node]);
  }
}

function listItem(marker: string, item: Node): string {
  const box = item.type === "taskItem" ? (item.attrs?.state === "DONE" ? "[x] " : "[ ] ") : "";
  const inner = item.content ?? [];
  const text = inner.some((child) => isBlock(child)) ? blocks(inner) : inline(inner);
  return `${marker} ${box}${text.replace(/\n/g, "\n  ")}`;
}

function isBlock({ type }: Node): boolean {
  return /^(paragraph|heading|codeBlock|bulletList|orderedList|taskList|listItem|panel|table|rule|blockquote)/.test(
    type ?? "",
  );
}

function inline(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (node.type === "hardBreak") return "\n";
      const shown = node.text ?? node.attrs?.text ?? node.attrs?.url ?? node.attrs?.shortName;
      return typeof shown === "string" ? shown : inline(node.content ?? []);
    })
    .join("");
}

function cut(text: string, isPart = false): string {
  if (text.length <= MAX_LENGTH && !isPart) return text;
  return `${text.slice(0, MAX_LENGTH)}\n\n(cut here: the text is longer)`;
}
