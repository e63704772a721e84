/** Finds the line of a value in a YAML text. Loaded only when needed. */
import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { readYaml } from "./yaml.ts";

interface Line {
  readonly line: number;
  /** How much of the path the text lacks. Then the line is that of the nearest value above it. */
  readonly missing: number;
}

/** Takes a value's path. Null if the text has no part of it. Never throws because of the text. */
export type FindLine = (path: string, nested: string | undefined) => Line | null;

export function linesOf(text: string): FindLine {
  const { document, lines } = readYaml(text.replace(/^\uFEFF/, ""));
  return (path, nested) => {
    const node = find(document.contents as Node | null, path, nested);
    return node && { line: lines.linePos(node.offset).line, missing: node.missing };
  };
}

interface LongestMatch {
  readonly offset: number;
  readonly missing: number;
}

/** Finds the longest part of the path that exists; null if none does. */
function find(node: Node | null, path: string, nested: string | undefined): LongestMatch | null {
  const [entry] = entriesOf(node, nested)
    .filter(({ name }) => path === name || path.startsWith(`${name}.`))
    // A name may itself have dots: the longest that fits counts.
    .sort((one, other) => other.name.length - one.name.length);
  if (!entry) return null;
  const rest = path.slice(entry.name.length + 1);
  return find(entry.value, rest, nested) ?? { offset: entry.offset, missing: rest.length };
}

interface Entry {
  readonly name: string;
  readonly value: Node | null;
  readonly offset: number;
}

function entriesOf(node: Node | null, nested: string | undefined): readonly Entry[] {
  if (isSeq<Node>(node)) return node.items.flatMap((item) => (isMap(item) ? listed(item, nested) : []));
  if (!isMap(node)) return [];
  return (node.items as readonly Pair<Node, Node | null>[]).flatMap(({ key, value }) =>
    isScalar(key) ? [{ name: String(key.value), value, offset: key.range?.[0] ?? 0 }] : [],
  );
}

/** An entry of a list, and the entries inside it. */
function listed(item: YAMLMap, nested: string | undefined): readonly Entry[] {
  const entry = { name: String(item.get("id")), value: item, offset: item.range?.[0] ?? 0 };
  const more = nested === undefined ? undefined : item.get(nested, true);
  return isSeq(more) ? [entry, ...entriesOf(more as Node, nested)] : [entry];
}
