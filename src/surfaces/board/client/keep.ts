/** This browser's storage for settings, drafts and marks. The page works without it, too. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(`pawl:${key}`);
  } catch {
    return null;
  }
}

/** Null removes the value. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`pawl:${key}`);
    else localStorage.setItem(`pawl:${key}`, value);
  } catch {
    // Full or forbidden: the value lasts only until the page is closed.
  }
}

/** Calls `onChange` when another tab has changed the value, with the new and the previous text; null: none. */
export function onKept(key: string, onChange: (now: string | null, before: string | null) => void): void {
  globalThis.addEventListener?.("storage", (event) => {
    if (event.key === `pawl:${key}`) onChange(event.newValue, event.oldValue);
  });
}

/** The stored JSON value; undefined if there is none or it is unreadable. */
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

/**
 * Of the keys with `prefix`, removes all but the `most` written last. Each value holds `saved`, a time in ms.
 */
export function tidy(prefix: string, most: number): void {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`pawl:${prefix}`));
    const aged = keys.map((key) => ({ key, saved: savedAt(key.slice("pawl:".length)) }));
    aged.sort((one, other) => other.saved - one.saved);
    for (const { key } of aged.slice(most)) localStorage.removeItem(key);
  } catch {
    // This browser stores nothing.
  }
}

function savedAt(key: string): number {
  const value = keptValue(key);
  const saved = typeof value === "object" && value !== null && "saved" in value ? value.saved : 0;
  return typeof saved === "number" ? saved : 0;
}
