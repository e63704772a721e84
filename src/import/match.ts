/**
 * Finds a task's counterpart from an earlier import: by its source; else, if its key is made from its text,
 * among the tasks of the same file that the file no longer has, the one with the nearest text.
 */
import { distance } from "fastest-levenshtein";
import type { SourceItem } from "./source.ts";

export interface Imported {
  readonly source: string;
  readonly title: string;
}

/** At most this share of the longer text may differ. */
const MAX_CHANGED = 0.3;
/** Comparing more pairs would take seconds. */
const MAX_PAIRS = 300_000;

/** The part of a source before its key: the format, and the file if the key names one. */
export function placeOf(source: string): string {
  return source.slice(0, Math.max(source.indexOf("#"), source.indexOf(":")));
}

/** The existing task of each item, by the item's source. */
export function matchSources<Task extends Imported>(
  items: readonly SourceItem[],
  sourceOf: (key: string) => string,
  present: readonly Task[],
): ReadonlyMap<string, Task> {
  const bySource = new Map(present.map((task) => [task.source, task]));
  const sources = new Set(items.map(({ key }) => sourceOf(key)));
  const places = new Set([...sources].map(placeOf));
  const found = new Map(
    [...sources].flatMap((source) => {
      const task = bySource.get(source);
      return task ? [[source, task] as const] : [];
    }),
  );
  const lost = present.filter(({ source }) => !sources.has(source) && places.has(placeOf(source)));
  const fresh = items.filter(({ byText, key }) => byText && !found.has(sourceOf(key)));
  for (const [item, task] of nearestPairs(fresh, lost)) found.set(sourceOf(item.key), task);
  return found;
}

/** The best pairs first; each item and task is used once. */
function nearestPairs<Item extends { readonly title: string }, Task extends Imported>(
  items: readonly Item[],
  tasks: readonly Task[],
): ReadonlyMap<Item, Task> {
  const pairs: { readonly item: Item; readonly task: Task; readonly score: number }[] = [];
  const isMany = items.length * tasks.length > MAX_PAIRS;
  for (const item of items)
    for (const task of tasks) {
      const score = isMany ? Number(item.title === task.title) : likeness(item.title, task.title);
      if (score > 0) pairs.push({ item, task, score });
    }
  const found = new Map<Item, Task>();
  const used = new Set<Task>();
  for (const { item, task } of pairs.toSorted((one, other) => other.score - one.score))
    if (!found.has(item) && !used.has(task)) {
      found.set(item, task);
      used.add(task);
    }
  return found;
}

/** From 0 (another task) to 1 (the same text). */
function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a === b && a !== "") return 0.95;
  const [short = "", long = ""] = a.length < b.length ? [a, b] : [b, a];
  // Tools append a commit or a date to finished items.
  if (short.length > 3 && long.startsWith(short) && !/^[\p{L}\p{N}]/u.test(long.slice(short.length)))
    return 0.9;
  // Of a line that was mended as well, the appended part does not count.
  return Math.max(nearness(a, b), nearness(a.replace(APPENDED, ""), b), nearness(a, b.replace(APPENDED, "")));
}

const APPENDED = /\s*(?:\([^()]*\)|\[[^[\]]*\]|[✅✔✓☑].*|\s[-–—@]?\s?(?=[a-f]{0,39}\d)[0-9a-f]{7,40})$/u;

/** The words of a title, without case, comments and the marks around words. */
function wordsOf(title: string): string {
  return title
    .replace(/<!--.*?(?:-->|$)/g, "")
    .replace(/\[([^[\]]+)\]\([^()\s]*\)/g, "$1")
    .replace(/\*+|~~|__|`/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function nearness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  // "Step 1" is another task than "Step 2".
  if (numbersIn(a) !== numbersIn(b)) return 0;
  if (Math.abs(a.length - b.length) > longest * MAX_CHANGED) return 0;
  const changed = distance(a, b) / longest;
  return changed < MAX_CHANGED ? 1 - changed : 0;
}

function numbersIn(text: string): string {
  return (text.match(/(?<![\p{L}\p{N}])\d+(?:\.\d+)*(?![\p{L}\p{N}])/gu) ?? []).join(" ");
}
