/**
 * The difference between two versions of a run's document, small enough for the log to keep it with each
 * step.
 */
import { canonical, isObject } from "../../core/json.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** `all`: the whole new value. Otherwise the keys of an object that changed, or the entries of a list. */
export type Patch =
  | { readonly all: Json }
  | {
      readonly set?: Readonly<Record<string, Json>>;
      readonly gone?: readonly string[];
      /** Keys whose values changed within. */
      readonly in?: Readonly<Record<string, Patch>>;
    }
  /** The list lost its first `drop` entries and got `add` at its end. */
  | { readonly drop: number; readonly add: readonly Json[] };

/** How deep a patch follows objects; deeper values are set whole. */
const DEPTH = 3;

/** `patched(before, diff(before, after))` is `after`. */
export function diff(before: Json, after: Json, depth = DEPTH): Patch {
  if (Array.isArray(before) && Array.isArray(after)) return diffOfLists(before, after) ?? { all: after };
  if (!isObject(before) || !isObject(after) || depth === 0) return { all: after };
  // As entries: assigning a key named `__proto__` would set the prototype.
  const set: [string, Json][] = [];
  const within: [string, Patch][] = [];
  for (const [key, value] of Object.entries(after)) {
    const earlier = Object.hasOwn(before, key) ? before[key] : undefined;
    if (earlier === undefined) set.push([key, value]);
    else if (!isEqual(earlier, value)) {
      const change = diff(earlier, value, depth - 1);
      if ("all" in change) set.push([key, value]);
      else within.push([key, change]);
    }
  }
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return {
    ...(set.length > 0 ? { set: Object.fromEntries(set) } : {}),
    ...(removed.length > 0 ? { gone: removed } : {}),
    ...(within.length > 0 ? { in: Object.fromEntries(within) } : {}),
  };
}

/** Throws a `TypeError` if the patch does not fit the value. */
export function patched(before: Json, patch: Patch): Json {
  if ("all" in patch) return patch.all;
  if ("drop" in patch) {
    if (!Array.isArray(before)) throw new TypeError("a list is patched that is none");
    return [...before.slice(patch.drop), ...patch.add];
  }
  if (!isObject(before)) throw new TypeError("an object is patched that is none");
  const kept = Object.entries(before).filter(([key]) => !patch.gone?.includes(key));
  const within = Object.entries(patch.in ?? {}).map(
    ([key, change]) => [key, patched(before[key] ?? null, change)] as const,
  );
  return Object.fromEntries([...kept, ...within, ...Object.entries(patch.set ?? {})]);
}

/** Null: the new list does not continue the old one. */
function diffOfLists(before: readonly Json[], after: readonly Json[]): Patch | null {
  if (before.length === 0) return { drop: 0, add: after };
  const texts = before.map(canonical);
  const first = after.length === 0 ? before.length : texts.indexOf(canonical(after[0]));
  if (first === -1) return null;
  const kept = texts.slice(first);
  const isKept = kept.length <= after.length && kept.every((text, at) => text === canonical(after[at]));
  return isKept ? { drop: first, add: after.slice(kept.length) } : null;
}

function isEqual(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}
