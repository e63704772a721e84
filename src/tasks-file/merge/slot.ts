/** A text of YAML as nested slots: each is a key or an item of a list, with the lines that belong to it. */

export interface Slot {
  /** The key, or the item's id. */
  readonly name: string;
  /** What stands before it: whole lines of comments and blanks; in brackets, the space behind the comma. */
  readonly lead: string;
  /** From its key or dash to the end of its lines. */
  readonly text: string;
  /** The column at which the text begins. */
  readonly column: number;
  readonly value: () => unknown;
  /** Key with colon, value, the rest of the lines; null: it has no value of its own to be told apart. */
  readonly pieces?: readonly [string, string, string];
  /** Null: it cannot be merged by its parts. */
  readonly inner: () => Inner | null;
}

/** What a slot consists of. Open, slots and close in order are its text. */
export interface Inner {
  /** On lines of their own, or in brackets. */
  readonly layout: "lines" | "brackets";
  readonly kind: "map" | "list";
  readonly open: string;
  readonly slots: readonly Slot[];
  readonly close: string;
  /** The first slot follows `open` on the same line. */
  readonly inline: boolean;
}

export const EMPTY: Inner = { layout: "lines", kind: "map", open: "", slots: [], close: "", inline: false };

export const NONE = (): null => null;

/** The same at another column. */
export function moved(slot: Slot, by: number): Slot {
  if (by === 0) return slot;
  const { pieces: _, ...kept } = slot;
  return {
    ...kept,
    lead: shiftedLines(slot.lead, by),
    text: shifted(slot.text, by),
    column: slot.column + by,
    inner: () => movedInner(slot.inner(), by),
  };
}

function movedInner(inner: Inner | null, by: number): Inner | null {
  if (inner === null || inner.layout === "brackets") return inner;
  return {
    ...inner,
    open: shifted(inner.open, by),
    slots: inner.slots.map((slot) => moved(slot, by)),
    close: shiftedLines(inner.close, by),
  };
}

/** Its first line begins where it begins already. */
function shifted(text: string, by: number): string {
  const end = text.indexOf("\n") + 1;
  return end === 0 ? text : text.slice(0, end) + shiftedLines(text.slice(end), by);
}

/** A line that is not indented as far as that stays. */
export function shiftedLines(text: string, by: number): string {
  if (by === 0) return text;
  if (by > 0) return text.replace(/^(?=[^\r\n])/gm, " ".repeat(by));
  return text.replace(new RegExp(`^ {${-by}}`, "gm"), "");
}

export function textIn({ close, inline, layout, open, slots }: Inner): string {
  if (layout === "brackets") return open + slots.map(({ lead, text }) => lead + text).join(",") + close;
  const shown = slots.map(({ column, lead, text }, at) =>
    // No lines can stand before what shares its line with the dash.
    inline && at === 0 ? text + lead : lead + " ".repeat(column) + text,
  );
  return open + shown.join("") + close;
}
