/**
 * A fault in tasks.yaml, with its place (counted from 1), what was expected and found, and the edit to make.
 */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
}

export type KeyPath = readonly (string | number)[];

/** The line and column of a key or value in the text, counted from 1. */
export type Where = (path: KeyPath) => { readonly line: number; readonly column: number };

/** A value in the form for a message. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const text = JSON.stringify(value) ?? String(value);
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return typeof value === "string" ? short : `the ${typeof value} ${short}`;
}

export function renderProblem(path: string, problem: Problem): string {
  return `${path}:${problem.line}:${problem.column}: ${problem.message} ${problem.fix}`;
}
