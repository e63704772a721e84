/**
 * Text → parts. What was known of an entry's very text before is taken as it is: only what changed is parsed.
 *
 * D1  The parts say what the whole text says. Where an entry does not stand for itself (an alias, a problem, a layout that
 *     the cuts do not fit), the text is parsed as a whole.
 */
import { type Document, isMap, isScalar, isSeq, visit } from "yaml";
import { type ReadYaml, readYaml } from "../core/yaml.ts";
import { checkTasks } from "./check-tasks.ts";
import { indexOffsets } from "./index-offsets.ts";
import { parseTasks, withoutNulls } from "./parse.ts";
import { fileOf, type Part, type Parts } from "./parts.ts";
import type { Problem } from "./problem.ts";
import { tasksFile } from "./schema.ts";
import { split } from "./split.ts";
import type { GitSettings, TasksFile } from "./task.ts";

export type ReadTasks =
  | { readonly ok: true; readonly parts: Parts }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function readTasks(text: string, known: Parts | null): ReadTasks {
  const parts = readParts(text, known);
  if (parts !== null) return { ok: true, parts };
  const parsed = parseTasks(text);
  if (!parsed.ok) return parsed;
  const { file, offsets } = parsed;
  return {
    ok: true,
    parts: { head: "", tail: "", git: file.git, entries: [{ text, tasks: file.tasks, offsets }] },
  };
}

function readParts(text: string, known: Parts | null): Parts | null {
  const pieces = split(text);
  if (pieces === null) return null;
  const { head, tail } = pieces;
  const git = known?.head === head && known.tail === tail ? known.git : gitOf(head, tail);
  if (git === null) return null;
  const before = new Map(known?.entries.map((part) => [part.text, part]));
  const entries: Part[] = [];
  for (const entry of pieces.entries) {
    const part = before.get(entry) ?? parseEntry(entry);
    if (part === null) return null;
    entries.push(part);
  }
  const parts = { head, tail, git, entries };
  return checkTasks(fileOf(parts), () => NOWHERE).length === 0 ? parts : null;
}

/** Where a problem stands does not matter: with one, the whole text is parsed, for its places. */
const NOWHERE = { line: 1, column: 1 };

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

function parseEntry(text: string): Part | null {
  const alone = readAlone(text);
  const contents = alone?.document.contents;
  if (!alone || !isSeq(contents)) return null;
  const result = tasksFile.safeParse({ tasks: withoutNulls(alone.data) });
  if (!result.success) return null;
  const { tasks } = result.data as TasksFile;
  return { text, tasks, offsets: indexOffsets(alone.document, contents, text) };
}

/** The text as a document of its own; null: it is none, or has an alias, which may name what stands elsewhere. */
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
