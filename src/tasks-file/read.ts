/**
 * Text → entries. An entry with a known text is reused: only changed ones are parsed.
 *
 * D1  The result equals that of the whole text. If an entry depends on others (an alias, a fault of its own,
 *     a layout that the cuts do not fit) or there is a problem, the text is parsed as a whole.
 */
import { type Document, isMap, isScalar, isSeq, visit } from "yaml";
import { type ReadYaml, readYaml } from "../core/yaml/yaml.ts";
import { checkTasks } from "./check-tasks.ts";
import { type Entry, fileOf, type ParsedFile } from "./entries.ts";
import { indexOffsets } from "./index-offsets.ts";
import { parseTasks, withoutNulls } from "./parse.ts";
import type { Problem } from "./problem.ts";
import { tasksFile } from "./schema.ts";
import { split } from "./split.ts";
import type { GitSettings, TasksFile } from "./task.ts";

export type ReadTasks =
  | { readonly ok: true; readonly parsed: ParsedFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `cached`: an earlier text without a problem. */
export function readTasks(text: string, cached: ParsedFile | null): ReadTasks {
  const read = readEntries(text, cached);
  if (read !== null && checkTasks(fileOf(read), () => ({ line: 1, column: 1 })).length === 0)
    return { ok: true, parsed: read };
  return readWhole(text);
}

/** As one entry. */
export function readWhole(text: string): ReadTasks {
  const whole = parseTasks(text);
  if (!whole.ok) return whole;
  const { file, offsets } = whole;
  const entries = [{ text, tasks: file.tasks, offsets }];
  return { ok: true, parsed: { head: "", tail: "", git: file.git, entries } };
}

/**
 * Each entry starts the parser. More tasks than any real list has are read as one text, with a bounded number
 * of tokens.
 */
const MAX_ENTRIES = 40_000;
/**
 * Characters. A large entry that is most of the file costs as much to parse as the file, and twice that if it
 * has a fault.
 */
const LARGE = 200_000;

function readEntries(text: string, cached: ParsedFile | null): ParsedFile | null {
  const pieces = split(text);
  if (pieces === null || pieces.entries.length > MAX_ENTRIES) return null;
  if (pieces.entries.some(({ length }) => length > LARGE && length > text.length / 2)) return null;
  const { head, tail } = pieces;
  const git = cached?.head === head && cached.tail === tail ? cached.git : gitOf(head, tail);
  if (git === null) return null;
  const before = new Map(cached?.entries.map((entry) => [entry.text, entry]));
  const entries: Entry[] = [];
  for (const piece of pieces.entries) {
    const entry = before.get(piece) ?? parseEntry(piece, cached !== null);
    if (entry === null) return null;
    entries.push(entry);
  }
  return { head, tail, git, entries };
}

function gitOf(head: string, tail: string): GitSettings | null {
  const alone = readAlone(head + tail);
  const contents = alone?.document.contents;
  if (!isMap(contents) || contents.flow) return null;
  const inHead = contents.items.filter(({ key }) => isScalar(key) && (key.range?.[0] ?? 0) < head.length);
  const last = inHead.at(-1);
  const isList = isScalar(last?.key) && last.key.value === "tasks" && isEmpty(last.value);
  if (!isList) return null;
  const result = tasksFile.safeParse({ ...(withoutNulls(alone?.data) as object), tasks: [] });
  return result.success ? (result.data as TasksFile).git : null;
}

function isEmpty(value: unknown): boolean {
  if (!isScalar(value) || value.anchor !== undefined || value.tag !== undefined) return false;
  return value.range?.[0] === value.range?.[1];
}

/**
 * Compiles the schema to code if many entries are checked; for a few changed ones, that would cost more than
 * it saves.
 */
function parseEntry(text: string, isOneOfFew: boolean): Entry | null {
  const alone = readAlone(text);
  const contents = alone?.document.contents;
  if (!alone || !isSeq(contents)) return null;
  const result = tasksFile.safeParse({ tasks: withoutNulls(alone.data) }, { jitless: isOneOfFew });
  if (!result.success) return null;
  const { tasks } = result.data as TasksFile;
  return { text, tasks, offsets: indexOffsets(alone.document, contents, text) };
}

/**
 * The text as a document of its own; null: it is invalid, or has an alias, which may name an anchor outside.
 */
function readAlone(text: string): ReadYaml | null {
  const read = readYaml(text, { merge: true });
  return read.faults.length > 0 || hasAlias(text, read.document) ? null : read;
}

function hasAlias(text: string, document: Document): boolean {
  let found = false;
  const Alias = () => {
    found = true;
    return visit.BREAK;
  };
  if (text.includes("*")) visit(document, { Alias });
  return found;
}
