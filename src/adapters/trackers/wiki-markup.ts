/** Jira's wiki markup (its "Text Formatting Notation") as markdown, for texts that no server has rendered. */
import type { ListItem } from "mdast";
import {
  type Block,
  code,
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

/** Jira's fields take 32,767 characters, unless a site has raised that. */
const MAX_MARKUP = 40_000;

export function renderWiki(markup: string): string {
  const isPart = markup.length > MAX_MARKUP;
  const lines = markup.slice(0, MAX_MARKUP).replace(/\r\n?/g, "\n").split("\n");
  return renderTree(blocks(lines, 0), isPart);
}

const BEGIN = /^\s*\{(code|noformat|quote|panel|info|note|tip|warning)(?::([^}]*))?\}(.*)$/;
const ITEM = /^\s*([*#-]+)\s+(\S.*)$/;
const HEADING = /^\s*h([1-6])\.\s+(.*)$/;

function blocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let words: string[] = [];
  const end = () => {
    if (words.length > 0) blocks.push(paragraph(linesOf(words)));
    words = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const region = regionAt(lines, at, depth);
    if (region) {
      end();
      blocks.push(region.block);
      at = region.last;
    } else if (line.trim() === "") end();
    else if (HEADING.test(line)) {
      end();
      const [, level, words = ""] = HEADING.exec(line) ?? [];
      blocks.push({ type: "heading", depth: Number(level) as 1, children: inline(words) });
    } else if (/^\s*-{4,}\s*$/.test(line)) {
      end();
      blocks.push({ type: "thematicBreak" });
    } else if (/^\s*bq\.\s/.test(line)) {
      end();
      blocks.push(panel("", [paragraph(inline(line.replace(/^\s*bq\.\s+/, "")))]));
    } else if (ITEM.test(line) || /^\s*\|/.test(line)) {
      end();
      const kind = ITEM.test(line) ? ITEM : /^\s*\|/;
      const first = at;
      // A line without a mark belongs to the item or the row before it.
      while (at + 1 < lines.length && continuesBlock(lines, at + 1, kind)) at++;
      const part = lines.slice(first, at + 1);
      blocks.push(...(kind === ITEM ? listsOf(part) : [table(rowsOf(part))]));
    } else words.push(line);
  }
  end();
  return blocks;
}

function continuesBlock(lines: readonly string[], at: number, kind: RegExp): boolean {
  const line = lines[at] ?? "";
  if (kind.test(line)) return true;
  return (
    line.trim() !== "" &&
    ![ITEM, HEADING, BEGIN, /^\s*(?:\||-{4,}\s*$|bq\.\s)/].some((each) => each.test(line))
  );
}

/** A region such as `{code}`, up to the same word in braces. An unclosed one is text. */
function regionAt(lines: readonly string[], at: number, depth: number) {
  const [, name = "", parameters = "", rest = ""] = BEGIN.exec(lines[at] ?? "") ?? [];
  if (name === "" || depth > MAX_DEPTH) return null;
  const close = `{${name}}`;
  const inner: string[] = [];
  for (let last = at, line = rest; last < lines.length; line = lines[++last] ?? "") {
    const end = line.indexOf(close);
    if (end >= 0 && line.slice(end + close.length).trim() === "") {
      inner.push(line.slice(0, end));
      return { last, block: regionOf(name, parameters, inner, depth) };
    }
    inner.push(line);
  }
  return null;
}

function regionOf(name: string, parameters: string, inner: readonly string[], depth: number): Block {
  const named = Object.fromEntries(
    parameters.split("|").map((each) => (each.includes("=") ? each.split(/=(.*)/s) : ["language", each])),
  ) as Record<string, string | undefined>;
  if (name === "code" || name === "noformat")
    return code(inner.join("\n").replace(/^\n|\n$/g, ""), name === "code" ? (named.language ?? "") : "");
  const kind = name === "quote" || name === "panel" ? "" : name.charAt(0).toUpperCase() + name.slice(1);
  return panel(named.title ?? kind, blocks(inner, depth + 1));
}

/** The number of marks is an item's depth, the last mark its kind; another kind begins another list. */
function listsOf(lines: readonly string[]): readonly Block[] {
  const marks: { mark: string; words: string[] }[] = [];
  for (const line of lines) {
    const [, mark, words = ""] = ITEM.exec(line) ?? [];
    if (mark === undefined) marks.at(-1)?.words.push(line);
    else marks.push({ mark: mark.slice(0, MAX_DEPTH), words: [words] });
  }
  const isOrdered = (at: number) => marks[at]?.mark.endsWith("#") ?? false;
  const under = (from: number, to: number): readonly Block[] => {
    const lists: { ordered: boolean; items: ListItem[] }[] = [];
    const depth = marks[from]?.mark.length ?? 1;
    for (let at = from; at < to; ) {
      let next = at + 1;
      while (next < to && (marks[next]?.mark.length ?? 0) > depth) next++;
      const ordered = isOrdered(at);
      if (lists.at(-1)?.ordered !== ordered) lists.push({ ordered, items: [] });
      const content = paragraph(linesOf(marks[at]?.words ?? []));
      lists.at(-1)?.items.push(item([content, ...(next > at + 1 ? under(at + 1, next) : [])]));
      at = next;
    }
    return lists.map(({ items, ordered }) => list(items, ordered));
  };
  return under(0, marks.length);
}

function rowsOf(lines: readonly string[]): Inline[][][] {
  const rows: string[] = [];
  for (const line of lines) {
    if (/^\s*\|/.test(line)) rows.push(line.trim());
    else rows.push(`${rows.pop() ?? ""}\n${line.trim()}`);
  }
  return rows.map((row) =>
    cellsIn(row.replace(/^\|{1,2}/, "").replace(/\|{1,2}$/, "")).map((cell) =>
      inline(cell.trim().replace(/\n/g, " ")),
    ),
  );
}

/** A bar within a link or an image belongs to it. */
function cellsIn(row: string): readonly string[] {
  if (row.length > 10 * PIECE) return row.split("|");
  return [...`${row}|`.matchAll(/((?:\[[^\]\n]*\]|![^!\s][^!\n]*!|\{\{.*?\}\}|\\\||[^|])*?)\|{1,2}/g)].map(
    ([, cell = ""]) => cell,
  );
}

/** A line break, or a double backslash. */
function linesOf(lines: readonly string[]): Inline[] {
  return lines
    .join("\n")
    .split(/\n|\\\\(?=\s|$)/)
    .map((line) => line.trim())
    .flatMap((line, at) => (at > 0 ? [{ type: "break" } as const, ...inline(line)] : inline(line)));
}

const MARKS: Readonly<Record<string, "strong" | "emphasis" | "delete" | null>> = {
  "*": "strong",
  _: "emphasis",
  "-": "delete",
  "+": null,
  "^": null,
  "~": null,
};

/** Inline markup, in order of preference; a mark counts only at the edges of words. */
const TOKEN =
  /\\([^\s\w])|\{\{(.+?)\}\}|\[~(?:accountid:)?([^\]\s]+)\]|\[\^([^\]]+)\]|\[(?:([^|\]\n]*)\|)?([^|\]\s]+)(?:\|[^\]\n]*)?\]|!([^!\s|][^!\n|]*)(?:\|[^!\n]*)?!|\{(?:color|anchor)(?::[^}\n]*)?\}|(?<![\w*_+^~-])([*_+^~-])(?!\8)(?=\S)([^\n]*?\S)\8(?![\w*_+^~-])/g;

/** Characters. Marks are searched in pieces, since the time grows faster than a piece's length. */
const PIECE = 1_000;

function inline(line: string, depth = 0): Inline[] {
  if (line.length <= PIECE) return marksIn(line, depth);
  const blank = line.lastIndexOf(" ", PIECE);
  const end = blank > 0 ? blank : PIECE;
  const rest: Inline[] = [];
  for (let at = end; at < line.length; at += PIECE) rest.push(...marksIn(line.slice(at, at + PIECE), depth));
  return [...marksIn(line.slice(0, end), depth), ...rest];
}

function marksIn(line: string, depth: number): Inline[] {
  const inlines: Inline[] = [];
  const add = (value: string) => {
    if (value !== "") inlines.push(text(value));
  };
  let from = 0;
  for (const match of line.matchAll(TOKEN)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    const [, escaped, mono, user, attached, label, target, image, mark, marked] = match;
    if (escaped !== undefined) add(escaped);
    else if (mono !== undefined) inlines.push({ type: "inlineCode", value: mono });
    else if (user !== undefined) inlines.push(mention(user));
    else if (attached !== undefined || image !== undefined) add(`(attachment: ${attached ?? image})`);
    else if (target !== undefined) inlines.push(...linkOf(label, target, match[0], depth));
    else if (mark !== undefined && marked !== undefined) {
      const children = depth > 20 ? [text(marked)] : inline(marked, depth + 1);
      const type = MARKS[mark];
      if (type) inlines.push({ type, children: children as never });
      else inlines.push(...children);
    }
  }
  add(line.slice(from));
  return inlines;
}

function linkOf(label: string | undefined, target: string, all: string, depth: number): readonly Inline[] {
  const isAddress = /^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(target);
  if (!isAddress) return label === undefined ? [text(all)] : [text(`${label} (${target})`)];
  if (label === undefined || label === target) return [text(target)];
  return [{ type: "link", url: target, children: inline(label, depth + 1) as never }];
}
