/**
 * A text of many pieces, of which a change replaces few. Two versions are compared piece by piece, which costs next to nothing where
 * most are the very same strings; the whole is put together only for whoever asks for it.
 */
export interface LongText {
  /** In order, they are the text. */
  readonly pieces: readonly string[];
  /** Put together when it is first asked for, and kept. */
  readonly whole: string;
}

export type Text = string | LongText;

/** `near`: an earlier version, most of whose pieces stand for these, one for one. */
export function longText(pieces: readonly string[], near?: LongText | null): LongText {
  return new Laid(pieces, near instanceof Laid ? near : null);
}

/** The text with other pieces at these places. */
export function textWith(text: LongText, changed: ReadonlyMap<number, string>): LongText {
  const pieces = [...text.pieces];
  for (const [at, piece] of changed) pieces[at] = piece;
  const [place, ...others] = changed.keys();
  return new Laid(pieces, text instanceof Laid ? text : null, others.length === 0 ? place : undefined);
}

export function wholeOf(text: Text): string {
  return typeof text === "string" ? text : text.whole;
}

/** One piece, where it was not made of more. */
export function piecesOf(text: Text): readonly string[] {
  return typeof text === "string" ? [text] : text.pieces;
}

export function isSameText(one: Text | null, other: Text | null): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  const [first, second] = [piecesOf(one), piecesOf(other)];
  const { end, start } = common(first, second);
  if (start === 0 && end === 0) return wholeOf(one) === wholeOf(other);
  return between(first, start, end) === between(second, start, end);
}

/** How many pieces two texts share at their beginning, and how many more at their end. */
export function common(one: readonly string[], other: readonly string[]): { start: number; end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (start + end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return { start, end };
}

/** What lies between so many pieces at the beginning and so many at the end. */
export function between(pieces: readonly string[], start: number, end: number): string {
  return pieces.slice(start, pieces.length - end).join("");
}

class Laid implements LongText {
  readonly pieces: readonly string[];
  #whole: string | null = null;
  /** An earlier one that has been put together; null as soon as this one has been. */
  #near: Laid | null;
  /** The place of the only piece that differs from the earlier one's; undefined: it must be looked for. */
  readonly #only: number | undefined;
  /** Where pieces begin in the whole. */
  #places: Places | null = null;

  constructor(pieces: readonly string[], near: Laid | null, only?: number) {
    this.pieces = pieces;
    const isThere = near === null || near.#whole !== null;
    this.#near = isThere ? near : near.#near;
    this.#only = isThere ? only : undefined;
  }

  get whole(): string {
    this.#whole ??= this.#putTogether();
    this.#near = null;
    return this.#whole;
  }

  /** Far quicker than to join thousands of pieces, and none is looked at that both have. */
  #putTogether(): string {
    const near = this.#near;
    if (near === null) return this.pieces.join("");
    const only = this.#only;
    const { start, end } =
      only === undefined
        ? common(near.pieces, this.pieces)
        : { start: only, end: this.pieces.length - only - 1 };
    near.#places ??= new Places(near.pieces);
    const text = near.whole;
    const from = near.#places.startOf(start);
    const to = near.#places.startOf(near.pieces.length - end);
    const fresh = between(this.pieces, start, end);
    const isOne = near.pieces.length === this.pieces.length && start + end + 1 === this.pieces.length;
    if (isOne) this.#places = near.#places.after(start, fresh.length - (to - from));
    return [text.slice(0, from), fresh, text.slice(to)].join("");
  }
}

/** So many changes are remembered before all is measured again. */
const MOST_SHIFTS = 100;

/** Where each piece of a text begins. */
class Places {
  readonly #starts: Float64Array;
  /** The pieces behind this one have moved by so much since. */
  readonly #shifts: readonly (readonly [piece: number, by: number])[];

  constructor(pieces: readonly string[]);
  constructor(starts: Float64Array, shifts: readonly (readonly [piece: number, by: number])[]);
  constructor(given: readonly string[] | Float64Array, shifts: readonly (readonly [number, number])[] = []) {
    this.#starts = given instanceof Float64Array ? given : startsOf(given);
    this.#shifts = shifts;
  }

  /** Of the end, if there is no such piece. */
  startOf(piece: number): number {
    const start = this.#starts[piece] ?? 0;
    return this.#shifts.reduce((sum, [moved, by]) => (moved < piece ? sum + by : sum), start);
  }

  /** Once a piece is longer by so much; null: measure again. */
  after(piece: number, by: number): Places | null {
    if (this.#shifts.length === MOST_SHIFTS) return null;
    return new Places(this.#starts, [...this.#shifts, [piece, by]]);
  }
}

function startsOf(pieces: readonly string[]): Float64Array {
  const starts = new Float64Array(pieces.length + 1);
  let at = 0;
  for (let index = 0; index < pieces.length; index++) {
    at += (pieces[index] as string).length;
    starts[index + 1] = at;
  }
  return starts;
}
