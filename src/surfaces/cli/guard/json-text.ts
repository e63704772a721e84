/**
 * Edits a client's JSON, which people write, too: everything else stays, including comments, order and
 * indentation. `remove` undoes `append` exactly.
 */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export type Path = readonly (string | number)[];

const LENIENT = { allowTrailingComma: true };

/** The tree of a text, or why a client could not read it: place and fault. An empty text has no tree. */
export function treeOf(text: string): { readonly tree: Node | null } | { readonly fault: Fault } {
  const body = withoutMark(text);
  if (body.trim() === "") return { tree: null };
  const errors: ParseError[] = [];
  const tree = parseTree(body, errors, LENIENT);
  const [error] = errors;
  if (error) return { fault: { ...placeOf(body, error.offset), found: printParseErrorCode(error.error) } };
  return { tree: tree ?? null };
}

/** The node at the path, if the text is readable and has it. */
export function nodeIn(text: string, path: Path): Node | undefined {
  const tree = treeOf(text);
  return "tree" in tree && tree.tree ? nodeAt(tree.tree, path) : undefined;
}

export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly found: string;
}

export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/**
 * Adds a value at the end: of the list at the path, or as the path's last property, which must not exist.
 * Creates missing objects and lists on the path. The text must be readable.
 */
export function append(text: string, path: readonly string[], value: unknown, isItem: boolean): string {
  const body = withoutMark(text);
  if (body.trim() === "") return `${JSON.stringify(nested(path, value, isItem), null, 2)}\n`;
  const tree = parseTree(body, [], LENIENT) as Node;
  const depth = depthOf(tree, path);
  const parent = nodeAt(tree, path.slice(0, depth)) as Node;
  const rest = path.slice(depth + 1);
  const eol = body.includes("\r\n") ? "\r\n" : "\n";
  const unit = /\n(\t| +)\S/.exec(body)?.[1] ?? "  ";
  const name = parent.type === "array" ? "" : `${JSON.stringify(path[depth])}: `;
  const lines = `${name}${JSON.stringify(parent.type === "array" ? value : nested(rest, value, isItem), null, unit)}`;
  const written = lines
    .split("\n")
    .map((line) => eol + unit.repeat(depth + 1) + line)
    .join("");
  return text.slice(0, text.length - body.length) + putLast(body, parent, written, eol + unit.repeat(depth));
}

/** `closing`: the text before the closing bracket of a container that was empty. */
function putLast(text: string, parent: Node, written: string, closing: string): string {
  const last = parent.children?.at(-1);
  const end = parent.offset + parent.length - 1;
  const inside = text.slice(0, end).trimEnd().length;
  if (last === undefined) {
    const kept = text.slice(0, inside);
    return `${kept}${written}${closing}${text.slice(end)}`;
  }
  const comma = commaAfter(text, endOf(last), end);
  if (comma !== null) return `${text.slice(0, inside)}${written},${text.slice(inside)}`;
  const lastEnd = endOf(last);
  return `${text.slice(0, lastEnd)},${text.slice(lastEnd, inside)}${written}${text.slice(inside)}`;
}

/** Removes the property or the item at the path, with its comma. */
export function remove(text: string, path: Path): string {
  const body = withoutMark(text);
  const tree = parseTree(body, [], LENIENT);
  const value = tree && findNodeAtLocation(tree, [...path]);
  const node = value?.parent?.type === "property" ? value.parent : value;
  const siblings = node?.parent?.children;
  if (!node?.parent || !siblings) return text;
  const mark = text.slice(0, text.length - body.length);
  const at = siblings.indexOf(node);
  const start = body.slice(0, node.offset).trimEnd().length;
  const comma = commaAfter(body, endOf(node), node.parent.offset + node.parent.length - 1);
  if (comma !== null) return mark + body.slice(0, start) + body.slice(comma + 1);
  const before = siblings[at - 1];
  const own = before === undefined ? null : commaAfter(body, endOf(before), node.offset);
  const head = own === null ? body.slice(0, start) : body.slice(0, own) + body.slice(own + 1, start);
  const tail = body.slice(endOf(node));
  const isAlone = siblings.length === 1 && /[[{]$/.test(head);
  return mark + head + (isAlone ? tail.trimStart() : tail);
}

/** Replaces the value at the path, on one line. */
export function replace(text: string, path: Path, value: unknown): string {
  const body = withoutMark(text);
  const node = nodeAt(parseTree(body, [], LENIENT) as Node, path);
  if (!node) return text;
  const mark = text.slice(0, text.length - body.length);
  const written = JSON.stringify(value).replace(/^\{(.*)\}$/, "{ $1 }");
  return mark + body.slice(0, node.offset) + written + body.slice(endOf(node));
}

export function nodeAt(tree: Node, path: Path): Node | undefined {
  return path.length === 0 ? tree : findNodeAtLocation(tree, [...path]);
}

/** How many names of the path exist. */
function depthOf(tree: Node, path: readonly string[]): number {
  let depth = 0;
  while (depth < path.length && findNodeAtLocation(tree, path.slice(0, depth + 1))) depth++;
  return depth;
}

function nested(path: readonly string[], value: unknown, isItem: boolean): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), isItem ? [value] : value);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The position of the comma between two offsets, outside of comments; null: none. */
function commaAfter(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to), true);
  scanner.scan();
  const at = from + scanner.getTokenOffset();
  return at < to && text[at] === "," ? at : null;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
