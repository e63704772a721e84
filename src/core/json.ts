/** An untrusted object of any shape: not a list, and not null. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

const LONGEST_LINE = 110;

/** JSON for people: objects over several lines, a list of plain values on one line if it fits. */
export function jsonText(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => jsonText(item, inner));
    const line = `[${items.join(", ")}]`;
    const isPlain = value.every((item) => typeof item !== "object" || item === null);
    if (value.length === 0 || (isPlain && line.length <= LONGEST_LINE)) return line;
    return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  const lines = entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
