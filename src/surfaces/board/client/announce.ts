import { signal } from "@preact/signals";

/** The next text for screen readers, announced without moving the focus. */
export const announced = signal("");

export function announce(words: string): void {
  // Repeating the same text needs a difference, so that it is announced again.
  announced.value = announced.value === words ? `${words}\u00a0` : words;
}
