/**
 * The meanings that a person gave to their sources' status words, stored in the project for the next import.
 */
import { attempt } from "../core/attempt.ts";
import { isObject } from "../core/json.ts";
import { projectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import { invalidSourceError, type SourceStatus } from "./source.ts";
import { isStatus, openStatuses, type StatusMap } from "./states.ts";

const KEPT = projectPath(".pawl/import.json");

export type Words = Readonly<Record<string, SourceStatus>>;

/** Throws `import-invalid`. */
export async function loadWords(view: View): Promise<Words> {
  const text = await view.read(KEPT);
  if (text === null) return {};
  const data = attempt((): unknown => JSON.parse(text), null);
  const words = isObject(data) ? data.statuses : null;
  if (isObject(words) && Object.values(words).every(isStatus)) return words as Words;
  throw invalidSourceError(
    KEPT,
    '`{"statuses": {"WORD": "done"}}`',
    "something else",
    `Correct ${KEPT}, or delete it.`,
  );
}

/** All known words, and the change that stores the new ones. */
export function addWords(
  kept: Words,
  given: Words,
): { readonly statuses: StatusMap; readonly changes: readonly Change[] } {
  const words = { ...kept, ...given };
  const isNew = Object.keys(given).some((word) => kept[word] !== given[word]);
  const text = `${JSON.stringify({ statuses: words }, null, 2)}\n`;
  return {
    statuses: openStatuses(words),
    changes: isNew ? [{ type: "write", path: KEPT, text }] : [],
  };
}
