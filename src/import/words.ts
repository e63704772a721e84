/** Normalizes titles, ids, statuses and texts from sources. */
import { hashOf } from "../core/hash.ts";
import { isId } from "../core/id.ts";

const LONGEST_TITLE = 200;
const LONGEST_SLUG = 60;

/** Removes what no person's file contains: byte order marks, control characters, lone surrogates. */
export function plain(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufeff\u2028\u2029]/g, "")
      .toWellFormed()
  );
}

/**
 * Removes the empty lines around a text; in one of several lines, the first line's indent stays, because it
 * may be code.
 */
export function withoutBlankLines(text: string): string {
  if (!text.includes("\n")) return text.trim();
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** The text of any JSON or YAML value; empty unless it is a text or a number. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return withoutBlankLines(plain(value));
  return typeof value === "number" && Number.isFinite(value) ? String(value) : "";
}

/** One line as a title; a longer one is cut, and `rest` has the whole. */
export function titled(line: string): { readonly title: string; readonly rest: string } {
  const [first = "", ...more] = line.trim().split("\n");
  const words = first.trim();
  if (words.length <= LONGEST_TITLE) return { title: words, rest: withoutBlankLines(more.join("\n")) };
  const cut = words.slice(0, LONGEST_TITLE);
  const end = cut.lastIndexOf(" ") > LONGEST_TITLE / 2 ? cut.lastIndexOf(" ") : LONGEST_TITLE;
  return { title: `${cut.slice(0, end).toWellFormed()} …`, rest: line.trim() };
}

/** Title and text of a title that may be long, have several lines, or be missing. */
export function titledWith(line: string, text: string, fallback: string): { title: string; text: string } {
  const { title, rest } = titled(line);
  const first = title !== "" ? title : titled(text).title;
  return { title: first || fallback, text: paragraphs(rest, text) };
}

export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => withoutBlankLines(part ?? ""))
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The text as an id: unchanged if it is valid, else without accents, and with other characters replaced by `-`. */
export function idFrom(text: string, prefix = "task"): string {
  const trimmed = text.trim();
  const given: unknown = trimmed;
  if (isId(given)) return given;
  const slug = trimmed
    .slice(0, 400)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST_SLUG)
    .replace(/(?:\.lock|[^A-Za-z0-9])+$/, "");
  return isId(slug) ? slug : `${prefix}-${short(trimmed)}`;
}

/** A title as an id. A title without Latin letters or digits gets a number of its own. */
export function slugOf(title: string): string {
  return idFrom(
    title
      .toLowerCase()
      .slice(0, 400)
      .replace(/[`*_~[\]()]/g, " ")
      .slice(0, 48),
  );
}

export function short(text: string): string {
  return hashOf(text).slice(0, 8);
}

/** Makes keys unique: the second `x` becomes `x#2`. */
export function openKeys(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}#${count}`;
  };
}
