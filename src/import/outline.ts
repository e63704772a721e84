/**
 * The headings, list items and boxes of a Markdown file, line by line. Not a Markdown parser, because real
 * task lists are indented by one space or three, number their boxes, and put code into headings.
 *
 * O1  Code between fences, comments and front matter are text, with any content.
 * O2  Each line belongs to one heading or item, so nothing is lost.
 * O3  A text is the lines of the file; only their common indent is removed.
 */
import { type Checkbox, MARKER_BEFORE_BOX, parseCheckbox } from "../core/text/checkbox.ts";
import { withoutFrontMatter } from "../core/text/front-matter.ts";
import { plain, withoutBlankLines } from "./words.ts";

export interface Entry {
  readonly kind: "heading" | "item";
  readonly line: number;
  /** A heading's level, or an item's column. */
  readonly depth: number;
  /** Null: it has no box. */
  readonly box: Checkbox | null;
  readonly text: string;
  /** Its own line and those below it, up to the next heading or item, verbatim. */
  readonly lines: readonly string[];
  /** The lines below it, without their common indent. */
  readonly body: string;
}

export interface Outline {
  readonly entries: readonly Entry[];
  /** The text before the first entry. */
  readonly preface: string;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
/** For a box in a quotation, without a blank after its marker, or without a marker of Markdown. */
const BARE = /^((?:[ \t]*>)*[ \t]*)(.*)$/;
const FENCE = /^((?:[ \t]*>)*)[ \t]*(`{3,}(?!`)|~{3,}(?!~))(.*)$/;

interface Open extends Omit<Entry, "body"> {
  readonly lines: string[];
}

export function outline(source: string): Outline {
  const preface: string[] = [];
  const entries: Open[] = [];
  const isText = openText();
  withoutFrontMatter(plain(source))
    .split("\n")
    .forEach((text, at) => {
      const entry = isText(text) ? null : entryOf(text, at + 1);
      if (entry) entries.push(entry);
      else (entries.at(-1)?.lines ?? preface).push(text);
    });
  return {
    entries: entries.map((entry) => ({ ...entry, body: dedented(entry.lines.slice(1)) })),
    preface: preface.join("\n").trim(),
  };
}

/** Whether the next line is code or a comment. */
export function openText(): (line: string) => boolean {
  let fence = "";
  let isQuoted = false;
  let isComment = false;
  return (line) => {
    if (isComment || (fence === "" && /^[ \t]*<!--/.test(line))) {
      isComment = !line.includes("-->");
      return true;
    }
    // A quotation that ends, ends the code in it.
    if (isQuoted && !/^[ \t]*>/.test(line)) {
      fence = "";
      isQuoted = false;
    }
    const [, quote = "", mark = "", rest = ""] = FENCE.exec(line) ?? [];
    if (fence === "") {
      if (mark === "" || (mark.startsWith("`") && rest.includes("`"))) return false;
      fence = mark;
      isQuoted = quote !== "";
    } else if ((quote !== "") === isQuoted && mark.startsWith(fence) && rest.trim() === "") {
      fence = "";
      isQuoted = false;
    }
    return true;
  };
}

/** The line in which code or a comment begins that has no end, and the boxes behind it; null: there are none. */
export function hiddenBoxes(source: string): { readonly line: number; readonly boxes: number } | null {
  const isText = openText();
  let line = 0;
  let boxes = 0;
  withoutFrontMatter(plain(source))
    .split("\n")
    .forEach((text, at) => {
      if (!isText(text)) line = boxes = 0;
      else if (line === 0) line = at + 1;
      else if (entryOf(text, at + 1)?.box) boxes += 1;
    });
  return boxes > 0 && isText("") ? { line, boxes } : null;
}

function entryOf(line: string, at: number): Open | null {
  const [, marks = "", title = ""] = HEADING.exec(line) ?? [];
  if (marks !== "") {
    const { box, text } = ticked(withoutMarks(title.trim()));
    return { kind: "heading", line: at, depth: marks.length, box, text, lines: [line] };
  }
  const item = ITEM.exec(line);
  const [, indent = "", rest = ""] = item ?? BARE.exec(line) ?? [];
  const box = parseCheckbox(item ? rest.trim() : rest.trim().replace(MARKER_BEFORE_BOX, ""));
  if (box === null && !item) return null;
  const text = (box?.text ?? rest).trim();
  return { kind: "item", line: at, depth: widthOf(indent.replace(/> ?/g, "")), box, text, lines: [line] };
}

const TICKS = ["✅", "✔️", "✔", "☑️", "☑", "☐", "⬜"];

function ticked(title: string): Pick<Entry, "box" | "text"> {
  const box = parseCheckbox(title) ?? tickOf(title);
  return { box, text: (box ?? { text: title }).text.trim() };
}

/** A tick at either end of a line, as a box; null: none. */
export function tickOf(line: string): Checkbox | null {
  const tick = TICKS.find((each) => line.startsWith(each) || line.endsWith(each));
  if (tick === undefined || line.length === tick.length) return null;
  const text = (line.startsWith(tick) ? line.slice(tick.length) : line.slice(0, -tick.length)).trim();
  return { mark: tick === "☐" || tick === "⬜" ? "" : tick, isPlain: false, isStarred: false, text };
}

/** The title of `## Title ##`. */
function withoutMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return end < title.length && /[ \t]/.test(title[end - 1] ?? " ") ? title.slice(0, end).trim() : title;
}

function widthOf(indent: string): number {
  let width = 0;
  for (const each of indent) width += each === "\t" ? 4 - (width % 4) : 1;
  return width;
}

/** Removes the lines' common indent, and the empty lines around them. */
export function dedented(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== "");
  const common = filled.reduce<string | null>((indent, line) => {
    const own = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent === null) return own;
    let end = 0;
    while (end < indent.length && indent[end] === own[end]) end++;
    return indent.slice(0, end);
  }, null);
  const cut = common?.length ?? 0;
  return withoutBlankLines(lines.map((line) => line.slice(cut)).join("\n"));
}

/**
 * An item with the items below it that are indented further: by at least two columns, because one may be a
 * slip.
 */
export interface Branch {
  readonly entry: Entry;
  readonly children: readonly Branch[];
  /** The headings above it, the outermost first. */
  readonly headings: readonly Entry[];
}

export function branches(entries: readonly Entry[]): readonly Branch[] {
  interface Growing extends Branch {
    readonly children: Growing[];
  }
  const roots: Growing[] = [];
  let stack: Growing[] = [];
  let headings: readonly Entry[] = [];
  for (const entry of entries) {
    if (entry.kind === "heading") {
      headings = [...headings.filter(({ depth }) => depth < entry.depth), entry];
      stack = [];
      continue;
    }
    while (stack.length > 0 && entry.depth < (stack.at(-1)?.entry.depth ?? 0) + 2) stack.pop();
    const branch: Growing = { entry, children: [], headings };
    (stack.at(-1)?.children ?? roots).push(branch);
    stack.push(branch);
  }
  return roots;
}

/** The lines below the branch's own line. */
export function textBelow({ children, entry }: Branch): string {
  return dedented([...entry.lines.slice(1), ...children.flatMap(linesOf)]);
}

/** The branch and those below it, in order; not recursive, because items may be nested to any depth. */
export function eachBranch(branch: Branch): readonly Branch[] {
  const branches: Branch[] = [];
  const stack: Branch[] = [branch];
  for (let each = stack.pop(); each; each = stack.pop()) {
    branches.push(each);
    for (const child of each.children.toReversed()) stack.push(child);
  }
  return branches;
}

export function linesOf(branch: Branch): readonly string[] {
  return eachBranch(branch).flatMap(({ entry }) => entry.lines);
}
