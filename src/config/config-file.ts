/**
 * Turns the text of a configuration file into values and their places. Loaded only if there is such a file.
 */
import { isMap } from "yaml";
import type { z } from "zod";
import { PawlError } from "../core/error.ts";
import { type Fault, faultsOf } from "../core/faults.ts";
import { parseYaml } from "../core/yaml/located-yaml.ts";
import { readYaml } from "../core/yaml/yaml.ts";

export type Tree = { readonly [key: string]: unknown };

export interface ParsedFile {
  readonly tree: Tree;
  /** `pawl.yaml:3:5` */
  placeOf(path: readonly string[]): string;
}

/**
 * Reads a file and checks it; throws `config-invalid` with the place of the first fault and the nearest name.
 */
export function parseFile(file: string, text: string, schema: z.ZodType): ParsedFile {
  const { keyPlace, place: placeIn, problems, tree } = parseYaml(file, text);
  const [problem] = problems;
  if (problem) throw invalidConfigError(problem.place, problem.message.replace(/\.$/, ""));
  const checked = schema.safeParse(tree);
  if (checked.success) return { tree: tree as Tree, placeOf: placeIn };
  const faults = faultsOf(schema, checked.error.issues, tree);
  const [fault] = faults;
  if (!fault) throw invalidConfigError(placeIn([]), "it does not match the schema");
  const at = fault.expected === null ? keyPlace(fault.keys) : placeIn(fault.keys);
  const more = faults.length > 1 ? ` (${faults.length - 1} more after this one)` : "";
  throw invalidConfigError(at, `${wordsOf(fault)}${more}`, fixOf(fault));
}

/** Whether the file has this key at its top, as far as it can be parsed. */
export function hasKey(text: string, key: string): boolean {
  const { contents } = readYaml(text).document;
  return isMap(contents) && contents.has(key);
}

function wordsOf({ expected, found, known = [], path }: Fault): string {
  if (expected === null) return `${path} is not a setting: expected one of ${known.join(", ")}`;
  return `${path === "" ? "the file" : path}: expected ${expected}; found ${found}`;
}

function fixOf({ expected, keys, near }: Fault): string | undefined {
  if (expected !== null) return near ? `write ${near}` : undefined;
  const key = String(keys.at(-1));
  return near ? `write ${near} instead of ${key}` : `remove ${key}`;
}

function invalidConfigError(where: string, what: string, hint?: string): PawlError {
  const [file, line] = where.split(":");
  return new PawlError(
    "config-invalid",
    `${where}: ${what}.`,
    `Edit ${file}, line ${line}${hint ? `: ${hint}` : ""}. \`pawl config\` shows the effective settings.`,
  );
}
