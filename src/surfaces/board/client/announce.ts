import { signal } from "@preact/signals";

/** What a screen reader says next, without moving the focus. */
export const announced = signal("");

export function announce(words: string): void {
  // The same words twice are two announcements.
  announced.value = announced.value === words ? `${words}\u00a0` : words;
}
