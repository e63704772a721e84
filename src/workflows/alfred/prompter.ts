/**
 * Prompts and artifact texts from Liquid templates. Strict: an unknown variable or filter is an error. Values are
 * never templates: what a value holds is printed as it is, and the filters keep it inside its quote or fence.
 */
import { Liquid, type Template } from "liquidjs";
import { oneLine } from "../../core/blanks.ts";
import { PawlError } from "../../core/error.ts";
import { fenceFor } from "../../core/fence.ts";
import { jsonText } from "./json-text.ts";
import { quote } from "./quote.ts";

const MAX_TEMPLATE_CHARACTERS = 200_000;
const MAX_RENDER_MILLISECONDS = 2_000;
const MAX_MEMORY = 50_000_000;
const MAX_PARSED = 200;

export interface TemplateText {
  /** Where it was read, for the message of an error. */
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
    const { liquid, parsed } = engine(templates);
    const known = parsed.get(template.text) ?? liquid.parse(withoutTagLines(template.text), name);
    parsed.set(template.text, known);
    return tidy(liquid.renderSync(known, values));
  } catch (cause) {
    throw broken(template, templates, cause);
  }
}

interface Engine {
  readonly key: string;
  readonly liquid: Liquid;
  /** By their texts: a text means the same whenever it is read. */
  readonly parsed: Map<string, Template[]>;
}

/** The last engine made, kept while the partials are the same texts. */
let last: Engine | null = null;

function engine(templates: TemplateSet): Engine {
  const partials = [...templates].filter(([name]) => name.startsWith(PARTIALS));
  const key = JSON.stringify(partials.map(([name, { text }]) => [name, text]));
  if (last?.key !== key || last.parsed.size > MAX_PARSED)
    last = { key, liquid: makeEngine(partials), parsed: new Map() };
  return last;
}

function makeEngine(partials: readonly (readonly [string, TemplateText])[]): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    cache: true,
    greedy: false,
    parseLimit: MAX_TEMPLATE_CHARACTERS,
    renderLimit: MAX_RENDER_MILLISECONDS,
    memoryLimit: MAX_MEMORY,
    templates: Object.fromEntries(
      partials.map(([name, { text }]) => [name.slice(PARTIALS.length), withoutTagLines(text)]),
    ),
  });
  liquid.registerFilter("quote", quote);
  liquid.registerFilter("fenced", fenced);
  liquid.registerFilter("line", (value: unknown) => oneLine(String(value)));
  liquid.registerFilter("bullets", bullets);
  liquid.registerFilter("reviewer", (value: unknown) => (value === "ai" ? "AI" : value));
  liquid.registerFilter("article", (value: unknown) => (/^[aeiou]/i.test(String(value)) ? "an" : "a"));
  return liquid;
}

const PARTIALS = "prompts/partials/";

/**
 * A line that holds nothing but a tag leaves no line behind; a tag within a line leaves the blanks around it. The line
 * break is trimmed by Liquid's own sign, so that the numbers of lines in errors stay right.
 */
function withoutTagLines(text: string): string {
  return text.replace(/^[ \t]*(\{%(?:(?!%\}).)*?)-?%\}[ \t]*$/gm, "$1-%}");
}

/** Texts as one list, each an item of its own however many lines it has. */
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

/** As JSON (a text as it is) within a fence that nothing in it can close. */
export function fenced(value: unknown): string {
  const isText = typeof value === "string";
  const text = isText ? value : jsonText(value);
  const fence = fenceFor(text);
  return `${fence}${isText ? "" : "json"}\n${text}\n${fence}`;
}

const tidy = (text: string): string => `${text.replace(/\n{3,}/g, "\n\n").trim()}\n`;

function broken(template: TemplateText, templates: TemplateSet, cause: unknown): PawlError {
  const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  const file = /, file:([^,]+)/.exec(message)?.[1];
  const named = file === undefined ? undefined : (templates.get(file) ?? templates.get(`${PARTIALS}${file}`));
  const line = /line:(\d+)/.exec(message)?.[1];
  const source = (named ?? template).source;
  const what = message.replace(/, (?:file|line|col):[^,]*/g, "");
  return new PawlError(
    "template-invalid",
    `${source}${line === undefined ? "" : `, line ${line}`}: the template cannot be rendered: ${what}.`,
    source.startsWith(".alfred/")
      ? `Correct ${source}, or remove it to use the packaged one.`
      : "Report this: a packaged template is broken.",
    cause,
  );
}
