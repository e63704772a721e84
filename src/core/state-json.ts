/**
 * A state file: JSON that Pawl wrote and a person may have edited. A fault is an error with its line, what
 * was expected and what was found; never a fresh start. Pawl reads these files on every call, so it checks
 * shapes without a schema library.
 */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { PawlError } from "./error.ts";
import { isObject } from "./json.ts";

export type JsonPath = readonly string[];

export interface StateFault {
  readonly at: JsonPath;
  /** `expected a string, found 1` */
  readonly problem: string;
}

/** Returns the fault of the value at that path. Null: none, and the value is a `T`. */
export interface Check<T> {
  (value: unknown, at: JsonPath): StateFault | null;
  /** For the compiler alone. */
  readonly of?: T;
}

/** The type that a check accepts. */
export type Checked<C> = C extends Check<infer T> ? T : never;

/**
 * Reads the state in the text, with the keys that the check does not know. Throws the error that `toError`
 * makes of a fault.
 */
export function readState<T>(
  text: string,
  check: Check<T>,
  toError: (line: number, problem: string) => PawlError,
): T {
  const json = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const { line, problem } = syntaxFault(json);
    throw toError(line, problem);
  }
  const fault = check(value, []);
  if (fault === null) return value as T;
  const name = fault.at.length === 0 ? "" : `${fault.at.join(".")}: `;
  throw toError(lineOf(json, fault.at), name + fault.problem);
}

/** The error for every unreadable state. `what`: `the task's state`. */
export function unreadableStateError(
  path: string,
  what: string,
  fix: string,
): (line: number, problem: string) => PawlError {
  return (line, problem) =>
    new PawlError(
      "state-unreadable",
      `${path}, line ${line}: ${what} cannot be read: ${problem}. It was left unchanged.`,
      `Fix line ${line} of ${path}, or restore the file from a backup. ${fix}`,
    );
}

// ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The line, from 1, of the value at the path, or of the nearest value around it. */
export function lineOf(text: string, at: JsonPath): number {
  let node = treeOf(text, []);
  let offset = node?.offset ?? 0;
  for (const key of at) {
    const next = childOf(node, key);
    if (next === undefined) break;
    offset = next.offset;
    node = next.type === "property" ? next.children?.[1] : next;
  }
  return lineAt(text, offset);
}

/** If a key is there twice, the last one counts, as in `JSON.parse`. */
function childOf(node: Node | undefined, key: string): Node | undefined {
  if (node?.type === "array") return node.children?.[Number(key)];
  return node?.children?.findLast((property) => property.children?.[0]?.value === key);
}

function syntaxFault(text: string): { readonly line: number; readonly problem: string } {
  const end = text.trimEnd().length;
  if (end === 0) return { line: 1, problem: "the file is empty" };
  const errors: ParseError[] = [];
  treeOf(text, errors);
  const [first] = errors;
  // An incomplete text has its fault in the last line.
  const line = lineAt(text, Math.min(first?.offset ?? end, end));
  const words = first === undefined ? "" : ` (${wordsOf(first)})`;
  return { line, problem: `it is not valid JSON${words}` };
}

/** `CommaExpected` → `comma expected` */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?!^)[A-Z]/g, " $&")
    .toLowerCase();
}

function treeOf(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch (thrown) {
    // The text nests deeper than the stack reaches. Then the place is unknown.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

// ── Checks ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function expected(at: JsonPath, what: string, found: unknown): StateFault {
  const shown = found === undefined ? "nothing" : JSON.stringify(found).slice(0, 80);
  return { at, problem: `expected ${what}, found ${shown}` };
}

export function accepts<T>(test: (value: unknown) => boolean, what: string): Check<T> {
  return (value, at) => (test(value) ? null : expected(at, what, value));
}

export const text = accepts<string>((value) => typeof value === "string", "a string");
export const number = accepts<number>((value) => typeof value === "number", "a number");
export const flag = accepts<boolean>((value) => typeof value === "boolean", "true or false");
export const sha256 = accepts<string>(
  (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
  "a sha-256 in hexadecimal",
);
export const object = accepts<Readonly<Record<string, unknown>>>(isObject, "an object");

/** For a value that needs no check: Pawl wrote it, and no decision rests on it alone. */
export function unchecked<T>(): Check<T> {
  return () => null;
}

/** Gives a check a wider type, for fields that it does not check. */
export function as<T>(check: Check<unknown>): Check<T> {
  return check as Check<T>;
}

export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, at) => (value === undefined ? null : check(value, at));
}

export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at) =>
    Array.isArray(value) ? firstFault(value.entries(), check, at) : expected(at, "a list", value);
}

export function mapOf<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value, at) => object(value, at) ?? firstFault(Object.entries(value as object), check, at);
}

type Fields<Checks> = {
  readonly [K in keyof Checks as undefined extends Checked<Checks[K]> ? never : K]: Checked<Checks[K]>;
} & {
  readonly [K in keyof Checks as undefined extends Checked<Checks[K]> ? K : never]?: Checked<Checks[K]>;
};

/** Refuses unknown keys. */
export function onlyKeys<T>(names: readonly string[], check: Check<T>): Check<T> {
  return (value, at) => {
    const other = isObject(value) ? Object.keys(value).find((key) => !names.includes(key)) : undefined;
    const unknown = other === undefined ? null : { at: [...at, other], problem: "expected no such key" };
    return check(value, at) ?? unknown;
  };
}

export function fields<Checks extends Readonly<Record<string, Check<unknown>>>>(
  checks: Checks,
): Check<Fields<Checks>> {
  const entries = Object.entries(checks);
  return (value, at) => {
    const fault = object(value, at);
    if (fault) return fault;
    for (const [name, check] of entries) {
      const checked = check((value as Record<string, unknown>)[name], [...at, name]);
      if (checked) return checked;
    }
    return null;
  };
}

function firstFault(
  items: Iterable<readonly [string | number, unknown]>,
  check: Check<unknown>,
  at: JsonPath,
): StateFault | null {
  for (const [name, item] of items) {
    const fault = check(item, [...at, String(name)]);
    if (fault) return fault;
  }
  return null;
}
