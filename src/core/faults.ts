/**
 * A schema's objections to a value, in Pawl's own words. Made from zod's issues (codes, paths, expected
 * types), never from its sentences, which change with its version and locale.
 */
import type { core } from "zod";
import { isObject } from "./json.ts";
import { nearest } from "./text/nearest.ts";

export interface Fault {
  /** The path, such as `slots.0.title`; empty for the value itself. */
  readonly path: string;
  /** The same path as a list of keys. */
  readonly keys: readonly PropertyKey[];
  /** The expected type or value; null if the schema has no such key. */
  readonly expected: string | null;
  /** The value found, shortened; `nothing` if the key is missing. */
  readonly found: string;
  /** For an unknown key: the keys that the schema has there. */
  readonly known?: readonly string[];
  /** For an unknown key, or a value outside a fixed list: the known word that was probably meant. */
  readonly near?: string;
}

const MAX_FOUND = 120;

/** Returns every fault, one for each unknown key. */
export function faultsOf(
  schema: core.$ZodType,
  issues: readonly core.$ZodIssue[],
  input: unknown,
): readonly Fault[] {
  return issues.flatMap((issue): readonly Fault[] => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => unknownKey(schema, issue.path, key, input));
    if (issue.code === "invalid_key")
      return [unknownKey(schema, issue.path.slice(0, -1), issue.path.at(-1) ?? "", input)];
    const value = valueAt(input, issue.path);
    const inside = issue.code === "invalid_union" && isObject(value) ? issuesOfMap(issue) : null;
    if (inside) return faultsOf(schema, inside, input);
    const near = issue.code === "invalid_value" ? nearest(String(value), issue.values.map(String)) : null;
    return [
      { ...placed(issue.path), expected: expectation(issue), found: shown(value), ...(near && { near }) },
    ];
  });
}

/** What a map does wrong, where a word may stand in its place; null: more than one kind of map is allowed. */
function issuesOfMap({ errors, path }: core.$ZodIssueInvalidUnion): readonly core.$ZodIssue[] | null {
  const isOther = ({ code, path: itsPath }: core.$ZodIssue) =>
    itsPath.length === 0 && (code === "invalid_type" || code === "invalid_value");
  const maps = errors.filter(([first]) => first && !isOther(first));
  return maps.length === 1
    ? (maps[0] ?? []).map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
    : null;
}

function unknownKey(
  schema: core.$ZodType,
  parent: readonly PropertyKey[],
  key: PropertyKey,
  input: unknown,
): Fault {
  const keys = [...parent, key];
  const knownKeys = keysAt(schema, parent);
  const near = nearest(String(key), knownKeys);
  return {
    ...placed(keys),
    expected: null,
    found: shown(valueAt(input, keys)),
    known: knownKeys,
    ...(near && { near }),
  };
}

const placed = (keys: readonly PropertyKey[]): Pick<Fault, "keys" | "path"> => ({
  keys,
  path: keys.map(String).join("."),
});

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

/** Pawl's own schema messages begin with `expected `; none of zod's does. */
const OWN = "expected ";

function expectation(issue: core.$ZodIssue): string {
  if (issue.message.startsWith(OWN)) return issue.message.slice(OWN.length);
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return [...new Set(issue.errors.flatMap(([first]) => (first ? [expectation(first)] : [])))].join(
        " or ",
      );
    case "too_big":
      return `at most ${issue.maximum}${unit(issue.origin)}`;
    case "too_small":
      return issue.origin === "string" && Number(issue.minimum) === 1
        ? "a string that is not empty"
        : `at least ${issue.minimum}${unit(issue.origin)}`;
    case "invalid_format":
      return issue.pattern ? `a string of the form ${issue.pattern}` : `a string of the form ${issue.format}`;
    case "custom":
      // The message of one of Pawl's own checks is the expectation.
      return issue.message;
    default:
      return "a valid value";
  }
}

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

/** The keys of the object schema at this path. */
function keysAt(schema: core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  // biome-ignore lint/suspicious/noExplicitAny: zod's definitions are walked by their documented `def`, untyped here
  let at: any = schema;
  const bare = () => {
    for (;;) {
      const def = at?._zod?.def;
      const map = def?.options?.find((each: typeof at) => each._zod.def.shape ?? each._zod.def.keyType);
      const next = map ?? def?.innerType ?? (def?.out?._zod.def.shape ? def.out : def?.out && def.in);
      if (!next) return;
      at = next;
    }
  };
  bare();
  for (const key of path) {
    const def = at?._zod?.def;
    at = def?.shape?.[key] ?? def?.element ?? def?.valueType;
    bare();
  }
  return Object.keys(at?._zod?.def?.shape ?? at?._zod?.def?.keyType?._zod?.def?.entries ?? {});
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_FOUND ? `${text.slice(0, MAX_FOUND)}…` : text;
}
