/** A configuration file's text → its values and their places. Loaded only where such a file is. */
import { type Document, isMap, isScalar, type LineCounter, type Node } from "yaml";
import type { z } from "zod";
import { PawlError } from "../core/error.ts";
import { nearest } from "../core/nearest.ts";
import { readYaml } from "../core/yaml.ts";

export type Tree = { readonly [key: string]: unknown };

export interface ParsedFile {
  readonly tree: Tree;
  /** `pawl.yaml:3:5` */
  place(path: readonly string[]): string;
}

/** Reads a file and checks it; throws `config-invalid` with the place of the first fault and the nearest name */
export function parseFile(file: string, text: string, schema: z.ZodType): ParsedFile {
  const { document, lines, faults, data } = readYaml(text.replace(/^\uFEFF/, ""));
  const place = (path: readonly PropertyKey[]) => `${file}:${position(document, lines, path)}`;
  const [fault] = faults;
  if (fault)
    throw configInvalid(`${file}:${fault.line}:${fault.column}`, `expected YAML; found: ${fault.message}`);
  const tree = (data ?? {}) as Tree;
  const checked = schema.safeParse(tree);
  if (checked.success) return { tree, place };
  const [issue] = checked.error.issues;
  if (!issue) throw configInvalid(place([]), "it does not fit");
  const keyPlace = (path: readonly PropertyKey[], key: string) =>
    `${file}:${keyPosition(document, lines, path, key)}`;
  throw explain(issue, { tree, place, keyPlace, schema }, checked.error.issues.length - 1);
}

/** Line and column of the value at the path. */
function position(document: Document, lines: LineCounter, path: readonly PropertyKey[]): string {
  return at(lines, document.getIn(path as string[], true) as Node | undefined);
}

/** Line and column of a key rather than of its value. */
function keyPosition(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
  key: string,
): string {
  const map = path.length > 0 ? document.getIn(path as string[], true) : document.contents;
  const pair = isMap(map)
    ? map.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
    : undefined;
  return at(lines, pair?.key as Node | undefined);
}

function at(lines: LineCounter, node: Node | undefined): string {
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  return `${line}:${col}`;
}

interface Faulty {
  readonly tree: Tree;
  readonly schema: z.ZodType;
  place(path: readonly PropertyKey[]): string;
  keyPlace(path: readonly PropertyKey[], key: string): string;
}

function explain(
  issue: z.core.$ZodIssue,
  { tree, schema, place, keyPlace }: Faulty,
  others: number,
): PawlError {
  const more = others > 0 ? ` (${others} more after this one)` : "";
  if (issue.code === "unrecognized_keys" || issue.code === "invalid_key") {
    const key = issue.code === "invalid_key" ? String(issue.path.at(-1)) : (issue.keys[0] ?? "");
    const parent = issue.code === "invalid_key" ? issue.path.slice(0, -1) : issue.path;
    const known = knownKeys(schema, parent);
    const near = nearest(key, known);
    return configInvalid(
      keyPlace(parent, key),
      `${[...parent, key].map(String).join(".")} is not a setting: expected one of ${known.join(", ")}${more}`,
      near ? `write ${near} instead of ${key}` : `remove ${key}`,
    );
  }
  const found = issue.path.reduce<unknown>((at, key) => (at as Tree | undefined)?.[key as string], tree);
  const name = issue.path.length > 0 ? issue.path.map(String).join(".") : "the file";
  const near = issue.code === "invalid_value" ? nearest(String(found), issue.values.map(String)) : null;
  return configInvalid(
    place(issue.path),
    `${name}: ${expectation(issue)}; found ${JSON.stringify(found)}${more}`,
    near ? `write ${near}` : undefined,
  );
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `expected one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type")
    return `expected ${issue.expected === "record" ? "a map" : issue.expected}`;
  return issue.message;
}

/** The names that may stand at a path of the schema. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  // biome-ignore lint/suspicious/noExplicitAny: zod's definitions are walked by their documented `def`, untyped here
  let at: any = schema;
  const bare = () => {
    while (at?.def?.innerType) at = at.def.innerType;
  };
  bare();
  for (const key of path) {
    at = at?.def?.shape?.[key] ?? at?.def?.valueType;
    bare();
  }
  return Object.keys(at?.def?.shape ?? at?.def?.keyType?.def?.entries ?? {});
}

function configInvalid(where: string, what: string, hint?: string): PawlError {
  const [file, line] = where.split(":");
  return new PawlError(
    "config-invalid",
    `${where}: ${what}.`,
    `Edit ${file}, line ${line}${hint ? `: ${hint}` : ""}. \`pawl config\` shows the effective settings.`,
  );
}
