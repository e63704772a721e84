/**
 * The steps of a record, and their parser. A journal's data reaches the disk only in the exact shape that
 * Pawl writes: paths inside the project but not the store's own, and plain permission bits.
 */
import { type Fields, isObject } from "../../../core/json.ts";
import { pathFault } from "../../../core/path.ts";
import { isReserved } from "../control.ts";
import { tryTextOf } from "../read-at.ts";

/** One step of a record, about one path. Hashes are sha-256 in hexadecimal; null: there is no file. */
export type Step = Put | Drop | Append | KnownText;

/** Gives the file exactly this content. */
export interface Put extends Content {
  readonly type: "put";
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  /** Permission bits of a new file, if not 0644. */
  readonly mode?: number;
  /** How to redo it on a text that a person changed. */
  readonly redo?: { readonly editor: string; readonly edits: readonly unknown[] };
  /** The result of a redo: it replaces a person's text and contains it. */
  readonly redone?: true;
}

/** Text if the bytes are UTF-8, else base64. */
export interface Content {
  readonly text?: string;
  readonly base64?: string;
}

/** Removes the file. */
export interface Drop {
  readonly type: "drop";
  readonly path: string;
  readonly before: string | null;
}

export interface Append {
  readonly type: "append";
  readonly path: string;
  readonly id: string;
  /** The file's size when the commit was made. */
  readonly offset: number;
  readonly text: string;
}

/** A person's text that was in the way. It has been kept aside and may be replaced. */
export interface KnownText {
  readonly type: "known";
  readonly path: string;
  readonly hash: string;
}

/**
 * The permissions that a file may get: read, write and execute, never setuid and the like, which lend a
 * user's rights.
 */
export const PERMISSIONS = 0o777;

/** The steps in a record's body, or the reason why Pawl cannot have written it. */
export function parseSteps(body: string): readonly Step[] | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { fault: "it is not valid JSON" };
  }
  const steps = isObject(value) ? value.steps : undefined;
  if (!Array.isArray(steps)) return { fault: "it has no list of steps" };
  for (const step of steps) {
    const fault = isObject(step) ? stepFault(step) : "a step is not an object";
    if (fault !== null) return { fault };
  }
  return steps as readonly Step[];
}

function stepFault(step: Fields): string | null {
  const { path } = step;
  if (typeof path !== "string") return "a step names no path";
  const fault = pathFault(path) ?? (isReserved(path) ? "it is reserved for the store" : null);
  if (fault !== null) return `the path ${JSON.stringify(path.slice(0, 200))} cannot be used: ${fault}`;
  return hasShape(step) ? null : `the step about ${path} is not one that Pawl writes`;
}

function hasShape(step: Fields): boolean {
  switch (step.type) {
    case "put":
      return (
        isHashOrNull(step.before) && isHash(step.after) && isContent(step) && isMode(step) && isRedo(step)
      );
    case "drop":
      return isHashOrNull(step.before);
    case "append":
      return (
        typeof step.id === "string" && step.id !== "" && isCount(step.offset) && typeof step.text === "string"
      );
    case "known":
      return isHash(step.hash);
    default:
      return false;
  }
}

function isContent({ text, base64 }: Fields): boolean {
  return base64 === undefined ? typeof text === "string" : typeof base64 === "string" && text === undefined;
}

function isMode({ mode }: Fields): boolean {
  return mode === undefined || (isCount(mode) && mode <= PERMISSIONS);
}

function isRedo({ redo, redone }: Fields): boolean {
  if (redone !== undefined && redone !== true) return false;
  return (
    redo === undefined || (isObject(redo) && typeof redo.editor === "string" && Array.isArray(redo.edits))
  );
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isHashOrNull(value: unknown): boolean {
  return value === null || isHash(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function contentOf(bytes: Uint8Array): Content {
  const text = tryTextOf(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString("base64") } : { text };
}

export function bytesOf({ base64 = "", text }: Content): Uint8Array {
  return text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text, "utf8");
}
