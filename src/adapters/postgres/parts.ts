/**
 * A long list in YAML, such as the backlog, as a document for each entry: a change of one task writes one of them, and others
 * read no more than that. Their texts, one after the other, are the text to the byte.
 */
import { createHash } from "node:crypto";
import { between, common, piecesOf, type Text, wholeOf } from "../../core/long-text.ts";

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
 * after. `before`: the parts that are kept.
 */
export function partChanges(
  path: string,
  given: Text | null,
  kept: Kept,
  before = keptParts(path, kept),
): readonly PartChange[] | null {
  const fits = given !== null && mayBeInParts(path, given);
  if (fits && before !== null) {
    const near = partsNear(given, before);
    if (near !== null) return nearChanges(path, before, near);
  }
  const text = given === null ? null : wholeOf(given).toWellFormed();
  const after = fits && text !== null ? partsOf(text) : null;
  if (before === null && after === null) return null;
  const head = after === null ? text : headOf(after);
  const heads = head === kept(path) && head !== null ? [] : [{ path, text: head }];
  return [...heads, ...changesOf(path, before ?? [], after ?? [])];
}

const headOf = (parts: readonly Part[]) => `${MARK}${parts.map(([name]) => name).join("\n")}`;

function changesOf(path: string, before: readonly Part[], after: readonly Part[]): readonly PartChange[] {
  const folder = partsFolder(path);
  const [old, fresh] = [new Map(before), new Map(after)];
  const gone = [...old.keys()].filter((name) => !fresh.has(name));
  const written = [...fresh].filter(([name, part]) => old.get(name) !== part);
  return [
    ...gone.map((name) => ({ path: `${folder}/${name}`, text: null })),
    ...written.map(([name, part]) => ({ path: `${folder}/${name}`, text: part })),
  ];
}

/** An entry: its name, and its text. */
export type Part = readonly [string, string];

export function joined(parts: readonly Part[]): string {
  return parts.map(([, text]) => text).join("");
}

/** Null: the document is not in parts. */
export function keptParts(path: string, kept: Kept): readonly Part[] | null {
  const head = kept(path);
  if (head === null || !head.startsWith(MARK)) return null;
  const folder = partsFolder(path);
  const names = head.slice(MARK.length).split("\n").filter(Boolean);
  return names.map((name) => [name, kept(`${folder}/${name}`) ?? ""]);
}

/** What begins like a document that is in parts must be in parts. */
function mayBeInParts(path: string, text: Text): boolean {
  const pieces = piecesOf(text);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (length >= LONG && /\.ya?ml$/.test(path)) || wholeOf(text).startsWith(MARK);
}

/** Each entry is named by its first line, which a change of its other lines leaves. Null: the text stays as it is. */
function partsOf(text: string): readonly Part[] | null {
  const lines = linesOf(text);
  const depths = lines.flatMap((line) => ENTRY.exec(line)?.[1]?.length ?? []);
  const depth = depths.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const entries = entriesIn(lines, depth);
  if (!text.startsWith(MARK) && (entries.length < 2 || entries.length > MOST)) return null;
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

/** What lies between those parts that stayed: `fresh` in place of those from `first` up to `last`. */
interface Near {
  readonly first: number;
  readonly last: number;
  readonly fresh: readonly Part[];
}

/** Null: it is not that simple. */
function partsNear(text: Text, before: readonly Part[]): Near | null {
  const depth = ENTRY.exec(before[1]?.[1] ?? "")?.[1]?.length;
  if (depth === undefined) return null;
  const pieces = piecesOf(text);
  const { first, fresh, last } = pieces.length > 1 ? stayedOf(pieces, before) : stayed(wholeOf(text), before);
  const lines = linesOf(fresh.toWellFormed());
  const depths = lines.map((line) => ENTRY.exec(line)?.[1]?.length);
  const isWhole = lines.at(-1)?.endsWith("\n") ?? true;
  const isEnded = before[first - 1]?.[1].endsWith("\n") ?? true;
  const joins = lines.length > 0 && first > 0 && (depths[0] !== depth || !isEnded);
  const isShallower = depths.some((each) => each !== undefined && each < depth);
  if (joins || isShallower || (last < before.length && !isWhole)) return null;
  const near = { first, last, fresh: named(entriesIn(lines, depth)) };
  return hasSameNames(before, near) || isPlain(partsAfter(before, near)) ? near : null;
}

/** Which of the parts the text still has, at its beginning and at its end. */
interface Stayed {
  /** So many at the beginning. */
  readonly first: number;
  /** Those from this one on. */
  readonly last: number;
  /** What is there instead of those between them. */
  readonly fresh: string;
}

function stayed(text: string, before: readonly Part[]): Stayed {
  // A slice is compared as bytes, which `startsWith` is not.
  const has = (part: string, at: number) => text.slice(at, at + part.length) === part;
  let [first, start] = [0, 0];
  for (; first < before.length; first++) {
    const part = before[first]?.[1] ?? "";
    if (!has(part, start)) break;
    start += part.length;
  }
  let [last, end] = [before.length, text.length];
  for (; last > Math.max(first, 1); last--) {
    const at = end - (before[last - 1]?.[1].length ?? 0);
    if (at < start || !has(before[last - 1]?.[1] ?? "", at)) break;
    end = at;
  }
  return { first, last, fresh: text.slice(start, end) };
}

/** The same by the pieces of which the text is made: most are the very parts. */
function stayedOf(pieces: readonly string[], before: readonly Part[]): Stayed {
  const texts = before.map(([, text]) => text);
  const { end, start } = common(pieces, texts);
  // What comes before the entries is a part that each document has.
  const kept = start === 0 ? Math.min(end, before.length - 1) : end;
  return { first: start, last: before.length - kept, fresh: between(pieces, start, kept) };
}

function hasSameNames(before: readonly Part[], { first, fresh, last }: Near): boolean {
  return fresh.length === last - first && fresh.every(([name], at) => name === before[first + at]?.[0]);
}

function partsAfter(before: readonly Part[], { first, fresh, last }: Near): readonly Part[] {
  return [...before.slice(0, first), ...fresh, ...before.slice(last)];
}

/** Entries with the same first line are numbered through the whole text. */
function isPlain(parts: readonly Part[]): boolean {
  const names = new Set(parts.map(([name]) => name));
  return names.size === parts.length && parts.length > 1 && !parts.some(([name]) => name.includes("-"));
}

function nearChanges(path: string, before: readonly Part[], near: Near): readonly PartChange[] {
  const { first, fresh, last } = near;
  const changes = changesOf(path, before.slice(first, last), fresh);
  if (hasSameNames(before, near)) return changes;
  return [{ path, text: headOf(partsAfter(before, near)) }, ...changes];
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
