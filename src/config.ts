/**
 * The environment and the configuration files: the only reader of `process.env`. Nothing is parsed where no file is.
 */
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Document, LineCounter, Node } from "yaml";
import type { z } from "zod";
import { PawlError } from "./base/error.ts";
import { isId } from "./base/id.ts";
import { nearest } from "./base/nearest.ts";
import { pathFault, projectPath } from "./base/path.ts";
import type { View } from "./base/ports.ts";
import { DEFAULT_SETTINGS, type Settings } from "./base/settings.ts";
import type { SettingOrigin } from "./runtime/project.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return { ...process.env };
}

/** What the environment and the command line say beside the files: where tasks.yaml is, and for whom this process acts. */
export interface Surroundings {
  readonly tasks_file: string | null;
  readonly acting_for: string | null;
  readonly searched: readonly string[];
}

/** Throws `usage` where tasks.yaml is named outside the project. */
export function readSurroundings(place: {
  readonly root: string;
  readonly cwd: string;
  readonly tasksFile?: string | undefined;
  readonly environment: Environment;
}): Surroundings {
  const { root, cwd, tasksFile, environment } = place;
  const named = tasksFile ? relative(root, resolve(cwd, tasksFile)).split(sep).join("/") : null;
  if (named !== null && (pathFault(named) !== null || isAbsolute(named)))
    throw new PawlError(
      "usage",
      `The tasks file ${JSON.stringify(tasksFile)} is not inside the project ${root}.`,
      "Name a file inside the project, or another project with --project.",
    );
  const acting = environment.BLOOM_TASK;
  return { tasks_file: named, acting_for: isId(acting) ? acting : null, searched: foldersUp(cwd, root) };
}

/** The settings as they are for this process. */
export function within(settings: Settings, around: Surroundings): Settings {
  const tasks_file = around.tasks_file ?? settings.bloom.tasks_file;
  return { ...settings, bloom: { ...settings.bloom, ...around, tasks_file } };
}

function foldersUp(from: string, to: string): readonly string[] {
  const folders = [from];
  for (let folder = from; folder !== to && dirname(folder) !== folder; folder = dirname(folder))
    folders.push(dirname(folder));
  return folders.includes(to) ? folders : [to];
}

const PAWL_YAML = projectPath("pawl.yaml");
const ALFRED_CONFIG = projectPath(".alfred/config.yml");

/** A configuration with the place of each value. */
export interface Configuration {
  readonly settings: Settings;
  readonly origins: readonly SettingOrigin[];
}

/** Reads the settings through a view; a file that is as it was is not parsed again. */
export function openConfiguration(): (view: View) => Promise<Configuration> {
  let known: { readonly texts: string; readonly configuration: Configuration } | undefined;
  return async (view) => {
    const [pawl, alfred] = [await view.read(PAWL_YAML), await view.read(ALFRED_CONFIG)];
    if (pawl === null && alfred === null) return DEFAULTS;
    const texts = JSON.stringify([pawl, alfred]);
    if (known?.texts !== texts) known = { texts, configuration: await parse(pawl, alfred) };
    return known.configuration;
  };
}

type Tree = { readonly [key: string]: unknown };

const DEFAULTS: Configuration = {
  settings: DEFAULT_SETTINGS,
  origins: origins(DEFAULT_SETTINGS as unknown as Tree, () => "default"),
};

async function parse(pawl: string | null, alfred: string | null): Promise<Configuration> {
  const { PAWL_FILE, ALFRED_FILE } = await import("./config-schema.ts");
  const lower = alfred === null ? null : await parseFile(ALFRED_CONFIG, alfred, ALFRED_FILE);
  const upper = pawl === null ? null : await parseFile(PAWL_YAML, pawl, PAWL_FILE);
  let tree = DEFAULT_SETTINGS as unknown as Tree;
  const from = new Map<string, string>();
  for (const layer of [
    lower && { tree: { alfred: lower.tree }, skip: 1, file: lower },
    upper && { tree: upper.tree, skip: 0, file: upper },
  ]) {
    if (!layer) continue;
    tree = merge(tree, layer.tree);
    for (const path of leaves(layer.tree)) from.set(path.join("."), layer.file.place(path.slice(layer.skip)));
  }
  return {
    settings: tree as unknown as Settings,
    origins: origins(tree, (path) => from.get(path) ?? "default"),
  };
}

interface ParsedFile {
  readonly tree: Tree;
  /** `pawl.yaml:3:5` */
  place(path: readonly string[]): string;
}

async function parseFile(file: string, text: string, schema: z.ZodType): Promise<ParsedFile> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ""), { lineCounter: lines });
  const place = (path: readonly PropertyKey[]) => `${file}:${position(document, lines, path)}`;
  const [fault] = document.errors;
  if (fault) {
    const at = fault.linePos?.[0] ?? { line: 1, col: 1 };
    throw configInvalid(`${file}:${at.line}:${at.col}`, `expected YAML; found: ${firstLine(fault.message)}`);
  }
  const tree = document.toJS() ?? {};
  const checked = schema.safeParse(tree);
  if (checked.success) return { tree, place };
  const [issue] = checked.error.issues;
  if (!issue) throw configInvalid(place([]), "it does not fit");
  throw explain(issue, tree, place, schema, checked.error.issues.length - 1);
}

/** Line and column of the value at the path; of the key, where the last name is a key without a node of its own. */
function position(document: Document, lines: LineCounter, path: readonly PropertyKey[]): string {
  const node = document.getIn(path as string[], true) as Node | undefined;
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  return `${line}:${col}`;
}

function explain(
  issue: z.core.$ZodIssue,
  tree: Tree,
  place: (path: readonly PropertyKey[]) => string,
  schema: z.ZodType,
  others: number,
): PawlError {
  const more = others > 0 ? ` (${others} more after this one)` : "";
  if (issue.code === "unrecognized_keys" || issue.code === "invalid_key") {
    const key = issue.code === "invalid_key" ? String(issue.path.at(-1)) : (issue.keys[0] ?? "");
    const parent = issue.code === "invalid_key" ? issue.path.slice(0, -1) : issue.path;
    const known = knownKeys(schema, parent);
    const near = nearest(key, known);
    return configInvalid(
      place([...parent, key]),
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
    `Edit ${file}, line ${line}${hint ? `: ${hint}` : ""}. \`pawl config\` shows what holds.`,
  );
}

function merge(below: Tree, above: Tree): Tree {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = isTree(value) && isTree(under) ? merge(under, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function leaves(tree: Tree, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? leaves(value, [...path, key]) : [[...path, key]],
  );
}

function origins(tree: Tree, from: (path: string) => string): readonly SettingOrigin[] {
  return leaves(tree).map((path) => ({
    path: path.join("."),
    value: path.reduce<unknown>((at, key) => (at as Tree)[key], tree),
    from: from(path.join(".")),
  }));
}

function firstLine(text: string): string {
  return text.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? text;
}
