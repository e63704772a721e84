/** The front matter of files. */
import type { Fields } from "../core/json.ts";
import { parseFrontMatter } from "../core/text/front-matter.ts";
import { readYaml } from "../core/yaml/yaml.ts";
import { plain } from "./words.ts";

/** `fields` null: it has no front matter. */
export function parseFronted(source: string): { readonly fields: Fields | null; readonly body: string } {
  const text = plain(source);
  const front = parseFrontMatter(text);
  return { fields: front && fieldsIn(front.front), body: text.slice(front?.whole.length ?? 0) };
}

/**
 * Front matter of people and agents is often invalid YAML (`title: A: b`); then its lines are read one by
 * one.
 */
function fieldsIn(text: string): Fields {
  const { data, faults } = readYaml(text);
  if (faults.length === 0 && typeof data === "object" && data !== null) return data as Fields;
  const fields: Record<string, unknown> = {};
  let list: string[] | null = null;
  for (const line of text.split("\n")) {
    const [, key, value = ""] = /^([A-Za-z_]\w{0,40}):[ \t]*(.*)$/.exec(line) ?? [];
    const item = /^[ \t]*-[ \t]+(.*)$/.exec(line)?.[1];
    if (key !== undefined) {
      const words = value.trim();
      list = words === "" ? [] : null;
      fields[key] =
        list ?? (/^\[.*\]$/.test(words) ? words.slice(1, -1).split(",").map(unquoted) : unquoted(words));
    } else if (item !== undefined) list?.push(unquoted(item));
  }
  return fields;
}

function unquoted(text: string): string {
  const words = text.trim();
  return /^(["']).*\1$/.test(words) && words.length > 1 ? words.slice(1, -1) : words;
}
