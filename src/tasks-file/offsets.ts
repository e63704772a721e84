/**
 * The places in the text of tasks.yaml of the values that Pawl writes, so that a change is spliced into the
 * text and every other byte stays. Offsets are UTF-16, as in a JavaScript string.
 *
 * P1  The offsets of a text are those that `indexOffsets` finds in it, whether found there or shifted by
 *     `splice`.
 */

/** The keys that Pawl writes. `id` and `title` are only here as lines after which to put a new key. */
export const WRITTEN_KEYS = [
  "id",
  "title",
  "status",
  "agent_name",
  "ai_notes",
  "session_id",
  "session_provider",
  "started_at",
  "completed_at",
  "cancel_reason",
] as const;
export type WrittenKey = (typeof WRITTEN_KEYS)[number];

/**
 * How a value is written: plain, double- or single-quoted on one line · empty · over several lines · alias ·
 * flow or block sequence · fixed: another way, or shared by an anchor, or tagged, so it cannot be written.
 */
export type Style = "plain" | "double" | "single" | "empty" | "lines" | "alias" | "flow" | "block" | "fixed";

export interface KeyOffsets {
  keyStart: number;
  keyEnd: number;
  /** In a sequence, start and end are both the place for the next item. */
  start: number;
  end: number;
  style: Style;
  /** For a block sequence, the column of its dashes; for a flow sequence, 1 if it has items, otherwise 0. */
  extra?: number;
}

export interface ItemOffsets {
  readonly id: string;
  readonly kind: "task" | "step";
  /** The column of its keys; -1 in flow style, `{id: …}`. */
  readonly indent: number;
  /** Why nothing in it can be written safely. */
  readonly fixed?: string;
  readonly keys: { [key in WrittenKey]?: KeyOffsets };
}

export type Offsets = readonly ItemOffsets[];
