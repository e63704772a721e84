/** Validates what a page sends. */
import type { Context } from "hono";
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { accepts, type Check, fields, listOf, object, optional, text } from "../../../core/state-json.ts";
import type { TryOrder, VerdictOrder, WordsOrder } from "../wire.ts";

const flag = accepts((value) => typeof value === "boolean", "true or false");

const VERDICT = fields({
  approve: flag,
  notes: text,
  points: listOf(fields({ text, at: optional(text) })),
  version: text,
  asked: optional(text),
  digits: optional(text),
});
const WORDS = fields({ words: text });
const TRY = fields({ machine: text, state: text, event: text, facts: object });

export const verdictOrder = (context: Context) => orderIn<VerdictOrder>(context, VERDICT);
export const wordsOrder = (context: Context) => orderIn<WordsOrder>(context, WORDS);
export const tryOrder = (context: Context) => orderIn<TryOrder>(context, TRY);

/** Throws `usage`. */
async function orderIn<T>(context: Context, check: Check<unknown>): Promise<T> {
  const body = await context.req.text();
  const value = attempt(() => JSON.parse(body) as unknown, undefined);
  const fault = value === undefined ? { at: [], problem: "it is not JSON" } : check(value, []);
  if (fault === null) return value as T;
  const at = fault.at.length === 0 ? "" : `${fault.at.join(".")}: `;
  throw new PawlError(
    "usage",
    `The board got a request that it cannot read: ${at}${fault.problem}.`,
    "Load the page again.",
  );
}
