import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import type { Problem } from "./problem.ts";

export interface ParsedYaml {
  /** The value, as plain data. */
  readonly tree: unknown;
  /** What is no YAML; then `tree` is null. */
  readonly problems: readonly Problem[];
  /** `release.yaml:3:5`: of the value at the path, or of the nearest one around it. */
  place(path: readonly PropertyKey[]): string;
  /** Of a key rather than of its value. */
  keyPlace(path: readonly PropertyKey[], key: string): string;
}

/** Parses YAML so that every value can be found again in the text. */
export function parseYaml(file: string, text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ""), { lineCounter: lines });
  const at = (node: Node | null | undefined) => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return `${file}:${line}:${col}`;
  };
  const place = (path: readonly PropertyKey[]) => at(nodeAt(document, path));
  const problems = document.errors.map(({ linePos, message }) => ({
    place: `${file}:${linePos?.[0].line ?? 1}:${linePos?.[0].col ?? 1}`,
    message: `expected YAML; found: ${firstLine(message)}.`,
  }));
  return {
    ...treeOf(document, problems, place([])),
    place,
    keyPlace(path, key) {
      const map = nodeAt(document, path);
      const pair = isMap(map)
        ? map.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
        : undefined;
      return at((pair?.key ?? map) as Node | null);
    },
  };
}

function treeOf(
  document: Document,
  problems: readonly Problem[],
  start: string,
): Pick<ParsedYaml, "tree" | "problems"> {
  if (problems.length > 0) return { tree: null, problems };
  try {
    return { tree: document.toJS() ?? {}, problems };
  } catch (thrown) {
    // Aliases that grow beyond measure.
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { tree: null, problems: [{ place: start, message: `it cannot be read: ${firstLine(message)}.` }] };
  }
}

function nodeAt(document: Document, path: readonly PropertyKey[]): Node | null {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (node !== undefined && node !== null) return node as Node;
  }
  return document.contents as Node | null;
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").replace(/\.$/, "");
}
