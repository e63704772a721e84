/** Events as lines of a log. */
import { attempt } from "../../core/attempt.ts";
import type { PawlEvent } from "../../core/event.ts";

/** JSON holds such an id unchanged. */
const PLAIN = /^[\w.-]+$/;

/** The event in a line; empty: the line is no event, as after a damaged disk. */
export function eventIn(line: string): readonly PawlEvent[] {
  return attempt(() => {
    const event = JSON.parse(line);
    return typeof event?.type === "string" && typeof event.time === "string" ? [event] : [];
  }, []);
}

/**
 * A text that each line about the run contains; the run is given by its name or its id. Null: any line may
 * match.
 */
export function namedBy(run: string | undefined): string | null {
  const id = run?.slice(run.indexOf(":") + 1);
  return id !== undefined && PLAIN.test(id) ? `${id}"` : null;
}

/** Whether the line has one of the texts; any line, if there are none. */
export function hasAny(line: string, texts: readonly string[] | undefined): boolean {
  return texts === undefined || texts.some((text) => line.includes(text));
}
