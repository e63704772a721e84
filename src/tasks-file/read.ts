/**
 * Text → parts. What was known of an entry's very text before is taken as it is: only what changed is parsed.
 *
 * D1  The parts say what the whole text says, problems and their places too. Where an entry does not stand for itself (an
 *     alias, a fault of its own, a layout that the cuts do not fit), the text is parsed as a whole.
 */
import { type Document, isMap, isScalar, isSeq, LineCounter, visit } from "yaml";
import { type Text, wholeOf } from "../core/long-text.ts";
import { lookOnce } from "../core/once.ts";
import { type ReadYaml, readYaml } from "../core/yaml.ts";
import { checkTasks } from "./check-tasks.ts";
import { indexOffsets } from "./index-offsets.ts";
import { inOrder, offsetOf, parseTasks, withoutNulls } from "./parse.ts";
import { fileOf, type Part, type Parts, textsOf } from "./parts.ts";
import type { Problem, Where } from "./problem.ts";
import { tasksFile } from "./schema.ts";
import { staysSound } from "./sound.ts";
import { split, splitLike } from "./split.ts";
import type { GitSettings, TasksFile } from "./task.ts";

export type ReadTasks =
  | { readonly ok: true; readonly parts: Parts }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `known`: parts without a problem, of an earlier text. */
export function readTasks(given: Text, known: Parts | null): ReadTasks {
  const read = readParts(given, known);
  if (read !== null) return read;
  const text = wholeOf(given);
  const parsed = parseTasks(text);
  if (!parsed.ok) return parsed;
  const { file, offsets } = parsed;
  return {
    ok: true,
    parts: { head: "", tail: "", git: file.git, entries: [{ text, tasks: file.tasks, offsets }] },
  };
}

/** Each entry costs the parser's start. More tasks than any list has are read as one text, whose words are bounded. */
const MOST_ENTRIES = 40_000;
/** A large entry that is most of the file costs as much as the file, and twice that where it has a fault. */
const LARGE = 200_000;

/** So many entries that are new at their place, or one in so many, are parsed before it pays to look for them at others. */
const FEW = 3;
const FEW_IN = 400;

function readParts(text: Text, known: Parts | null): ReadTasks | null {
  const pieces = (known && splitLike(text, { ...known, entries: textsOf(known) })) ?? split(text);
  if (pieces === null || pieces.entries.length > MOST_ENTRIES) return null;
  if (pieces.entries.some(({ length }) => length > LARGE && length > wholeOf(text).length / 2)) return null;
  const { head, tail } = pieces;
  const git = known?.head === head && known.tail === tail ? known.git : gitOf(head, tail);
  if (git === null) return null;
  const before = known?.entries ?? [];
  const byText = lookOnce(() => new Map(before.map((part) => [part.text, part])));
  const documents = new Map<Part, Document>();
  const entries: Part[] = [];
  const few = Math.max(FEW, before.length / FEW_IN);
  let others = 0;
  for (const entry of pieces.entries) {
    const near = before[entries.length];
    const isNear = near?.text === entry;
    if (!isNear) others += 1;
    const part = isNear
      ? near
      : (others > few && byText().get(entry)) || parseEntry(entry, documents, known !== null);
    if (part === null) return null;
    entries.push(part);
  }
  const parts = { head, tail, git, entries };
  if (known !== null && staysSound(parts, known)) return { ok: true, parts };
  const problems = checkTasks(fileOf(parts), whereIn(parts, documents));
  return problems.length > 0 ? { ok: false, problems: inOrder(problems) } : { ok: true, parts };
}

/** Where a value of a task stands in the whole text. What was parsed just now is not parsed again for that. */
function whereIn({ head, entries }: Parts, documents: ReadonlyMap<Part, Document>): Where {
  let places: Places | undefined;
  return ([, task, ...path]) => {
    places ??= placesOf(head, entries);
    const { lines, parts } = places;
    const { at, index, part } = parts[Number(task)] as Place;
    const document = documents.get(part) ?? readYaml(part.text, { merge: true }).document;
    const { line, col } = lines.linePos(at + offsetOf(document, [index, ...path]));
    return { line, column: col };
  };
}

interface Places {
  readonly lines: LineCounter;
  /** One for each task. */
  readonly parts: readonly Place[];
}

interface Place {
  readonly part: Part;
  /** Where the part begins in the text. */
  readonly at: number;
  /** Which task of the part it is. */
  readonly index: number;
}

function placesOf(head: string, entries: readonly Part[]): Places {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parts: Place[] = [];
  let at = 0;
  const pass = (text: string) => {
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1))
      lines.addNewLine(at + end + 1);
    at += text.length;
  };
  pass(head);
  for (const part of entries) {
    const start = at;
    part.tasks.forEach((_, index) => {
      parts.push({ part, at: start, index });
    });
    pass(part.text);
  }
  return { lines, parts };
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

/** The schema is made into code of its own where many entries are checked; where few have changed, that costs more than it saves. */
function parseEntry(text: string, documents: Map<Part, Document>, isOneOfFew: boolean): Part | null {
  const alone = readAlone(text);
  const contents = alone?.document.contents;
  if (!alone || !isSeq(contents)) return null;
  const result = tasksFile.safeParse({ tasks: withoutNulls(alone.data) }, { jitless: isOneOfFew });
  if (!result.success) return null;
  const { tasks } = result.data as TasksFile;
  const part = { text, tasks, offsets: indexOffsets(alone.document, contents, text) };
  documents.set(part, alone.document);
  return part;
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
