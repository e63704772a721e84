/** Converts the HTML in which Jira and Confluence render their texts to markdown. */
import type { Element, Nodes } from "hast";
import { fromHtml } from "hast-util-from-html";
import { defaultHandlers, type Handle, type State, toMdast } from "hast-util-to-mdast";
import type { ListItem, RootContent } from "mdast";
import {
  type Block,
  cellOf,
  code,
  cut,
  isUneven,
  MAX_DEPTH,
  MAX_LENGTH,
  mention,
  panel,
  paragraph,
  renderTree,
  text,
} from "./tree.ts";

/** The maximum length of HTML that is read. */
const MAX_HTML = 2 * MAX_LENGTH;
const WITHOUT_END = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i;

/** Returns only the text if it nests too deep. */
export function renderHtml(html: string): string {
  const isPart = html.length > MAX_HTML;
  const part = html.slice(0, MAX_HTML);
  if (isDeep(part)) return cut(part.replace(/<[^<>]*>/g, " "), isPart);
  const tree = toMdast(fromHtml(part, { fragment: true }), { handlers: HANDLERS });
  return renderTree(tree.type === "root" ? tree.children : [tree as RootContent], isPart);
}

function isDeep(html: string): boolean {
  let depth = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    const next = html.slice(at + 1, at + 8);
    if (next.startsWith("/")) depth = Math.max(0, depth - 1);
    else if (/^[a-z]/i.test(next) && !WITHOUT_END.test(next)) depth++;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const HANDLERS: Readonly<Record<string, Handle>> = {
  pre: (_, node) => code(wordsOf(node).replace(/^\n|\n$/g, ""), languageOf(node)),
  a: (state, node) =>
    has(node, "user-hover", "confluence-userlink", "user-mention")
      ? mention(wordsOf(node))
      : bareOr(node, defaultHandlers.a?.(state, node)),
  table: (state, node) =>
    isUneven(rowLengths(node)) ? paragraph([text(wordsOf(node))]) : defaultHandlers.table?.(state, node),
  div: (state, node) => panelOf(state, node) ?? defaultHandlers.div?.(state, node),
  img: (state, node) => imageOf(node) ?? defaultHandlers.img?.(state, node),
  li: (state, node) => {
    const listItem = defaultHandlers.li?.(state, node) as ListItem;
    const isTask = node.properties.dataInlineTaskId !== undefined || has(node, "checked", "unchecked");
    return isTask ? { ...listItem, checked: has(node, "checked") } : listItem;
  },
  span: (state, node) =>
    /line-through/.test(String(node.properties.style ?? ""))
      ? { type: "delete", children: state.all(node) as never }
      : state.all(node),
  td: cell,
  th: cell,
  time: (_, node) => text(String(node.properties.dateTime ?? "") || wordsOf(node)),
};

/** The number of cells of each row, in tables inside it, too. */
function rowLengths(node: Element): readonly number[] {
  return node.children.flatMap((child) => {
    if (child.type !== "element") return [];
    const cells = child.children.filter((each) => each.type === "element" && /^t[dh]$/.test(each.tagName));
    return [...(child.tagName === "tr" ? [cells.length] : []), ...rowLengths(child)];
  });
}

function cell(state: State, node: Element) {
  const children = cellOf(state.toFlow(state.all(node)));
  const cell = { type: "tableCell" as const, children: [...children] };
  state.patch(node, cell);
  return cell;
}

/** The text of an information macro and of a panel, in Confluence and in Jira. A code panel is code. */
function panelOf(state: State, node: Element) {
  const [, kind = ""] =
    /\bconfluence-information-macro-(information|note|tip|warning)\b/.exec(classes(node)) ?? [];
  const isPanel = kind !== "" || (has(node, "panel") && !has(node, "code", "preformatted"));
  if (!isPanel) return null;
  return panel(KINDS[kind] ?? "", state.toFlow(state.all(node)) as Block[]);
}

const KINDS: Readonly<Record<string, string>> = {
  information: "Info",
  note: "Note",
  tip: "Tip",
  warning: "Warning",
};

function imageOf(node: Element) {
  const { alt, dataEmojiFallback, src } = node.properties;
  if (has(node, "emoticon", "emoji")) return text(String(dataEmojiFallback ?? alt ?? ""));
  return /^data:/i.test(String(src ?? "")) ? text(`(image${alt ? `: ${alt}` : ""})`) : null;
}

/** A link whose text is its own address becomes the bare address. */
function bareOr(node: Element, nodes: ReturnType<Handle>) {
  const href = String(node.properties.href ?? "");
  // An anchor is a place in its page.
  if (href === "" && wordsOf(node) === "") return undefined;
  return href !== "" && wordsOf(node).trim() === href ? text(href) : nodes;
}

const classes = ({ properties }: Element): string => [properties.className ?? []].flat().join(" ");

function has(node: Element, ...names: readonly string[]): boolean {
  const own = classes(node).split(" ");
  return names.some((name) => own.includes(name));
}

/** Jira marks code with a class, Confluence with the parameters of its highlighter. */
function languageOf(node: Element): string {
  const all = [node, ...node.children.filter((child) => child.type === "element")].map(
    (each) => `${classes(each)} ${each.properties.dataSyntaxhighlighterParams ?? ""}`,
  );
  return /\b(?:code-|language-|brush: ?)(?!panel)([\w+#.-]+)/.exec(all.join(" "))?.[1] ?? "";
}

function wordsOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  if (node.type === "element" && node.tagName === "br") return "\n";
  return "children" in node ? node.children.map(wordsOf).join("") : "";
}
