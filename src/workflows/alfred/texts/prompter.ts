/** Renders prompts and artifact texts from templates, which may include the partials among them. */

import { PawlError } from "../../../core/error.ts";
import { tidy } from "../../../core/text/lines.ts";
import { faultOf, openTemplates, type Templates } from "../../../runtime/template.ts";

export interface TemplateText {
  /** The file that it was read from, for error messages. */
  readonly source: string;
  readonly text: string;
}

/** The templates that may be rendered or included, by name (`prompts/start_task/initialized`). */
export type TemplateSet = ReadonlyMap<string, TemplateText>;

export type Values = Readonly<Record<string, unknown>>;

/** Throws `template-invalid`, naming the template, the line and what is wrong. */
export function render(templates: TemplateSet, name: string, values: Values): string {
  const template = templates.get(name);
  if (!template)
    throw new PawlError(
      "template-invalid",
      `There is no template ${name}.md.`,
      `Create .alfred/templates/${name}.md.`,
    );
  try {
    return tidy(engineOf(templates).render(withoutTagLines(template.text), values, name));
  } catch (cause) {
    throw brokenTemplateError(template, templates, cause);
  }
}

/** Caches the last engine as long as the partials are the same. */
let last: { readonly key: string; readonly engine: Templates } | null = null;

function engineOf(templates: TemplateSet): Templates {
  const partials = [...templates].filter(([name]) => name.startsWith(PARTIALS));
  const key = JSON.stringify(partials.map(([name, { text }]) => [name, text]));
  if (last?.key === key) return last.engine;
  const engine = openTemplates({
    greedy: false,
    partials: Object.fromEntries(
      partials.map(([name, { text }]) => [name.slice(PARTIALS.length), withoutTagLines(text)]),
    ),
    filters: {
      bullets,
      reviewer: (value) => (value === "ai" ? "AI" : value),
      article: (value) => (/^[aeiou]/i.test(String(value)) ? "an" : "a"),
    },
  });
  last = { key, engine };
  return engine;
}

const PARTIALS = "prompts/partials/";

/**
 * A line with only a tag produces no line; a tag within a line keeps the blanks around it. Liquid's own sign
 * trims the line break, so that line numbers in errors stay correct.
 */
function withoutTagLines(text: string): string {
  return text.replace(/^[ \t]*(\{%(?:(?!%\}).)*?)-?%\}[ \t]*$/gm, "$1-%}");
}

/** The texts as one list, with one item per text even if it has several lines. */
function bullets(items: unknown): string {
  return (items as readonly unknown[])
    .map(
      (item) =>
        `- ${String(item)
          .trim()
          .replace(/\r\n|\r|\n/g, "\n  ")}`,
    )
    .join("\n");
}

function brokenTemplateError(template: TemplateText, templates: TemplateSet, cause: unknown): PawlError {
  const { file, line, what } = faultOf(cause);
  const named = file === null ? undefined : (templates.get(file) ?? templates.get(`${PARTIALS}${file}`));
  const { source } = named ?? template;
  return new PawlError(
    "template-invalid",
    `${source}${line === null ? "" : `, line ${line}`}: the template cannot be rendered: ${what}.`,
    source.startsWith(".alfred/")
      ? `Correct ${source}, or remove it to use the packaged one.`
      : "Report this: a packaged template is broken.",
    cause,
  );
}
