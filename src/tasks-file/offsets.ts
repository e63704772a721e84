/**
 * Where in the text of tasks.yaml the values that Pawl writes stand, so that a change is spliced into the text and
 * every other byte stays. Offsets are UTF-16, as in a JavaScript string.
 *
 * P1  The offsets of a text are what `indexOffsets` finds in it, whether found there or moved along by `splice`.
 */

/** The keys that Pawl writes. `id` and `title` are here only as lines to put a new key after. */
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
 * flow or block sequence · none of these, or shared by an anchor, or tagged: not to be written.
 */
export type Style = "plain" | "double" | "single" | "empty" | "lines" | "alias" | "flow" | "block" | "fixed";

export interface KeyOffsets {
  keyStart: number;
  keyEnd: number;
  /** Of a sequence: where the next item is inserted, twice. */
  start: number;
  end: number;
  style: Style;
  /** Of a block sequence: the column of its dashes. Of a flow sequence: 1 where it has items, else 0. */
  extra?: number;
}

export interface ItemOffsets {
  readonly id: string;
  readonly kind: "task" | "step";
  /** The column of its keys; -1 where it is written in flow style, `{id: …}`. */
  readonly indent: number;
  /** Why nothing in it can be written safely. */
  readonly fixed?: string;
  readonly keys: { [key in WrittenKey]?: KeyOffsets };
}

export type Offsets = readonly ItemOffsets[];
