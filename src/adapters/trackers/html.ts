/**
 * Converts the HTML of Jira and Confluence to markdown: their rendered pages, and Confluence's storage
 * format, whose elements have the prefixes `ac:` and `ri:`.
 */
import type { Element, Nodes } from "hast";
import { fromHtml } from "hast-util-from-html";
import { defaultHandlers, type Handle, type State, toMdast } from "hast-util-to-mdast";
import type { ListItem, RootContent } from "mdast";
import {
  type Block,
  cellOf,
  code,
  cut,
  DEEPEST,
  item,
  list,
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
  const tree = toMdast(fromHtml(asHtml(part), { fragment: true }), { handlers: HANDLERS });
  return renderTree(tree.type === "root" ? tree.children : [tree as RootContent], isPart);
}

/**
 * The storage format is XML, with elements unknown to HTML. Writes them as HTML elements of the same kind
 * (inline or block), so that blanks stay; `data-tag` keeps their name.
 */
function asHtml(text: string): string {
  return text
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, inner: string) =>
      inner.replace(/&/g, "&amp;").replace(/</g, "&lt;"),
    )
    .replace(/<((?:ac|ri|time)\b[\w:-]*)((?:\s[^<>]*)?)\/>/g, "<$1$2></$1>")
    .replace(/<(\/?)(ac:plain-text-body)\b/g, (_, end: string, name: string) =>
      end ? "</pre" : `<pre data-tag="${name}"`,
    )
    .replace(
      /<(\/?)(ac:link-body|ac:plain-text-link-body|ac:link|ac:image|ac:emoticon|ri:[\w-]+)\b/g,
      // The `x`: HTML drops the blanks around an element without text.
      (_, end, name: string) => (end ? `${HOLDERS.test(name) ? "" : "x"}</span` : `<span data-tag="${name}"`),
    );
}

/** Elements with a text of their own. */
const HOLDERS = /link/;

const tagOf = ({ properties, tagName }: Element): string => String(properties.dataTag ?? tagName);

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

const nothing: Handle = () => undefined;
const inner: Handle = (state, node) => state.all(node);

const HANDLERS: Readonly<Record<string, Handle>> = {
  pre: (_, node) => code(wordsOf(node).replace(/^\n|\n$/g, ""), languageOf(node)),
  a: (state, node) =>
    has(node, "user-hover", "confluence-userlink", "user-mention")
      ? mention(wordsOf(node))
      : bareOr(node, defaultHandlers.a?.(state, node)),
  div: (state, node) => panelOf(state, node) ?? defaultHandlers.div?.(state, node),
  img: (state, node) => imageOf(node) ?? defaultHandlers.img?.(state, node),
  li: (state, node) => {
    const found = defaultHandlers.li?.(state, node) as ListItem;
    const isTask = node.properties.dataInlineTaskId !== undefined || has(node, "checked", "unchecked");
    return isTask ? { ...found, checked: has(node, "checked") } : found;
  },
  span: (state, node, parent) => {
    const tag = tagOf(node);
    const storage = STORAGE[tag];
    if (storage) return storage(state, node, parent);
    if (tag.startsWith("ri:")) return tag === "ri:user" ? mention(nameIn(node)) : text(nameIn(node));
    return /line-through/.test(String(node.properties.style ?? ""))
      ? { type: "delete", children: state.all(node) as never }
      : state.all(node);
  },
  td: cell,
  th: cell,
  "ac:structured-macro": macro,
  "ac:macro": macro,
  "ac:parameter": nothing,
  "ac:placeholder": nothing,
  "ac:task-id": nothing,
  "ac:task-uuid": nothing,
  "ac:task-status": nothing,
  "ac:adf-attribute": nothing,
  "ac:adf-node": nothing,
  "ac:task-list": (state, node) => list(childrenOf(node, "ac:task").map((task) => taskOf(state, task))),
  "ac:rich-text-body": inner,
  "ac:layout": inner,
  "ac:layout-section": inner,
  "ac:layout-cell": inner,
  time: (_, node) => text(String(node.properties.dateTime ?? "") || wordsOf(node)),
};

/** Handlers of `span` elements with these names. */
const STORAGE: Readonly<Record<string, Handle>> = {
  "ac:link": (state, node) => linkOf(state, node),
  "ac:image": (_, node) => text(`(attachment: ${nameIn(node) || "an image"})`),
  "ac:emoticon": (_, node) =>
    text(property(node, "ac:emoji-fallback") || `(${property(node, "ac:name") || "emoticon"})`),
};

function cell(state: State, node: Element) {
  const children = cellOf(state.toFlow(state.all(node)));
  const found = { type: "tableCell" as const, children: [...children] };
  state.patch(node, found);
  return found;
}

function taskOf(state: State, task: Element): ListItem {
  const status = childrenOf(task, "ac:task-status").map(wordsOf).join("").trim();
  const body = childrenOf(task, "ac:task-body").flatMap((each) => state.toFlow(state.all(each)));
  return item(body as Block[], status === "complete");
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
  info: "Info",
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
function bareOr(node: Element, found: ReturnType<Handle>) {
  const href = String(node.properties.href ?? "");
  // An anchor is a place in its page.
  if (href === "" && wordsOf(node) === "") return undefined;
  return href !== "" && wordsOf(node).trim() === href ? text(href) : found;
}

function macro(state: State, node: Element) {
  const name = property(node, "ac:name");
  const parameter = (key: string) =>
    childrenOf(node, "ac:parameter")
      .filter((each) => property(each, "ac:name") === key)
      .map(wordsOf)
      .join("");
  const plain = childrenOf(node, "ac:plain-text-body").map(wordsOf).join("");
  const body = childrenOf(node, "ac:rich-text-body").flatMap((each) =>
    state.toFlow(state.all(each)),
  ) as Block[];
  if (name === "code" || name === "noformat")
    return code(plain.replace(/^\n|\n$/g, ""), parameter("language"));
  if (name === "status") return text(parameter("title"));
  if (name === "jira") return text(parameter("key") || parameter("jqlQuery"));
  if (name in KINDS || name === "panel" || name === "expand")
    return panel(parameter("title") || (KINDS[name] ?? ""), body);
  if (body.length > 0) return body;
  return plain === "" ? paragraph([text(`(macro: ${name})`)]) : code(plain);
}

function linkOf(state: State, node: Element) {
  const said = [...childrenOf(node, "ac:link-body"), ...childrenOf(node, "ac:plain-text-link-body")];
  if (said.length > 0) return said.flatMap((each) => state.all(each));
  const [user] = childrenOf(node, "ri:user");
  return user ? mention(nameIn(user)) : text(nameIn(node) || property(node, "ac:anchor"));
}

/** The name of a resource in the storage format. */
function nameIn(node: Element): string {
  const names = [
    "ri:username",
    "ri:account-id",
    "ri:userkey",
    "ri:content-title",
    "ri:filename",
    "ri:value",
    "ri:space-key",
  ];
  for (const each of [node, ...node.children.filter((child) => child.type === "element")])
    for (const name of names) if (property(each, name)) return property(each, name);
  return "";
}

function childrenOf(node: Element, name: string): readonly Element[] {
  return node.children.filter((child) => child.type === "element" && tagOf(child) === name) as Element[];
}

function property({ properties }: Element, name: string): string {
  return typeof properties[name] === "string" ? properties[name] : "";
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
