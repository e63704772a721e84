/** Calls of Pawl's tools through `pawl call` in a plain command. */
import type { PlainCommand } from "./plain-commands.ts";
import { pawlWords } from "./short-list.ts";

export interface PawlCall {
  readonly tool: string;
  /** The arguments as JSON, or `@FILE` for a file with them. */
  readonly given: string;
}

/** Flags of `call` that take no value. */
const FLAGS = ["--json", "--schema", "--no-color"];

/** Null: no call, one of another project, or one with unknown words. */
export function callOf(command: PlainCommand): PawlCall | null {
  const plain = (pawlWords(command) ?? []).filter((word) => !FLAGS.includes(word));
  const [verb, tool, given = "{}"] = plain;
  if (verb !== "call" || tool === undefined || plain.length > 3) return null;
  return plain.some((word) => /^-/.test(word)) ? null : { tool, given };
}
