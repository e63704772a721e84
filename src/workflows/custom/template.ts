/**
 * Replies, paths and commands as Liquid templates. Strict: an unknown variable or filter is an error. Values are never
 * templates: what a value holds is printed as it is, and the filters keep it inside its quote or fence.
 */
import { Liquid, type Template } from "liquidjs";
import { oneLine } from "../../core/blanks.ts";
import { PawlError } from "../../core/error.ts";
import { fenceFor } from "../../core/fence.ts";
import { nearest } from "../../core/nearest.ts";

const liquid = new Liquid({
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  parseLimit: 200_000,
  renderLimit: 2_000,
  memoryLimit: 50_000_000,
});
liquid.registerFilter("quote", quote);
liquid.registerFilter("fenced", fenced);
liquid.registerFilter("line", (value: unknown) => oneLine(String(value)));

/** The templates that were parsed: those of the project's workflows, and what edits of them left. */
const parsed = new Map<string, Template[]>();
const MAX_PARSED = 1_000;

function parse(text: string): Template[] {
  const known = parsed.get(text);
  if (known) return known;
  const made = liquid.parse(text);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, made);
  return made;
}

export type Values = Readonly<Record<string, unknown>>;

/** Throws `template-invalid`, naming the template, the line and what is wrong. */
export function render(text: string, source: string, values: Values): string {
  try {
    const made: string = liquid.renderSync(parse(text), values);
    return `${made.replace(/\n{3,}/g, "\n\n").trim()}\n`;
  } catch (cause) {
    const { line, what } = faultOf(cause);
    throw new PawlError(
      "template-invalid",
      `${source}${line ? `:${line}` : ""}: the reply cannot be rendered: ${what}.`,
      `Correct ${source}. Nothing was changed.`,
      cause,
    );
  }
}

/** A path or a command with the run's id in it. An id is safe in both: letters, digits, dots, `_` and `-`. */
export function renderWithId(text: string, id: string): string {
  return text.includes("{") ? liquid.renderSync(parse(text), { id }) : text;
}

/** Why a path or a command cannot be used as a template, or null. */
export function templateFault(text: string): string | null {
  try {
    renderWithId(text, "id");
    return null;
  } catch (cause) {
    return `${faultOf(cause).what} (only {{ id }} stands for something here)`;
  }
}

/** Why a reply cannot be used: what does not parse, and variables that no reply has. */
export function replyFaults(
  text: string,
  known: readonly string[],
): readonly { readonly line: string; readonly message: string }[] {
  try {
    const { globals } = liquid.analyzeSync(parse(text), { partials: false });
    return Object.entries(globals)
      .filter(([name]) => !known.includes(name))
      .map(([name, uses]) => {
        const near = nearest(name, known);
        const hint = near ? `did you mean ${near}?` : `expected one of ${known.join(", ")}.`;
        const { row = 1 } = uses[0]?.location ?? {};
        return { line: String(row), message: `there is no variable ${name}: ${hint}` };
      });
  } catch (cause) {
    const { line, what } = faultOf(cause);
    return [{ line: line ?? "1", message: `${what}.` }];
  }
}

function faultOf(cause: unknown): { line: string | undefined; what: string } {
  const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  return {
    line: /line:(\d+)/.exec(message)?.[1],
    what: message.replace(/, (?:file|line|col):[^,]*/g, ""),
  };
}

/** Every line marked as quoted, so that none can pass for a line of the reply. */
export function quote(value: unknown): string {
  const lines = String(value).split(/\r\n|\r|\n/);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/** As JSON (a text as it is) within a fence that nothing in it can close. */
export function fenced(value: unknown): string {
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value, null, 2);
  const fence = fenceFor(text);
  return `${fence}${isText ? "" : "json"}\n${text}\n${fence}`;
}
