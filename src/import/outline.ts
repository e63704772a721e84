/**
 * The headings, list items and boxes of a markdown file, line by line. Not a markdown parser: real lists of tasks are
 * indented by one space or three, number their boxes, and put code into headings.
 *
 * O1  Code between fences is text, whatever stands in it.
 * O2  Each line belongs to one heading or item, so nothing is lost.
 */
import { plain } from "./words.ts";

export interface Entry {
  readonly kind: "heading" | "item";
  readonly line: number;
  /** Of a heading, its level; of an item, its column. */
  readonly depth: number;
  /** The character in its box; null: it has none. */
  readonly box: string | null;
  /** `- [ ]*` */
  readonly starred: boolean;
  readonly text: string;
  /** The lines below it, up to the next heading or item, without their common indent. */
  readonly body: string;
}

export interface Outline {
  readonly entries: readonly Entry[];
  /** What stands before the first of them. */
  readonly preface: string;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const BOX = /^\[([ \u3000xX~\-/>!?✓✔✅✗✘☑]?)\](\*?)(?:[ \t]+(.*)|$)/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

interface Open extends Omit<Entry, "body"> {
  readonly lines: string[];
}

export function outline(source: string): Outline {
  const preface: string[] = [];
  const entries: Open[] = [];
  let fence: string | null = null;
  plain(source)
    .split("\n")
    .forEach((text, at) => {
      const mark = FENCE.exec(text)?.[1];
      const isFenced = fence !== null;
      if (mark !== undefined && (fence === null || (mark[0] === fence[0] && mark.length >= fence.length)))
        fence = fence === null ? mark : null;
      const entry = isFenced || mark !== undefined ? null : entryOf(text, at + 1);
      if (entry) entries.push(entry);
      else (entries.at(-1)?.lines ?? preface).push(text);
    });
  return {
    entries: entries.map(({ lines, ...entry }) => ({ ...entry, body: dedented(lines) })),
    preface: preface.join("\n").trim(),
  };
}

function entryOf(text: string, line: number): Open | null {
  const [, marks = "", title = ""] = HEADING.exec(text) ?? [];
  if (marks !== "") {
    const { box, words } = ticked(withoutMarks(title.trim()));
    return { kind: "heading", line, depth: marks.length, box, starred: false, text: words, lines: [] };
  }
  const item = ITEM.exec(text);
  if (!item) return null;
  const [, indent = "", rest = ""] = item;
  const [, box, star, words] = BOX.exec(rest) ?? [];
  const depth = widthOf(indent);
  if (box === undefined)
    return { kind: "item", line, depth, box: null, starred: false, text: rest.trim(), lines: [] };
  return {
    kind: "item",
    line,
    depth,
    box: box || " ",
    starred: star === "*",
    text: (words ?? "").trim(),
    lines: [],
  };
}

const TICKS = ["✅", "✔️", "✔", "☑️", "☑", "☐", "⬜"];

/** A heading may have a box, or a tick at either end. */
function ticked(title: string): { readonly box: string | null; readonly words: string } {
  const [, box, , words] = BOX.exec(title) ?? [];
  if (box !== undefined && words) return { box: box || " ", words };
  const tick = TICKS.find((each) => title.startsWith(each) || title.endsWith(each));
  if (tick === undefined || title.length === tick.length) return { box: null, words: title };
  const rest = title.startsWith(tick) ? title.slice(tick.length) : title.slice(0, -tick.length);
  return { box: tick === "☐" || tick === "⬜" ? " " : "x", words: rest.trim() };
}

/** `## Title ##` */
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

function dedented(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== "");
  const least = filled.reduce(
    (found, line) => Math.min(found, /^ */.exec(line)?.[0].length ?? 0),
    Number.MAX_SAFE_INTEGER,
  );
  return lines
    .map((line) => line.slice(Math.min(least, /^ */.exec(line)?.[0].length ?? 0)))
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** An item with those below it that are indented further: by two columns at least, since one is a slip. */
export interface Branch {
  readonly entry: Entry;
  readonly children: readonly Branch[];
  /** The headings above it, from the outermost. */
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

/** The branch as the text that it is in the file, without its own line. */
export function textBelow({ children, entry }: Branch): string {
  const lines: string[] = entry.body === "" ? [] : [entry.body];
  const add = (branch: Branch, indent: string) => {
    const { box, text, body } = branch.entry;
    lines.push(`${indent}- ${box === null ? "" : `[${box}] `}${text}`);
    if (body !== "") lines.push(...body.split("\n").map((line) => (line === "" ? "" : `${indent}  ${line}`)));
    // Deeper than anybody indents, all stand in one column.
    for (const child of branch.children) add(child, indent.length < 40 ? `${indent}  ` : indent);
  };
  for (const child of children) add(child, "");
  return lines.join("\n");
}

export function isTicked(box: string | null): boolean {
  return box !== null && /[xX✓✔✅☑]/.test(box);
}
