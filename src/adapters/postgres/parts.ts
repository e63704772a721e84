/**
 * A long list in YAML, such as the backlog, as a document for each entry: a change of one task writes one of them, and others
 * read no more than that. Their texts, one after the other, are the text to the byte.
 */
import { createHash } from "node:crypto";
import { piecesOf } from "../../core/pieces.ts";

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
  text: string | null,
  kept: Kept,
  before = keptParts(path, kept),
): readonly PartChange[] | null {
  const fits = text !== null && mayBeInParts(path, text);
  if (fits && before !== null) {
    const near = partsNear(text, before);
    if (near !== null) return nearChanges(path, before, near);
  }
  const after = fits ? partsOf(text) : null;
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
function mayBeInParts(path: string, text: string): boolean {
  return text.startsWith(MARK) || (text.length >= LONG && /\.ya?ml$/.test(path));
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
function partsNear(text: string, before: readonly Part[]): Near | null {
  const depth = ENTRY.exec(before[1]?.[1] ?? "")?.[1]?.length;
  if (depth === undefined) return null;
  const { end, first, last, start } = stayed(text, before);
  const lines = linesOf(text.slice(start, end));
  const depths = lines.map((line) => ENTRY.exec(line)?.[1]?.length);
  const isWhole = lines.at(-1)?.endsWith("\n") ?? true;
  const joins = lines.length > 0 && first > 0 && depths[0] !== depth;
  const isShallower = depths.some((each) => each !== undefined && each < depth);
  if (joins || isShallower || (last < before.length && !isWhole)) return null;
  const near = { first, last, fresh: named(entriesIn(lines, depth)) };
  return hasSameNames(before, near) || isPlain(partsAfter(before, near)) ? near : null;
}

interface Stayed {
  /** So many at the beginning, up to this place of the text. */
  readonly first: number;
  readonly start: number;
  /** Those from this one on, which begin at this place. */
  readonly last: number;
  readonly end: number;
}

/** Which of the parts the text still has, at its beginning and at its end. */
function stayed(text: string, before: readonly Part[]): Stayed {
  const has = asLaid(text, before) ?? asCut(text);
  let [first, start] = [0, 0];
  for (; first < before.length; first++) {
    const part = before[first]?.[1] ?? "";
    if (!has(part, { at: start, index: first, fromEnd: false })) break;
    start += part.length;
  }
  let [last, end] = [before.length, text.length];
  for (; last > Math.max(first, 1); last--) {
    const part = before[last - 1]?.[1] ?? "";
    const at = end - part.length;
    if (at < start || !has(part, { at, index: before.length - last, fromEnd: true })) break;
    end = at;
  }
  return { first, start, last, end };
}

/** Where a part may be: at this place of the text, and which one of the text's it is. */
interface Where {
  readonly at: number;
  readonly index: number;
  readonly fromEnd: boolean;
}

type Has = (part: string, where: Where) => boolean;

/** A slice is compared as bytes, which `startsWith` is not. */
function asCut(text: string): Has {
  return (part, { at }) => text.slice(at, at + part.length) === part;
}

/** By the pieces of which the text was put together, which are mostly the very parts; null: it was not. */
function asLaid(text: string, before: readonly Part[]): Has | null {
  const pieces = piecesOf(text);
  if (pieces === null) return null;
  const ends = pieces.at(-1) === "" ? pieces.length - 1 : pieces.length;
  // What follows the list belongs to the last of its parts.
  if (ends !== before.length) return null;
  return (part, { index, fromEnd }) => pieces[fromEnd ? ends - 1 - index : index] === part;
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
