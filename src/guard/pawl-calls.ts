/** Calls of Pawl's tools that a command line makes by `pawl call`, as far as a text can tell. */
import type { Command, Word } from "./shell-words.ts";

export interface PawlCall {
  readonly tool: string;
  /** The arguments as JSON, or `@FILE`, the file that holds them. */
  readonly given: string;
  readonly cwd: string;
}

/** What `call` takes no word for. */
const FLAGS = ["--json", "--schema", "--no-color"];

/**
 * The call that `pawl` with these words makes; null: none, one of another project, or one whose words are not known here.
 * `piped`: what the command before prints.
 */
export function callOf(
  words: readonly Word[],
  { assignments, inputs }: Pick<Command, "assignments" | "inputs">,
  piped: readonly string[],
): Omit<PawlCall, "cwd"> | null {
  if (assignments.some(({ name }) => name === "PAWL_PROJECT")) return null;
  const plain = words.filter(({ text }) => !FLAGS.includes(text));
  const [verb, tool, json] = plain;
  if (verb?.text !== "call" || tool === undefined || tool.isOpen || json?.isOpen) return null;
  if (plain.length > 3 || plain.some(({ text }) => /^--?[a-z]/i.test(text))) return null;
  const given = json === undefined ? "{}" : json.text === "-" ? [...inputs, ...piped].at(-1) : json.text;
  return given === undefined ? null : { tool: tool.text, given };
}
