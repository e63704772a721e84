import { attempt } from "../core/attempt.ts";
import { EVENTS, type PawlEvent } from "../core/event.ts";
import type { Change } from "../core/ports/store.ts";

/** The event in a committed change; null: there is none. */
export function eventIn(change: Change): PawlEvent | null {
  if (change.type !== "append" || change.path !== EVENTS) return null;
  return attempt(() => JSON.parse(change.text) as PawlEvent, null);
}
