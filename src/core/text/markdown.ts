/**
 * The blocks of a markdown text: headings, lists, task-list items, code, quotations.
 *
 * M1  Inline marks (emphasis, links, code spans) are not parsed: nothing that Pawl reads needs them, and
 *     matching brackets takes a parser quadratic time.
 * M2  Fenced code outside of every other block is left out before parsing, so that a long fetched text costs
 *     nothing. If a text has such code, the positions of its nodes are not positions in the original text.
 * M3  A text that is still too long for the parser is an error that names it.
 */
import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { PawlError } from "../error.ts";
import { type Checkbox, MARKER_BEFORE_BOX, parseCheckbox } from "./checkbox.ts";
import { withoutFrontMatter } from "./front-matter.ts";

/**
 * More lines than people write by hand. The parser takes about a second for the most awkward text of this
 * size.
 */
const MAX_LINES = 10_000;
const MAX_CHARACTERS = 500_000;
/**
 * Maximum of quotations and lists that one line opens inside each other, and of all lines together: the parser's
 * time grows with their square.
 */
const MAX_DEPTH = 100;
const MAX_NESTED = 2_000;

const WITHIN_LINES = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "hardBreakEscape",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
];

/** Parses the blocks, each with its position in the text. Throws `text-too-long`; `where` names the text. */
export function parseBlocks(text: string, where: string): Root {
  checkLength(text, where);
  return fromMarkdown(text, { extensions: [{ disable: { null: WITHIN_LINES } }] });
}

export interface TaskItem {
  readonly text: string;
  /** Only `[x]` and `[X]` are. */
  readonly checked: boolean;
  /** Its box is neither `[ ]` nor `[x]`, so its author may have meant more by it. */
  readonly isOdd: boolean;
  /** The whole line, unchanged. */
  readonly line: string;
}

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
}

/**
 * The task-list items of a text, in order: each text in the form of a box, in lists and at the start of a
 * line. Code, comments and front matter have none, and a box without a text after it is none. Throws
 * `text-too-long`.
 */
export function parseTaskItems(source: string, where: string): readonly TaskItem[] {
  const text = withoutCode(withClosedFences(withoutFrontMatter(source.replace(/^\uFEFF/, ""))));
  checkLength(text, where);
  return itemsOf(fromMarkdown(text, { extensions: [{ disable: { null: WITHIN_LINES } }] }) as Node);
}

/** Not recursive: a line of list markers nests as deep as it is long. */
function itemsOf(root: Node): readonly TaskItem[] {
  const items: TaskItem[] = [];
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "paragraph" || node.type === "heading") items.push(...itemsIn(textOf(node)));
    // Below `<details>` without an empty line.
    if (node.type === "html") items.push(...itemsIn(textOf(node).replace(/<!--[\s\S]*?(?:-->|$)/g, "")));
    for (const child of (node.children ?? []).toReversed()) stack.push(child);
  }
  return items;
}

function itemsIn(paragraph: string): readonly TaskItem[] {
  const boxes: { readonly box: Checkbox; readonly line: string; readonly more: string[] | null }[] = [];
  // The blank of an open box may be the end of a line.
  for (const each of paragraph
    .replace(/\[\s{1,9}\]/g, (box) => (/\n|\r/.test(box) ? "[ ]" : box))
    .split(/\r\n|\r|\n/)) {
    const line = each.trim();
    const row = line.startsWith("|") ? boxInRow(line) : null;
    const box = row ?? parseCheckbox(line.replace(MARKER_BEFORE_BOX, ""));
    if (box) boxes.push({ box, line, more: row ? null : [] });
    else boxes.at(-1)?.more?.push(each);
  }
  return boxes.flatMap(({ box, line, more }) => {
    const text = [box.text, ...(more ?? [])].join("\n").trim();
    const checked = box.isPlain && box.mark !== "";
    return text === "" ? [] : [{ text, checked, isOdd: !box.isPlain, line }];
  });
}

/** The first box of a table's row that is not plainly checked, else the first box, with the row's text. */
function boxInRow(line: string): Checkbox | null {
  const cells = line.split("|").map((cell) => cell.trim());
  const boxes = cells.flatMap((cell) => parseCheckbox(cell.replace(MARKER_BEFORE_BOX, "")) ?? []);
  const box = boxes.find(({ isPlain, mark }) => !isPlain || mark === "") ?? boxes[0];
  const words = cells.map((cell) => parseCheckbox(cell)?.text ?? cell).filter((cell) => cell.trim() !== "");
  return box ? { ...box, text: words.join(", ") } : null;
}

function textOf(paragraph: Node): string {
  return paragraph.value ?? (paragraph.children ?? []).map(({ value = "" }) => value).join("");
}

function checkLength(text: string, where: string): void {
  const lines = linesIn(text);
  checkDepth(text.slice(0, MAX_CHARACTERS), where);
  if (lines <= MAX_LINES && text.length <= MAX_CHARACTERS) return;
  throw new PawlError(
    "text-too-long",
    `${where} is too long: expected at most ${MAX_LINES} lines and ${MAX_CHARACTERS} characters, found ${lines} and ${text.length}.`,
    "Move the long part into a file of its own, or into a code fence below a heading.",
  );
}

const MARKERS = /(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/y;
const MARKER = />|[-+*]|\d{1,9}[.)]/g;

function checkDepth(text: string, where: string): void {
  let nested = 0;
  for (const [at, line] of text.split(/\r\n|\r|\n/).entries()) {
    MARKERS.lastIndex = 0;
    const markers = MARKERS.exec(line)?.[0] ?? "";
    const own = markers.match(MARKER)?.length ?? 0;
    // A deeper item may belong to a list in a list.
    const depth = own + Math.floor((markers.length - markers.trimStart().length) / 4);
    nested += Math.max(0, own - 1);
    if (depth <= MAX_DEPTH && nested <= MAX_NESTED) continue;
    throw new PawlError(
      "text-too-long",
      `${where} nests too deep on line ${at + 1}: expected at most ${MAX_DEPTH} quotations and lists inside each other on a line, and ${MAX_NESTED} in all; found ${depth} and ${nested}.`,
      "Write it with fewer `>` and list markers on a line, or put it into a code fence below a heading.",
    );
  }
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) lines++;
  }
  return lines;
}

// A run of marks that may give back some of them takes quadratic time.
const ANY_FENCE = /^((?:[ \t>]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*)(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;

/** A fence that has no end hides nothing: neither it nor any fence after it counts. */
function withClosedFences(text: string): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  const lines = text.split(/\r\n|\r|\n/);
  let fence = "";
  let from = 0;
  for (const [at, line] of lines.entries()) {
    const [, before = "", mark = "", rest = ""] = ANY_FENCE.exec(line) ?? [];
    if (fence === "" && mark !== "") [fence, from] = [mark, at];
    else if (fence !== "" && mark.startsWith(fence) && /^[ \t>]*$/.test(before + rest)) fence = "";
  }
  if (fence === "") return text;
  return lines.map((line, at) => (at >= from && ANY_FENCE.test(line) ? "" : line)).join("\n");
}

const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
/**
 * A list marker, a quotation, HTML, or an indent. After one, only the parser knows to what a line belongs.
 */
const CONTAINER = /^(?:[-+*>< \t]|\d{1,9}[.)])/;

/**
 * Removes the content of the code fences that are certainly outside lists and quotations: those at the first
 * column, after a heading there, with nothing in between that opens a block. At the first doubt the rest
 * stays unchanged.
 */
function withoutCode(text: string): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  const kept: string[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  let isOutside = true;
  let fence = "";
  for (const [at, line] of lines.entries()) {
    if (fence !== "") {
      if (!isClosing(line, fence)) continue;
      fence = "";
    } else if (FENCE.test(line)) {
      if (!isOutside) return [...kept, ...lines.slice(at)].join("\n");
      fence = FENCE.exec(line)?.[1] ?? "";
    } else if (/^ {0,3}(?:`{3}|~{3})/.test(line) || line.startsWith("<")) {
      return [...kept, ...lines.slice(at)].join("\n");
    } else if (/^#{1,6}[ \t]/.test(line)) isOutside = true;
    else if (CONTAINER.test(line)) isOutside = false;
    kept.push(line);
  }
  return kept.join("\n");
}

function isClosing(line: string, fence: string): boolean {
  const trimmed = line.replace(/^ {0,3}/, "").trimEnd();
  return trimmed.length >= fence.length && trimmed === fence.charAt(0).repeat(trimmed.length);
}
