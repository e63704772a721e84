/** Replies, paths and commands as templates. */

import { PawlError } from "../../../core/error.ts";
import { tidy } from "../../../core/text/lines.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { faultOf, openTemplates } from "../../../runtime/template.ts";

const templates = openTemplates();

/** Throws `template-invalid`, naming the template, the line and what is wrong. */
export function render(text: string, source: string, values: object): string {
  try {
    return tidy(templates.render(text, values));
  } catch (cause) {
    const { line, what } = faultOf(cause);
    throw new PawlError(
      "template-invalid",
      `${source}${line === null ? "" : `:${line}`}: it cannot be rendered: ${what}.`,
      `Correct ${source}. Nothing was changed.`,
      cause,
    );
  }
}

/** Why the text cannot be rendered with these values; null: it can. */
export function renderFault(text: string, values: object): string | null {
  try {
    templates.render(text, values);
    return null;
  } catch (cause) {
    return `it cannot be rendered: ${faultOf(cause).what}.`;
  }
}

/**
 * Renders a path or a command that contains the run's id. An id is safe in both: letters, digits, dots, `_`
 * and `-`.
 */
export function renderWithId(text: string, id: string): string {
  return text.includes("{") ? templates.render(text, { id }) : text;
}

/** Why a path or a command is not a valid template; null: it is. */
export function templateFault(text: string): string | null {
  try {
    renderWithId(text, "id");
    return null;
  } catch (cause) {
    return `${faultOf(cause).what} (only {{ id }} stands for something here)`;
  }
}

/** Why a reply is unusable: syntax errors, and variables that no reply has. */
export function replyFaults(
  text: string,
  names: readonly string[],
): readonly { readonly line: number; readonly message: string }[] {
  try {
    return templates.variables(text).flatMap(({ line, name }) => {
      if (names.includes(name)) return [];
      const near = nearest(name, names);
      const hint = near ? `did you mean ${near}?` : `expected one of ${names.join(", ")}.`;
      return [{ line, message: `there is no variable ${name}: ${hint}` }];
    });
  } catch (cause) {
    const { line, what } = faultOf(cause);
    return [{ line: line ?? 1, message: `${what}.` }];
  }
}
