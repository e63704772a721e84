/** Removes the known secrets from a text. */
export type Mask = (text: string) => string;

/**
 * Masks every string in a value, keys included, in lists and plain objects. Returns the same object if
 * nothing changes.
 */
export function masked<T>(value: T, mask: Mask | undefined): T {
  return mask === undefined ? value : (maskedIn(value, mask) as T);
}

function maskedIn(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => maskedIn(item, mask));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [mask(name), maskedIn(each, mask)] as const);
  const isSame = entries.every(([name, each]) => Object.hasOwn(value, name) && value[name] === each);
  return isSame ? value : Object.fromEntries(entries);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const above = Object.getPrototypeOf(value);
  return above === Object.prototype || above === null;
}
