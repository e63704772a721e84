import { type Document, isMap, isScalar, type Node } from "yaml";
import { readYaml } from "./yaml.ts";

/** One fault in a file. */
export interface Problem {
  /** A place such as `release.yaml:3:5`, or a name. */
  readonly place: string;
  readonly message: string;
}

export interface LocatedYaml {
  /** The file's content as plain data. */
  readonly tree: unknown;
  /** Why the text is not valid YAML; then `tree` is null. */
  readonly problems: readonly Problem[];
  /** The place (`release.yaml:3:5`) of the value at the path, or of the nearest value around it. */
  place(path: readonly PropertyKey[]): string;
  /** The place of the key instead of its value. */
  keyPlace(path: readonly PropertyKey[]): string;
}

/** Parses YAML and keeps the place of every value. */
export function parseYaml(file: string, text: string): LocatedYaml {
  const { document, lines, faults, data } = readYaml(text.replace(/^\uFEFF/, ""));
  const at = (node: Node | null | undefined) => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return `${file}:${line}:${col}`;
  };
  const place = (path: readonly PropertyKey[]) => at(nodeAt(document, path));
  const problems = faults.map(({ line, column, message }) => ({
    place: `${file}:${line}:${column}`,
    message: `expected YAML; found: ${message}.`,
  }));
  return {
    tree: problems.length > 0 ? null : (data ?? {}),
    problems,
    place,
    keyPlace(path) {
      const map = nodeAt(document, path.slice(0, -1));
      const key = String(path.at(-1));
      const pair = isMap(map)
        ? map.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
        : undefined;
      return at((pair?.key ?? map) as Node | null);
    },
  };
}

function nodeAt(document: Document, path: readonly PropertyKey[]): Node | null {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (node !== undefined && node !== null) return node as Node;
  }
  return document.contents as Node | null;
}
