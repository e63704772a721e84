const MAX_KNOWN = 500;
const known = new Map<string, string>();

/** The sha-256 of a value as JSON, whatever the order of its keys: what a verdict was given on. */
export async function hashOf(value: unknown): Promise<string> {
  const text = JSON.stringify(sorted(value));
  const before = known.get(text);
  if (before !== undefined) return before;
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, hash);
  return hash;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
