/**
 * A long list in YAML, such as the backlog, as a document for each entry: a change of one task writes one of them, and others
 * read no more than that. Their texts, one after the other, are the text to the byte.
 */
import { createHash } from "node:crypto";

/** Where the entries are: `.pawl/parts/<of which document>/<entry>`. */
const PARTS = ".pawl/parts";
/** The first line of a document that only names its entries, in their order. */
const MARK = "pawl: parts\n";
/** A text that is shorter is one document. */
const LONG = 16 * 1024;
/** A text with more entries is one document. */
const MOST = 20_000;
const ENTRY = /^( *)- /;

/** Where texts are kept: path → text, as they are in the database. */
export type Kept = (path: string) => string | null;

export function isPart(path: string): boolean {
  return path === PARTS || path.startsWith(`${PARTS}/`);
}

/** Below it are the entries of a document, and nothing else. */
export function partsFolder(path: string): string {
  return `${PARTS}/${hashOf(path)}`;
}

/** The text of a document, whether it is in parts or not; null: there is none. */
export function joinedText(path: string, kept: Kept): string | null {
  const parts = keptParts(path, kept);
  return parts === null ? kept(path) : parts.map(([, text]) => text).join("");
}

export function isInParts(path: string, kept: Kept): boolean {
  return kept(path)?.startsWith(MARK) === true;
}

export interface PartChange {
  readonly path: string;
  /** Null: it is removed. */
  readonly text: string | null;
}

/**
 * What makes this text of what is kept; a text of null: the document is to be removed. Null: it is in parts neither before nor
 * after.
 */
export function partChanges(path: string, text: string | null, kept: Kept): readonly PartChange[] | null {
  const before = keptParts(path, kept);
  const after = text === null ? null : partsOf(path, text, before);
  if (before === null && after === null) return null;
  const folder = partsFolder(path);
  const [old, fresh] = [new Map(before), new Map(after)];
  const gone = [...old.keys()].filter((name) => !fresh.has(name));
  const written = [...fresh].filter(([name, part]) => old.get(name) !== part);
  const head = after === null ? text : `${MARK}${[...fresh.keys()].join("\n")}`;
  return [
    ...(head === kept(path) && head !== null ? [] : [{ path, text: head }]),
    ...gone.map((name) => ({ path: `${folder}/${name}`, text: null })),
    ...written.map(([name, part]) => ({ path: `${folder}/${name}`, text: part })),
  ];
}

/** An entry: its name, and its text. */
type Part = readonly [string, string];

function keptParts(path: string, kept: Kept): readonly Part[] | null {
  const head = kept(path);
  if (head === null || !head.startsWith(MARK)) return null;
  const folder = partsFolder(path);
  const names = head.slice(MARK.length).split("\n").filter(Boolean);
  return names.map((name) => [name, kept(`${folder}/${name}`) ?? ""]);
}

/** Each entry is named by its first line, which a change of its other lines leaves. Null: the text stays as it is. */
function partsOf(path: string, text: string, before: readonly Part[] | null): readonly Part[] | null {
  const isMarked = text.startsWith(MARK);
  if (!isMarked && (text.length < LONG || !/\.ya?ml$/.test(path))) return null;
  const near = before && partsNear(text, before);
  if (near) return near;
  const lines = linesOf(text);
  const depths = lines.flatMap((line) => ENTRY.exec(line)?.[1]?.length ?? []);
  const depth = depths.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const entries = entriesIn(lines, depth);
  if (!isMarked && (entries.length < 2 || entries.length > MOST)) return null;
  return named(entries);
}

function named(entries: readonly string[]): readonly Part[] {
  const found = new Map<string, number>();
  return entries.map((entry) => {
    const end = entry.indexOf("\n");
    const first = hashOf(end < 0 ? entry : entry.slice(0, end));
    const times = (found.get(first) ?? 0) + 1;
    found.set(first, times);
    return [times === 1 ? first : `${first}-${times}`, entry];
  });
}

/** The same from what was there: only what lies between what stayed is looked at. Null: it is not that simple. */
function partsNear(text: string, before: readonly Part[]): readonly Part[] | null {
  const depth = ENTRY.exec(before[1]?.[1] ?? "")?.[1]?.length;
  if (depth === undefined) return null;
  let [first, start] = [0, 0];
  for (; first < before.length && text.startsWith(before[first]?.[1] ?? "", start); first++)
    start += before[first]?.[1].length ?? 0;
  let [last, end] = [before.length, text.length];
  for (; last > Math.max(first, 1); last--) {
    const part = before[last - 1]?.[1] ?? "";
    if (end - part.length < start || !text.endsWith(part, end)) break;
    end -= part.length;
  }
  const lines = linesOf(text.slice(start, end));
  const depths = lines.map((line) => ENTRY.exec(line)?.[1]?.length);
  const isWhole = lines.at(-1)?.endsWith("\n") ?? true;
  const joins = lines.length > 0 && first > 0 && depths[0] !== depth;
  const isShallower = depths.some((each) => each !== undefined && each < depth);
  if (joins || isShallower || (last < before.length && !isWhole)) return null;
  const parts = [...before.slice(0, first), ...named(entriesIn(lines, depth)), ...before.slice(last)];
  // Entries with the same first line are numbered through the whole text.
  const isPlain = new Set(parts.map(([name]) => name)).size === parts.length;
  return isPlain && parts.length > 1 && !parts.some(([name]) => name.includes("-")) ? parts : null;
}

/** With their ends. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What comes before the first entry is one, too. */
function entriesIn(lines: readonly string[], depth: number): readonly string[] {
  const entries: string[][] = [];
  for (const line of lines) {
    const begins = entries.length === 0 || ENTRY.exec(line)?.[1]?.length === depth;
    if (begins) entries.push([line]);
    else entries.at(-1)?.push(line);
  }
  return entries.map((each) => each.join(""));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
