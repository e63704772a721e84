/**
 * Events as the page shows them. Any process that can write the log's file could have made its lines, so
 * nothing in them is trusted.
 */
import { attempt } from "../../../core/attempt.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { lineOf, runOf } from "../../../core/event-lines.ts";
import { clean } from "../../../core/text/clean.ts";

const MAX_CHARACTERS = 4000;

export function nameOf(event: PawlEvent): string | null {
  const given = (event as { readonly run?: unknown }).run;
  const run = attempt(() => runOf(event), null) ?? given;
  return typeof run === "string" && run.includes(":") ? run : null;
}

export function wordsOf(event: PawlEvent): string {
  const words = attempt(() => String(lineOf(event)[0]), event.type);
  return clean(words).slice(0, MAX_CHARACTERS);
}
