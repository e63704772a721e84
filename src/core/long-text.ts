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

  constructor(pieces: readonly string[], near: Laid | null) {
    this.pieces = pieces;
    this.#near = near === null || near.#whole !== null ? near : near.#near;
  }

  get whole(): string {
    this.#whole ??= this.#putTogether();
    this.#near = null;
    return this.#whole;
  }

  #putTogether(): string {
    const near = this.#near;
    if (near === null || near.pieces.length !== this.pieces.length) return this.pieces.join("");
    return changed(near.whole, near.pieces, this.pieces);
  }
}

/** Far quicker than to join thousands of pieces. */
function changed(text: string, before: readonly string[], after: readonly string[]): string {
  const parts: string[] = [];
  let kept = 0;
  let at = 0;
  for (let index = 0; index < before.length; index++) {
    const piece = before[index] as string;
    const fresh = after[index] as string;
    const end = at + piece.length;
    if (fresh !== piece) {
      parts.push(text.slice(kept, at), fresh);
      kept = end;
    }
    at = end;
  }
  return parts.length === 0 ? text : [...parts, text.slice(kept)].join("");
}
