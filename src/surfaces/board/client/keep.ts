/** What this browser remembers: settings, drafts and marks. Where it may remember nothing, the page works without. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(`pawl:${key}`);
  } catch {
    return null;
  }
}

/** Null forgets it. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`pawl:${key}`);
    else localStorage.setItem(`pawl:${key}`, value);
  } catch {
    // Full or forbidden: it is remembered until the page is closed.
  }
}

/** Tells what another tab has kept under the key in place of what, as texts; null: nothing. */
export function onKept(key: string, hear: (now: string | null, before: string | null) => void): void {
  globalThis.addEventListener?.("storage", (event) => {
    if (event.key === `pawl:${key}`) hear(event.newValue, event.oldValue);
  });
}

/** What was kept as JSON, if it is still readable. */
export function keptValue(key: string): unknown {
  return jsonOf(kept(key));
}

export function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Of what begins with `prefix`, forgets all but the `most` that were written last; each value holds `saved`, a time in ms. */
export function tidy(prefix: string, most: number): void {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`pawl:${prefix}`));
    const aged = keys.map((key) => ({ key, saved: savedAt(key.slice("pawl:".length)) }));
    aged.sort((one, other) => other.saved - one.saved);
    for (const { key } of aged.slice(most)) localStorage.removeItem(key);
  } catch {
    // Nothing is kept here at all.
  }
}

function savedAt(key: string): number {
  const value = keptValue(key);
  const saved = typeof value === "object" && value !== null && "saved" in value ? value.saved : 0;
  return typeof saved === "number" ? saved : 0;
}
