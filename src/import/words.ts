/** Titles, ids, statuses and texts as sources write them. */
import { hashOf } from "../core/hash.ts";
import { isId } from "../core/id.ts";

const LONGEST_TITLE = 200;
const LONGEST_SLUG = 60;

/** Without what no file of a person holds: byte order marks, control characters, halves of characters. */
export function plain(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufeff\u2028\u2029]/g, "")
      .toWellFormed()
  );
}

/** Without the empty lines around it; of several lines, the first one's indent stays, since it may be code. */
export function withoutBlankLines(text: string): string {
  if (!text.includes("\n")) return text.trim();
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** Of anything that JSON or YAML holds; other than texts and numbers it is empty. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return withoutBlankLines(plain(value));
  return typeof value === "number" && Number.isFinite(value) ? String(value) : "";
}

/** One line as a title; a longer one is cut, and `rest` holds the whole. */
export function titled(line: string): { readonly title: string; readonly rest: string } {
  const [first = "", ...more] = line.trim().split("\n");
  const words = first.trim();
  if (words.length <= LONGEST_TITLE) return { title: words, rest: withoutBlankLines(more.join("\n")) };
  const cut = words.slice(0, LONGEST_TITLE);
  const end = cut.lastIndexOf(" ") > LONGEST_TITLE / 2 ? cut.lastIndexOf(" ") : LONGEST_TITLE;
  return { title: `${cut.slice(0, end).toWellFormed()} …`, rest: line.trim() };
}

/** Title and text, where the title may be long, have several lines, or be missing. */
export function titledWith(line: string, text: string, fallback: string): { title: string; text: string } {
  const { title, rest } = titled(line);
  const first = title !== "" ? title : titled(text).title;
  return { title: first || fallback, text: paragraphs(rest, text) };
}

export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return joined(parts);
}

/** The same of very many. */
export function joined(parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => withoutBlankLines(part ?? ""))
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The text as an id: as it is where it may be one, else with other characters as `-`. */
export function idFrom(text: string, prefix = "task"): string {
  const trimmed = text.trim();
  const given: unknown = trimmed;
  if (isId(given)) return given;
  const slug = trimmed
    .slice(0, 400)
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST_SLUG)
    .replace(/(?:\.lock|[^A-Za-z0-9])+$/, "");
  return isId(slug) ? slug : `${prefix}-${short(trimmed)}`;
}

/** A title as an id. What has no Latin letters or digits gets a number of its own. */
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

/** A key for each, unique: the second `x` is `x#2`. */
export function openKeys(): (key: string) => string {
  const seen = new Map<string, number>();
  return (key) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key}#${count}`;
  };
}
