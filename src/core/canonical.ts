import { isObject } from "./is-object.ts";

/** JSON with sorted keys: equal values give equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/**
 * The value with the keys of all objects in order. Does not copy objects that are in order: a run's history
 * has thousands of them, and each move needs its text.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return eachSorted(value);
  // An object with its own `toJSON`, such as a date, is not treated as a map of keys.
  if (!isObject(value) || typeof value.toJSON === "function") return value;
  const keys = Object.keys(value);
  const inside = keys.map((key) => sorted(value[key]));
  const isInOrder = keys.every((key, at) => at === 0 || (keys[at - 1] as string) < key);
  if (isInOrder && keys.every((key, at) => inside[at] === value[key])) return value;
  const entries = keys.map((key, at) => [key, inside[at]] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function eachSorted(list: readonly unknown[]): readonly unknown[] {
  const inside = list.map(sorted);
  return inside.every((each, at) => each === list[at]) ? list : inside;
}
