import { isObject } from "../../core/json.ts";
import { parseFrontMatter } from "../../core/text/front-matter.ts";
import { readYaml } from "../../core/yaml/yaml.ts";

const MAX_NAME_BYTES = 100;
/** Longer front matter is not parsed; no real one is that long. */
const MAX_FRONT_MATTER = 16_000;
/** A longer name is cut anyway. */
const MAX_NAME_CHARACTERS = 1_000;
const FALLBACK = "unnamed";

/**
 * The `task_name` of a task's YAML front matter as one path segment: letters, digits, `.`, `_` and `-` only.
 * If it is missing, cannot be parsed, or is still the template's, it is "unnamed".
 */
export function parseTaskName(text: string, template: string): string {
  const name = nameIn(text);
  return name === null || name === nameIn(template) ? FALLBACK : toSegment(name);
}

function nameIn(text: string): string | null {
  const yaml = parseFrontMatter(text.replace(/^\uFEFF/, ""))?.front ?? "";
  const { data } = readYaml(yaml.length > MAX_FRONT_MATTER ? "" : yaml);
  const name = isObject(data) ? data.task_name : null;
  return typeof name === "string" || typeof name === "number" ? String(name).trim() : null;
}

function toSegment(name: string): string {
  const safe = name
    .slice(0, MAX_NAME_CHARACTERS)
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/-{2,}/g, "-");
  const short = trimEnds(cut(trimEnds(safe)));
  return short === "" ? FALLBACK : short;
}

function trimEnds(text: string): string {
  return text.replace(/^[-.]+|[-.]+$/g, "");
}

function cut(text: string): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += new TextEncoder().encode(character).length;
    if (bytes > MAX_NAME_BYTES) break;
    kept += character;
  }
  return kept;
}
