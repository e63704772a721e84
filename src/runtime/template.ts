/**
 * Texts from Liquid templates, for every workflow. A template's author may be hostile, and so may a value.
 *
 * L1  An unknown variable or filter is an error, and so is an include of a text that the template was not
 *     given.
 * L2  A value is never a template: it is printed unchanged, and the filters keep it inside its quote or
 *     fence.
 * L3  Size, time and memory are bounded.
 */

import { Liquid, type LiquidOptions, type Template } from "liquidjs";
import { openByText } from "../core/text/by-text.ts";
import { fenced, quote } from "../core/text/fence.ts";
import { oneLine } from "../core/text/lines.ts";

const OPTIONS: LiquidOptions = {
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  // Otherwise it queries the system for its locale, which costs more than the rest of a text.
  locale: "en-US",
  parseLimit: 200_000,
  renderLimit: 10_000,
  memoryLimit: 50_000_000,
};
const MAX_PARSED = 1_000;

export interface TemplateOptions extends Pick<LiquidOptions, "greedy" | "jsTruthy"> {
  /** The only texts that a template may include, by name. */
  readonly partials?: Readonly<Record<string, string>>;
  /** In addition to `quote`, `fenced` and `line`. */
  readonly filters?: Readonly<Record<string, (value: unknown) => unknown>>;
}

export interface Templates {
  /** Throws a `TemplateFault` in the cause's words: see `faultOf`. `name`: for its message. */
  render(text: string, values: object, name?: string): string;
  /** The variables that the template uses, each with the line of its first use. */
  variables(text: string): readonly { readonly name: string; readonly line: number }[];
}

export function openTemplates({ filters = {}, partials = {}, ...dialect }: TemplateOptions = {}): Templates {
  const liquid = new Liquid({ ...OPTIONS, ...dialect, templates: { ...partials }, cache: true });
  const all = { quote, fenced, line: (value: unknown) => oneLine(String(value)), ...filters };
  for (const [name, filter] of Object.entries(all)) liquid.registerFilter(name, filter);
  const parsed = openByText<Template[]>(MAX_PARSED);
  const parse = (text: string, name?: string) => parsed(text, () => liquid.parse(text, name));
  return {
    render: (text, values, name) => liquid.renderSync(parse(text, name), values),
    variables(text) {
      const { globals } = liquid.analyzeSync(parse(text));
      return Object.entries(globals).map(([name, uses]) => ({ name, line: uses[0]?.location.row ?? 1 }));
    },
  };
}

export interface TemplateFault {
  /** From 1; null: not known. */
  readonly line: number | null;
  /** The name of the included text that contains it; null: the template itself. */
  readonly file: string | null;
  /** The fault without its place and without a full stop. */
  readonly what: string;
}

/** The fault in an error of `Templates`. */
export function faultOf(cause: unknown): TemplateFault {
  const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  const line = /line:(\d+)/.exec(message)?.[1];
  return {
    line: line === undefined ? null : Number(line),
    file: /, file:([^,]+)/.exec(message)?.[1] ?? null,
    what: message.replace(/, (?:file|line|col):[^,]*/g, ""),
  };
}
