/** Short forms to define a workflow's verbs. */
import type { Verb, VerbArgument, VerbOption } from "./module.ts";

export function required(name: string, description: string, choices?: readonly string[]): VerbArgument {
  return { name, description, required: true, ...(choices && { choices }) };
}

export function optional(name: string, description: string): VerbArgument {
  return { name, description, required: false };
}

/** `given`: its arguments, in their order, and its options. */
export function verb(
  name: string,
  summary: string,
  given: readonly (VerbArgument | VerbOption)[],
  transaction: Verb["transaction"],
  more: Omit<Verb, "name" | "summary" | "arguments" | "options" | "transaction"> = {},
): Verb {
  return {
    name,
    summary,
    arguments: given.filter((each): each is VerbArgument => "name" in each),
    options: given.filter((each): each is VerbOption => "flags" in each),
    ...more,
    transaction,
  };
}
