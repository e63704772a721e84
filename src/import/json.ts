/** JSON in the forms that tools print: one value, several in a row (pages), or one per line. */
import { type Fields, isObject } from "../core/json.ts";
import { invalidSourceError, type SourceFile } from "./source.ts";
import { textOf } from "./words.ts";

const MAX_BYTES = 32_000_000;

/** Throws `import-invalid`, with the place. */
export function parseJson(path: string, source: string): unknown {
  const text = source.replace(/^\uFEFF/, "");
  if (text.length > MAX_BYTES)
    throw invalidSourceError(path, "at most 32 MB", `${Math.round(text.length / 1e6)} MB`);
  if (text.trim() === "") throw invalidSourceError(path, "JSON", "an empty file");
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw invalidSourceError(path, "JSON", (thrown as Error).message.slice(0, 200));
  }
}

/**
 * The values in a text that may have several: `[…][…]` as `gh api --paginate` prints pages, or lines of JSON.
 */
export function parseMany(path: string, source: string): readonly unknown[] {
  const text = source.replace(/^\uFEFF/, "");
  try {
    return [JSON.parse(text)];
  } catch {
    const ends = endsOf(text);
    if (ends.length < 2) return [parseJson(path, text)];
    return ends.map((end, at) => parseJson(path, text.slice(ends[at - 1] ?? 0, end)));
  }
}

const LISTS = ["items", "data", "issues", "nodes", "tasks"];

/**
 * The records with a title: from a list, pages of lists, a search result, or one per line. `remarks` gets how
 * many have none.
 */
export function recordsIn({ path, text }: SourceFile, remarks: string[]): readonly Fields[] {
  const records: Fields[] = [];
  let untitled = 0;
  const take = (value: unknown, depth: number) => {
    if (Array.isArray(value) && depth < 4) for (const each of value) take(each, depth + 1);
    else if (isObject(value)) {
      const inner = LISTS.map((name) => value[name]).find((each) => Array.isArray(each) || isObject(each));
      if (inner !== undefined && textOf(value.title) === "" && depth < 4) take(inner, depth + 1);
      else if (textOf(value.title) !== "") records.push(value);
      else if (depth === 0 && Object.keys(value).length > 0)
        throw invalidSourceError(
          path,
          "a list of issues with titles",
          `an object with the keys ${Object.keys(value).slice(0, 8).join(", ")}`,
        );
      else untitled += 1;
    }
  };
  for (const value of parseMany(path, text)) take(value, 0);
  if (untitled > 0)
    remarks.push(
      `${path}: ${untitled === 1 ? "1 record has" : `${untitled} records have`} no title: left out.`,
    );
  return records;
}

/** The end of each value that begins with a bracket. */
function endsOf(text: string): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const each = text[at];
    if (inText) {
      if (each === "\\") at++;
      else if (each === '"') inText = false;
    } else if (each === '"') inText = true;
    else if (each === "[" || each === "{") depth++;
    else if (each === "]" || each === "}") {
      depth--;
      if (depth === 0) ends.push(at + 1);
    }
  }
  const last = ends.at(-1);
  // The last value includes the rest of the text, so that nothing is skipped.
  return last === undefined ? [] : [...ends.slice(0, -1), text.length];
}
