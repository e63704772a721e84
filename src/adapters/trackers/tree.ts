/**
 * The output of the readers of Atlassian's texts: a tree of markdown, and its text. One writer for all of
 * them.
 */
import type { BlockContent, List, ListItem, PhrasingContent, Root, RootContent } from "mdast";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemToMarkdown } from "mdast-util-gfm-task-list-item";
import { type Options, toMarkdown } from "mdast-util-to-markdown";

/** The maximum length of a text. A longer one is cut, with a note. */
export const MAX_LENGTH = 200_000;
/** Deeper than any real page. */
export const MAX_DEPTH = 100;

export type Block = BlockContent;
export type Inline = PhrasingContent;

const OPTIONS: Options = {
  bullet: "-",
  emphasis: "*",
  listItemIndent: "one",
  rule: "-",
  // A link whose text is its own address stays a bare address.
  resourceLink: false,
  handlers: {
    // An underscore between letters marks nothing.
    text: (node, _, state, info) => state.safe(node.value, info).replace(/(?<=\w)\\_(?=\w)/g, "_"),
  },
  extensions: [
    gfmStrikethroughToMarkdown(),
    gfmTableToMarkdown({ tablePipeAlign: false }),
    gfmTaskListItemToMarkdown(),
  ],
};

export function renderTree(children: readonly RootContent[], isPart = false): string {
  const root: Root = { type: "root", children: children.flatMap(tidied) };
  return cut(toMarkdown(root, OPTIONS).trimEnd(), isPart);
}

/**
 * Moves blanks at the ends of marked words out of the marks: inside, markdown could write them only as entities.
 */
function tidied<Each extends RootContent>(node: Each): Each[] {
  if (!("children" in node)) return [node];
  const children = (node.children as Each[]).flatMap(tidied);
  if (!MARKS.has(node.type)) return [{ ...node, children }];
  const before = takeBlanks(children, /^\s+/, 0);
  const after = takeBlanks(children, /\s+$/, -1);
  const marked = children.length > 0 ? [{ ...node, children }] : [];
  return [...before, ...marked, ...after] as Each[];
}

const MARKS: ReadonlySet<string> = new Set(["delete", "emphasis", "link", "strong"]);

/** Takes the blanks at that end out of the texts there. */
function takeBlanks(children: RootContent[], blanks: RegExp, end: 0 | -1): readonly Inline[] {
  let taken = "";
  for (let each = children.at(end); each?.type === "text"; each = children.at(end)) {
    const [blank = ""] = blanks.exec(each.value) ?? [];
    if (blank === "") break;
    taken = end === 0 ? taken + blank : blank + taken;
    const value = each.value.replace(blanks, "");
    children.splice(end, 1, ...(value === "" ? [] : [{ ...each, value }]));
    if (value !== "") break;
  }
  return taken === "" ? [] : [text(taken)];
}

export function cut(text: string, isPart = false): string {
  if (text.length <= MAX_LENGTH && !isPart) return text;
  return `${text.slice(0, MAX_LENGTH)}\n\n(cut here: the text is longer)`;
}

export const text = (value: string): Inline => ({ type: "text", value });
export const paragraph = (children: readonly Inline[]): Block => ({
  type: "paragraph",
  children: [...children],
});

export function list(children: readonly ListItem[], ordered = false, start = 1): List {
  return { type: "list", ordered, start: ordered ? start : null, spread: false, children: [...children] };
}

export function item(children: readonly Block[], checked: boolean | null = null): ListItem {
  return { type: "listItem", spread: false, checked, children: [...children] };
}

export function code(value: string, lang = ""): Block {
  return { type: "code", lang: /^[\w+#.-]+$/.test(lang) ? lang : null, value };
}

/** A panel: a quotation that begins with the panel's title or kind. */
export function panel(title: string, children: readonly Block[]): Block {
  const head = title === "" ? [] : [paragraph([{ type: "strong", children: [text(title)] }])];
  return { type: "blockquote", children: [...head, ...children] };
}

/** A person's name in a text, as a mention. */
export const mention = (name: string): Inline => text(`@${name.trim().replace(/^@/, "")}`);

/** Rows of cells; all get the width of the widest. Very uneven ones are lines instead. */
export function table(rows: readonly (readonly (readonly Inline[])[])[]): Block {
  const lengths = rows.map((row) => row.length);
  if (isUneven(lengths)) return paragraph(joinedBy({ type: "break" }, rows.map(lineOfCells)));
  const width = lengths.reduce((most, length) => Math.max(most, length), 0);
  return {
    type: "table",
    children: rows.map((row) => ({
      type: "tableRow",
      children: Array.from({ length: width }, (_, at) => ({
        type: "tableCell",
        children: [...(row[at] ?? [])],
      })),
    })),
  };
}

/** Whether the rows, filled up to the widest, are many times the cells that they have: a little text would take gigabytes. */
export function isUneven(lengths: readonly number[]): boolean {
  const [cells, width] = lengths.reduce(([sum, most], each) => [sum + each, Math.max(most, each)], [0, 0]);
  return width * lengths.length > Math.max(200, 5 * cells);
}

const lineOfCells = (cells: readonly (readonly Inline[])[]): readonly Inline[] =>
  joinedBy(text(" / "), cells);

/** The content of a cell, which is one line in markdown: `<br>` separates its parts. */
export function cellOf(blocks: readonly RootContent[]): readonly Inline[] {
  return joined(blocks.map(lineOf));
}

function lineOf(block: RootContent): readonly Inline[] {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return block.children.map((child) => (child.type === "break" ? BREAK : child));
    case "code":
      return joined(block.value.split("\n").map((value) => [{ type: "inlineCode", value }]));
    case "list":
      return joined(
        block.children.map(({ checked, children }, at) => [
          text(block.ordered ? `${(block.start ?? 1) + at}. ` : "- "),
          ...(typeof checked === "boolean" ? [text(checked ? "[x] " : "[ ] ")] : []),
          ...cellOf(children),
        ]),
      );
    case "blockquote":
      return cellOf(block.children);
    case "table":
      return joined(block.children.map(({ children }) => lineOfCells(children.map((cell) => cell.children))));
    case "thematicBreak":
      return [text("---")];
    default:
      return [block as Inline];
  }
}

const BREAK: Inline = { type: "html", value: "<br>" };

function joined(lines: readonly (readonly Inline[])[]): readonly Inline[] {
  return joinedBy(
    BREAK,
    lines.filter((line) => line.length > 0),
  );
}

function joinedBy(between: Inline, lines: readonly (readonly Inline[])[]): Inline[] {
  return lines.flatMap((line, at) => (at > 0 ? [between, ...line] : [...line]));
}
