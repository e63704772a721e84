import { type Document, isAlias, isCollection, isMap, isPair, isScalar, type Node } from "yaml";
import type { core } from "zod";
import { type ReadYaml, readYaml } from "../core/yaml/yaml.ts";
import { checkTasks } from "./check-tasks.ts";
import { indexOffsets } from "./index-offsets.ts";
import type { Offsets } from "./offsets.ts";
import { type KeyPath, type Problem, shown, type Where } from "./problem.ts";
import { tasksFile } from "./schema.ts";
import type { TasksFile } from "./task.ts";

export type ParsedTasks =
  | { readonly ok: true; readonly file: TasksFile; readonly offsets: Offsets; readonly where: Where }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The whole of tasks.yaml, checked; all problems at once, in the order of the file. */
export function parseTasks(text: string): ParsedTasks {
  const { document, data, where, problems } = parseText(text);
  if (problems.length > 0) return { ok: false, problems };
  const result = tasksFile.safeParse(withoutNulls(data ?? {}));
  if (!result.success) {
    const { issues } = result.error;
    const issueProblems = issues.map((issue) => fromIssue(issue, data, where));
    return { ok: false, problems: inOrder([...issueProblems, ...furtherProblems(data, issues, where)]) };
  }
  const file = result.data as TasksFile;
  const found = checkTasks(file, where);
  if (found.length > 0) return { ok: false, problems: inOrder(found) };
  return { ok: true, file, offsets: indexOffsets(document, tasksIn(document), text), where };
}

/** More problems, found with stand-ins for the faulty values. */
function furtherProblems(data: unknown, issues: readonly core.$ZodIssue[], where: Where): readonly Problem[] {
  const mended = tasksFile.safeParse(
    issues.reduce((tree, issue) => mend(tree, issue.path as KeyPath), withoutNulls(data)),
  );
  const faulty = new Set(issues.map(({ path }) => JSON.stringify(where(path as KeyPath))));
  return mended.success
    ? checkTasks(mended.data as TasksFile, where).filter(
        ({ line, column }) => !faulty.has(JSON.stringify({ line, column })),
      )
    : [];
}

/**
 * The tree without the fault at the path: with a stand-in if the schema requires a value, otherwise without
 * the value.
 */
function mend(tree: unknown, path: KeyPath, at = 0): unknown {
  const key = path[at];
  if (key === undefined || typeof tree !== "object" || tree === null) return tree;
  const copy = (Array.isArray(tree) ? [...tree] : { ...tree }) as Record<string | number, unknown>;
  if (at < path.length - 1) copy[key] = mend(copy[key], path, at + 1);
  else if (REQUIRED.has(key)) copy[key] = `stand-in-${path.join("-")}`;
  else if (typeof key !== "number") delete copy[key];
  else if (["tasks", "subtasks", "steps"].includes(String(path[at - 1])))
    copy[key] = { id: `stand-in-${path.join("-")}`, title: "?", instruction: "?" };
  else copy[key] = "stand-in";
  return copy;
}

const REQUIRED: ReadonlySet<string | number> = new Set(["id", "title", "instruction", "text", "check"]);

const MAX_PROBLEMS = 1_000;

let last: { readonly text: string; readonly read: WeakRef<ReadYaml> } | undefined;

/** The YAML alone. Who changes a text reads the result, and at once another does, to check it: that parse is shared. */
export function readText(text: string): ReadYaml {
  const lastTasks = last?.text === text ? last.read.deref() : undefined;
  if (lastTasks !== undefined) return lastTasks;
  const read = readYaml(text, { merge: true });
  last = { text, read: new WeakRef(read) };
  return read;
}

/** Parses only the YAML; returns its faults with their positions. */
export function parseText(text: string): {
  readonly document: Document;
  readonly data: unknown;
  readonly where: Where;
  readonly problems: readonly Problem[];
} {
  const { document, lines, faults, data } = readText(text);
  const problems = faults.slice(0, MAX_PROBLEMS).map(
    ({ line, column, code, message }): Problem => ({
      line,
      column,
      message: `This is not valid YAML: ${code === "MULTIPLE_DOCS" ? "a second document begins; expected one" : message}.`,
      fix: "Correct the text there.",
    }),
  );
  const where: Where = (path) => {
    const { line, col } = lines.linePos(offsetOf(document, path));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return { document, data, where, problems };
}

/** The list of tasks, in the document; undefined: there is none. */
export function tasksIn({ contents }: Document): unknown {
  return isMap(contents) ? contents.get("tasks", true) : undefined;
}

/**
 * The offset of the value; of its key, if it has no value; of its nearest existing parent, if it is missing.
 */
function offsetOf(document: Document, path: KeyPath): number {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path) {
    const at: unknown = isAlias(node) ? node.resolve(document) : node;
    if (!isCollection(at)) break;
    if (isMap(at)) {
      const pair = at.items.find((item) => isScalar(item.key) && item.key.value === step);
      const key = pair?.key as Node | undefined;
      if (!isPair(pair) || !key?.range) break;
      node = pair.value as Node | null;
      const empty = !node?.range || node.range[0] === node.range[1];
      offset = empty || !node?.range ? key.range[0] : node.range[0];
    } else {
      const item = at.items[Number(step)] as Node | undefined;
      if (!item?.range) break;
      node = item;
      offset = item.range[0];
    }
  }
  return offset;
}

function fromIssue(issue: core.$ZodIssue, data: unknown, where: Where): Problem {
  const path = issue.path as KeyPath;
  const value = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], data);
  const expected = expectation(issue);
  const name = nameOf(path, data);
  return {
    ...where(path),
    message: `${name}: expected ${expected}, found ${shown(value)}.`,
    fix: fixOf(issue, value, path),
  };
}

function expectation(issue: core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return EXPECTED[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return `one of ${issue.values.join(", ")}`;
    case "too_small":
      return "a number above 0";
    default:
      return issue.message;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
};

function fixOf(issue: core.$ZodIssue, found: unknown, path: KeyPath): string {
  const key = [...path].reverse().find((part) => typeof part === "string") ?? "tasks";
  if (found === undefined || found === null) return `Add \`${key}\`.`;
  if (issue.code === "invalid_type" && issue.expected === "string" && typeof found !== "object")
    return `Put quotes around it: "${String(found)}".`;
  if (issue.code === "invalid_type" && issue.expected === "array" && typeof found !== "object")
    return `Write a list: \`${key}: [${JSON.stringify(found)}]\`.`;
  if (key === "id" || key === "depends_on") return "Use an id such as TS-01.";
  return `Correct \`${key}\`.`;
}

/** The task or step on the path, and the key: `T1 status`. */
function nameOf(path: KeyPath, data: unknown): string {
  let value = data;
  let id = "";
  for (const key of path) {
    value = (value as Record<string, unknown> | undefined)?.[key];
    const rawId = (value as { id?: unknown } | null | undefined)?.id;
    if (typeof rawId === "string" || typeof rawId === "number") id = `${rawId} `;
  }
  const keys = path.filter((part, at) => typeof part === "string" || at === path.length - 1);
  const last = keys.at(-1);
  const key = typeof last === "number" ? `${String(keys.at(-2))}[${last}]` : last;
  return `${id}${key ?? "The file"}`;
}

/** Without keys that have no value, which count as absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
}
