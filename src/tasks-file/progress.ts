/**
 * Tasks in a database: what people wrote stays as it is, and what the work writes (status, times, session, notes)
 * is kept apart from it. So a login that only works need not be able to write the tasks themselves.
 */
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { isObject } from "../core/json.ts";
import { projectPath } from "../core/path.ts";
import { type Entry, editEntries, type ParsedFile } from "./entries.ts";
import { WRITTEN_KEYS, type WrittenKey } from "./offsets.ts";
import type { TaskEdit } from "./splice.ts";

/** The database's document; files have none. */
export const PROGRESS = projectPath(".pawl/progress.json");

/** A text: the value. Null: the key is gone. A list: its items follow those that people wrote. */
type Written = string | null | readonly string[];
/** By the id of a task or step. */
export type Progress = Readonly<Record<string, Readonly<Partial<Record<WrittenKey, Written>>>>>;

/** The keys that Pawl writes into a task that people wrote. */
const KEYS: ReadonlySet<string> = new Set(WRITTEN_KEYS.filter((key) => key !== "id" && key !== "title"));

export function isProgressKey(key: string): key is WrittenKey {
  return KEYS.has(key);
}

/** `text` null: nothing was written yet. */
export function parseProgress(text: string | null): Progress {
  const value: unknown = text === null ? {} : attempt(() => JSON.parse(text) as unknown, null);
  if (isObject(value) && Object.values(value).every(isObject)) return value as Progress;
  throw new PawlError(
    "state-unreadable",
    `${PROGRESS} in the database is damaged: expected a JSON object with an object for each task.`,
    "Restore the database from a backup, or import the project from files with `pawl database import --replace`.",
  );
}

export function renderProgress(progress: Progress): string {
  return `${JSON.stringify(progress)}\n`;
}

export function advanced(progress: Progress, edits: readonly TaskEdit[]): Progress {
  if (edits.length === 0) return progress;
  const result = { ...progress };
  for (const edit of edits) {
    const { id, key } = edit;
    const entry = result[id] ?? {};
    const value =
      edit.type === "clear" ? null : edit.type === "set" ? edit.value : [...list(entry[key]), edit.value];
    result[id] = { ...entry, [key]: value };
  }
  return result;
}

function list(value: Written | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

const composed = new WeakMap<Entry, { readonly edits: string; readonly entry: Entry }>();

/** The tasks with what was written since. What belongs to no task any more counts for nothing. */
export function withProgress(parsed: ParsedFile, progress: Progress): ParsedFile {
  const entries = parsed.entries.map((entry) => {
    const edits = entry.offsets.flatMap(({ id }) => editsFor(id, progress));
    if (edits.length === 0) return entry;
    const key = JSON.stringify(edits);
    const cached = composed.get(entry);
    if (cached?.edits === key) return cached.entry;
    const [edited = entry] = editEntries({ ...parsed, entries: [entry] }, edits).entries;
    composed.set(entry, { edits: key, entry: edited });
    return edited;
  });
  return { ...parsed, entries };
}

function editsFor(id: string, progress: Progress): readonly TaskEdit[] {
  const written = Object.hasOwn(progress, id) ? (progress[id] ?? {}) : {};
  return Object.entries(written).flatMap(([name, value]): readonly TaskEdit[] => {
    const key = name as WrittenKey;
    if (value === null) return [{ type: "clear", id, key }];
    if (typeof value === "string") return [{ type: "set", id, key, value }];
    return value.map((item) => ({ type: "append", id, key, value: item }));
  });
}
