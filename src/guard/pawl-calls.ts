/** Calls of Pawl's tools that a plain command makes by `pawl call`. */
import type { PlainCommand } from "./plain-commands.ts";
import { pawlWords } from "./short-list.ts";

export interface PawlCall {
  readonly tool: string;
  /** The arguments as JSON, or `@FILE`, the file that holds them. */
  readonly given: string;
}

/** What `call` takes no word for. */
const FLAGS = ["--json", "--schema", "--no-color"];

/** Null: none, one of another project, or one whose words are not known here. */
export function callOf(command: PlainCommand): PawlCall | null {
  const plain = (pawlWords(command) ?? []).filter((word) => !FLAGS.includes(word));
  const [verb, tool, given = "{}"] = plain;
  if (verb !== "call" || tool === undefined || plain.length > 3) return null;
  return plain.some((word) => /^-/.test(word)) ? null : { tool, given };
}
